// The webhook dispatcher as a whole: what is pending, when it is settled, how it ends.
import { describe, expect, it } from 'vitest';
import type { Fact } from '#src/sandbox/world/service.ts';
import { openCallback, type Callback } from '../../../harness/sandbox/callback-server.ts';
import { until } from '../../../harness/ports.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';

const small = { contacts: 0, bookings: 0 };

async function subscribe({ call, handles }: TestSandbox, url: string): Promise<string> {
  const { organization } = handles;
  const body = { url, events: ['contact.created'], organization, scope: 'organization', signing_key: 'key' };
  return (await call('POST', '/webhook_subscriptions', { body })).body.resource.uri;
}
const factOf = ({ service, handles }: TestSandbox, payload: Fact['payload'] = {}): Fact => ({
  event: 'contact.created',
  at: service.clock.tick(),
  payload,
  organization: handles.organization,
  users: [],
});

/** A sandbox with one subscriber. */
async function openWorld(answer: Callback['answer'] = 202) {
  const stack = new AsyncDisposableStack();
  const sandbox = stack.use(await openTestSandbox(small));
  const callback = stack.use(await openCallback());
  callback.answer = answer;
  await subscribe(sandbox, callback.url);
  return { sandbox, callback, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe('the webhook dispatcher', () => {
  it('serializes a payload once, however many subscriptions receive it', async () => {
    await using sandbox = await openTestSandbox(small);
    await using callback = await openCallback();
    for (const name of ['a', 'b', 'c']) await subscribe(sandbox, `${callback.url}/${name}`);
    let times = 0;
    const payload = { toJSON: () => ({ times: (times += 1) }) };
    sandbox.dispatcher.dispatch(factOf(sandbox, payload as unknown as Fact['payload']));
    await sandbox.dispatcher.settled();
    expect(callback.received.map(({ body }) => body.payload)).toEqual([{ times: 1 }, { times: 1 }, { times: 1 }]);
  });

  it('sends a fact as it was when it happened', async () => {
    await using world = await openWorld();
    const { sandbox, callback } = world;
    const payload = { name: 'Ada' };
    sandbox.dispatcher.dispatch(factOf(sandbox, payload));
    payload.name = 'Eve';
    await sandbox.dispatcher.settled();
    expect(callback.received[0]?.body.payload).toEqual({ name: 'Ada' });
  });

  it('counts deliveries in flight and retries as pending, and settles without the retries', async () => {
    await using world = await openWorld(500);
    const { sandbox, callback } = world;
    for (let count = 0; count < 3; count += 1) sandbox.dispatcher.dispatch(factOf(sandbox));
    expect(sandbox.dispatcher.pending).toBe(3);
    await sandbox.dispatcher.settled();
    expect(callback.received).toHaveLength(3);
    expect(sandbox.dispatcher.pending).toBe(3);
  });

  it('delivers every one of hundreds, each once', async () => {
    await using world = await openWorld();
    const { sandbox, callback } = world;
    for (let number = 0; number < 500; number += 1) sandbox.dispatcher.dispatch(factOf(sandbox, { number }));
    await sandbox.dispatcher.settled();
    const numbers = callback.received.map(({ body }) => body.payload.number as number);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, index) => index));
    expect(sandbox.dispatcher.total).toBe(500);
  });

  it('serves other subscribers while one never responds', async () => {
    await using sandbox = await openTestSandbox(small);
    await using silent = await openCallback();
    await using callback = await openCallback();
    silent.answer = null;
    await subscribe(sandbox, silent.url);
    for (let count = 0; count < 300; count += 1) sandbox.dispatcher.dispatch(factOf(sandbox));
    await subscribe(sandbox, callback.url);
    for (let count = 0; count < 50; count += 1) sandbox.dispatcher.dispatch(factOf(sandbox));
    await until(() => callback.received.length === 50, 'the other subscriber has its deliveries');
    expect(silent.received.length).toBeLessThanOrEqual(64);
  });

  it('refuses messages beyond its limit, and logs them', async () => {
    await using world = await openWorld(null);
    const { sandbox } = world;
    const fact = factOf(sandbox);
    for (let count = 0; count < 100_002; count += 1) sandbox.dispatcher.dispatch(fact);
    expect(sandbox.dispatcher.pending).toBe(100_000);
    expect(sandbox.dispatcher.attempts).toMatchObject([
      { status: null, error: 'too many deliveries are pending' },
      { status: null, error: 'too many deliveries are pending' },
    ]);
  });

  it('closes at once with deliveries in flight, and resolves what waits for it', async () => {
    await using callback = await openCallback();
    callback.answer = null;
    const sandbox = await openTestSandbox(small);
    await subscribe(sandbox, callback.url);
    sandbox.dispatcher.dispatch(factOf(sandbox));
    await until(() => callback.received.length === 1, 'the delivery is in flight');
    const settled = sandbox.dispatcher.settled();
    await sandbox[Symbol.asyncDispose]();
    await settled;
    sandbox.dispatcher.dispatch(factOf(sandbox));
    expect(sandbox.dispatcher.total).toBe(0);
  });
});

describe('the controls of deliveries', () => {
  it('GET /deliveries lists every attempt with its response, oldest first', async () => {
    await using sandbox = await openTestSandbox(small);
    await using callback = await openCallback();
    const subscription = await subscribe(sandbox, callback.url);
    callback.answer = 503;
    sandbox.dispatcher.dispatch(factOf(sandbox, { name: 'Ada' }));
    await sandbox.dispatcher.settled();
    await sandbox.control('POST', '/clock', { advance: '5s' });
    const { body } = await sandbox.control('GET', '/deliveries');
    const [first] = callback.received;
    const common = { subscription, event: 'contact.created', url: callback.url, status: 503, body: String(first?.raw) };
    expect(body).toMatchObject({ total: 2, pending: 1 });
    expect(body.collection).toMatchObject([
      { ...common, attempt: 1 },
      { ...common, attempt: 2 },
    ]);
    expect(body.collection[0].at < body.collection[1].at).toBe(true);
    expect(body.collection[0].headers['Calendly-Webhook-Signature']).toBe(first?.headers['calendly-webhook-signature']);
  });

  it('POST /subscriptions/disable disables a subscription once, and refuses an unknown one', async () => {
    await using sandbox = await openTestSandbox(small);
    const uri = await subscribe(sandbox, 'http://127.0.0.1:1/');
    const { status, body } = await sandbox.control('POST', '/subscriptions/disable', { uri });
    expect([status, body.resource.state]).toEqual([200, 'disabled']);
    expect(JSON.stringify(body)).not.toContain('key');
    expect((await sandbox.control('POST', '/subscriptions/disable', { uri })).body).toEqual(body);
    const strange = `${sandbox.handles.base_url}/webhook_subscriptions/none`;
    expect((await sandbox.control('POST', '/subscriptions/disable', { uri: strange })).status).toBe(404);
    expect((await sandbox.control('POST', '/subscriptions/disable', {})).status).toBe(400);
  });
});
