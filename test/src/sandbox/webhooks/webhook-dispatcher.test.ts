// The webhook dispatcher as a whole: what is pending, when it is settled, how it ends.
import { describe, expect, it } from 'vitest';
import type { Fact } from '#src/sandbox/world/service.ts';
import { openCallback, type Callback } from '../../../harness/sandbox/callback-server.ts';
import { until } from '../../../harness/ports.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';

async function subscribe({ call, handles }: TestSandbox, url: string): Promise<string> {
  const { organization } = handles;
  const body = { url, events: ['contact.created'], organization, scope: 'organization', signing_key: 'key' };
  return (await call('POST', '/webhook_subscriptions', { body })).body.resource.uri;
}

/** A sandbox with one subscriber, which answers so. */
async function openWorld(answer: Callback['answer'] = 202) {
  const stack = new AsyncDisposableStack();
  const sandbox = stack.use(await openTestSandbox({ contacts: 0, bookings: 0 }));
  const callback = stack.use(await openCallback());
  callback.answer = answer;
  const subscription = await subscribe(sandbox, callback.url);
  const { service, dispatcher, handles } = sandbox;
  const { organization } = handles;
  return {
    sandbox,
    callback,
    subscription,
    dispatcher,
    dispatch(payload: Fact['payload'] = {}, times = 1): void {
      const fact: Fact = { event: 'contact.created', at: service.clock.tick(), payload, organization, users: [] };
      for (let count = 0; count < times; count += 1) dispatcher.dispatch(fact);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

describe('the webhook dispatcher', () => {
  it('serializes a payload once, as it was when it happened, however many subscriptions receive it', async () => {
    await using world = await openWorld();
    await subscribe(world.sandbox, `${world.callback.url}/second`);
    const payload = { times: 0, toJSON: () => ({ times: (payload.times += 1) }) };
    world.dispatch(payload as unknown as Fact['payload']);
    payload.times = 7;
    await world.dispatcher.settled();
    expect(world.callback.received.map(({ body }) => body.payload)).toEqual([{ times: 1 }, { times: 1 }]);
  });

  it('serves other subscribers while one never responds', async () => {
    await using world = await openWorld(null);
    await using callback = await openCallback();
    world.dispatch({}, 300);
    await subscribe(world.sandbox, callback.url);
    world.dispatch({}, 50);
    await until(() => callback.received.length === 50, 'the other subscriber has its deliveries');
    expect(world.callback.received.length).toBeLessThanOrEqual(64);
  });

  it('refuses messages beyond its limit, and logs them', async () => {
    await using world = await openWorld(null);
    world.dispatch({}, 100_002);
    expect(world.dispatcher.pending).toBe(100_000);
    const refused = { status: null, error: 'too many deliveries are pending' };
    expect(world.dispatcher.attempts).toMatchObject([refused, refused]);
  });

  it('closes at once with deliveries in flight, and resolves what waits for it', async () => {
    const world = await openWorld(null);
    world.dispatch();
    await until(() => world.callback.received.length === 1, 'the delivery is in flight');
    const settled = world.dispatcher.settled();
    await world[Symbol.asyncDispose]();
    await settled;
    world.dispatch();
    expect(world.dispatcher.total).toBe(0);
  });
});

describe('the controls of deliveries', () => {
  it('GET /deliveries lists every attempt with its response, oldest first', async () => {
    await using world = await openWorld(503);
    const { sandbox, callback, subscription } = world;
    world.dispatch({ name: 'Ada' });
    await world.dispatcher.settled();
    await sandbox.control('POST', '/clock', { advance: '5s' });
    const { body } = await sandbox.control('GET', '/deliveries');
    const [first] = callback.received;
    const common = { subscription, event: 'contact.created', url: callback.url, status: 503, body: String(first?.raw) };
    const attempts = [1, 2].map((attempt) => ({ ...common, attempt }));
    expect(body).toMatchObject({ total: 2, pending: 1, collection: attempts });
    expect(body.collection[0].at < body.collection[1].at).toBe(true);
    expect(body.collection[0].headers['Calendly-Webhook-Signature']).toBe(first?.headers['calendly-webhook-signature']);
  });
});
