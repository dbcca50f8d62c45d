// Faults on deliveries and on answers: what each does, and that the same seed does the same.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openCallback, type Received } from '../../../harness/sandbox/callback-server.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';

const small = { contacts: 0, bookings: 0, rateLimits: false };
const key = 'a key of the subscriber';

/** A sandbox with these faults and one subscriber to new contacts. */
async function openWorld(faults: object, { seed = 1, ...needs }: { seed?: number; realMs?: () => number } = {}) {
  const stack = new AsyncDisposableStack();
  const sandbox = stack.use(await openTestSandbox({ ...small, seed }, needs));
  const callback = stack.use(await openCallback());
  const { organization } = sandbox.handles;
  const hook = { events: ['contact.created'], organization, scope: 'organization', signing_key: key };
  const answer = await sandbox.call('POST', '/webhook_subscriptions', { body: { url: callback.url, ...hook } });
  expect(answer.status).toBe(201);
  expect((await sandbox.control('POST', '/faults', faults)).status).toBe(200);
  return { sandbox, callback, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function tell({ service, dispatcher, handles }: TestSandbox, count: number, when?: string): Promise<void> {
  const { organization, users } = handles;
  for (let number = 0; number < count; number += 1) {
    const at = when ?? service.clock.tick();
    service.emit({ event: 'contact.created', at, payload: { number }, organization, users: [users.owner] });
  }
  await dispatcher.settled();
}
const signature = ({ headers }: Received): { t?: string; v1?: string } =>
  /^t=(?<t>\d+),v1=(?<v1>[0-9a-f]{64})$/.exec(String(headers['calendly-webhook-signature']))?.groups ?? {};
const isRightlySigned = (delivery: Received): boolean => {
  const { t, v1 } = signature(delivery);
  return v1 === createHmac('sha256', key).update(`${t}.${delivery.raw.toString()}`).digest('hex');
};

describe('faults on deliveries', () => {
  it('duplicate: sends the same bytes twice', async () => {
    await using world = await openWorld({ duplicate: 1 });
    await tell(world.sandbox, 1);
    const [one, other] = world.callback.received;
    expect(world.callback.received).toHaveLength(2);
    expect(one?.raw).toEqual(other?.raw);
  });

  it('drop: never sends, never retries, and the log says so', async () => {
    await using world = await openWorld({ drop: true });
    await tell(world.sandbox, 2);
    expect(world.callback.received).toEqual([]);
    const dropped = { status: null, error: 'dropped', attempt: 1, url: world.callback.url };
    expect(world.sandbox.dispatcher).toMatchObject({ pending: 0, total: 2, attempts: [dropped, dropped] });
  });

  it('shuffle: later ones overtake, none is lost', async () => {
    await using world = await openWorld({ shuffle: 0.5 });
    await tell(world.sandbox, 40);
    const numbers = world.callback.received.map(({ body }) => body.payload.number as number);
    const inOrder = [...Array.from({ length: 40 }).keys()];
    expect(numbers).not.toEqual(inOrder);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(inOrder);
  });

  it('delay_ms: holds all back until then; advancing the clock lets them go', async () => {
    await using world = await openWorld({ delay_ms: 600_000 });
    const sent = tell(world.sandbox, 3);
    expect(world.sandbox.dispatcher.pending).toBe(3);
    await world.sandbox.control('POST', '/clock', { advance: '500s' });
    expect(world.callback.received).toEqual([]);
    await world.sandbox.control('POST', '/clock', { advance: '100s' });
    await sent;
    expect(world.callback.received).toHaveLength(3);
  });

  it('corrupt_signature: the form is right, the signature is not', async () => {
    await using world = await openWorld({ corrupt_signature: 1 });
    await tell(world.sandbox, 1);
    const [delivery] = world.callback.received as [Received];
    expect(signature(delivery).v1).toHaveLength(64);
    expect(isRightlySigned(delivery)).toBe(false);
    await world.sandbox.control('POST', '/faults', {});
    await tell(world.sandbox, 1);
    expect(world.callback.received.map(isRightlySigned)).toEqual([false, true]);
  });

  it.each([
    ['stale_retries: a retry keeps its first `t`', { stale_retries: 1 }, 0],
    ['without it a retry has a `t` of its own', {}, 100],
  ])('%s', async (_, faults, laterBySeconds) => {
    let realMs = 1_800_000_000_000;
    await using world = await openWorld(faults, { realMs: () => realMs });
    const { sandbox, callback } = world;
    callback.answer = 500;
    await tell(sandbox, 1);
    realMs += 100_000;
    await sandbox.control('POST', '/clock', { advance: '5s' });
    const times = callback.received.map((delivery) => Number(signature(delivery).t));
    expect(times).toEqual([1_800_000_000, 1_800_000_000 + laterBySeconds]);
    expect(callback.received.every(isRightlySigned)).toBe(true);
  });

  it('same_second: the envelope has whole seconds only, the same for every subscription', async () => {
    await using world = await openWorld({ same_second: 0.5 });
    const { sandbox, callback } = world;
    const { organization, users } = sandbox.handles;
    const own = { organization, scope: 'user', user: users.owner, events: ['contact.created'] };
    await sandbox.call('POST', '/webhook_subscriptions', { body: { ...own, url: `${callback.url}/2` } });
    await tell(sandbox, 20, '2026-05-04T09:00:00.123456Z');
    expect(callback.received).toHaveLength(40);
    const ofFact = Map.groupBy(callback.received, ({ body }) => body.payload.number as number);
    const times = [...ofFact.values()].map((both) => new Set(both.map(({ body }) => body.created_at as string)));
    expect(times.filter(({ size }) => size !== 1)).toEqual([]);
    const seen = new Set(times.flatMap((time) => [...time]));
    expect(seen).toEqual(new Set(['2026-05-04T09:00:00.000000Z', '2026-05-04T09:00:00.123456Z']));
  });

  it('strike the same messages in every run of a seed, and others with another seed', async () => {
    const outcomes: string[] = [];
    for (const seed of [7, 7, 8]) {
      await using world = await openWorld({ drop: 0.3, duplicate: 0.3, corrupt_signature: 0.3 }, { seed });
      await tell(world.sandbox, 60);
      const sent = world.callback.received.map((one) => `${one.body.payload.number} ${isRightlySigned(one)}`);
      outcomes.push(sent.toSorted().join('\n'));
    }
    expect(outcomes[0]).toBe(outcomes[1]);
    expect(outcomes[2]).not.toBe(outcomes[0]);
  });
});

it('latency_ms: the answer is late, and closing does not wait for it', async () => {
  const sandbox = await openTestSandbox(small);
  await sandbox.control('POST', '/faults', { latency_ms: 600_000 });
  const { base_url, tokens } = sandbox.handles;
  const headers = { authorization: `Bearer ${tokens.owner}` };
  const answer = fetch(`${base_url}/contacts`, { headers }).then(
    () => 'answered',
    () => 'cut off',
  );
  // Over a connection, so that the request before it has arrived.
  await fetch(`${base_url}/_sandbox/faults`);
  await sandbox[Symbol.asyncDispose]();
  expect(await answer).toBe('cut off');
});

it('faults on answers have a chance, and leave out their control, which refuses what it does not know', async () => {
  await using sandbox = await openTestSandbox(small);
  const inject = (faults: object) => sandbox.control('POST', '/faults', faults);
  await inject({ status: 0.5 });
  const seen = new Set<number>();
  for (let count = 0; count < 40; count += 1) seen.add((await sandbox.call('GET', '/users/me')).status);
  expect([...seen].toSorted()).toEqual([200, 500]);
  const faults = { status: 1, rate_limit: 1 };
  expect(await inject(faults)).toMatchObject({ status: 200, body: faults });
  for (const wrong of [{ duplicate: 2 }, { drop: -1 }, { delay_ms: 'long' }, { status: 404 }, { chaos: 1 }, []])
    expect([wrong, (await inject(wrong)).status]).toEqual([wrong, 400]);
  expect((await sandbox.control('GET', '/faults')).body).toEqual(faults);
});
