// Three mirrors on one Redis, each with a name of its own, and processes that name the queue of another.
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { eventually } from '../../harness/moments.ts';
import { contactDelivery } from '../../harness/data/contact-deliveries.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { freePort } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { copyPostgres } from '../../harness/templates.ts';

async function rowsIn<Row extends object>(url: string, text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=slotstream' });
  await client.connect();
  const { rows } = await client.query<Row>(text);
  await client.end();
  return rows;
}

async function openMirror(redisUrl: string, name: string) {
  await using stack = new AsyncDisposableStack();
  const database = await copyPostgres();
  const QUEUE_URL = `${redisUrl}?name=${name}`;
  const home = stack.use(await openHome({ DATABASE_URL: database, QUEUE_URL }));
  const id = `id-of-${name}`;
  await rowsIn(database, `update mirror_settings set id = '${id}'`);
  /** Sends contacts whose names are those of the mirror; resolves when all are accepted. */
  const send = async (webhook: string, from: number, count: number) => {
    const sender = openSender({ url: webhook, key: home.signingKey });
    const story = Array.from({ length: count }, (_, n) => contactDelivery({ id: `${name}${from + n}`, version: 1 }));
    await sender.send(story);
    sender.close();
    expect(sender.accepted()).toBe(count);
  };
  const contacts = async () =>
    (await rowsIn<{ uri: string }>(database, 'select uri from contacts')).map(({ uri }) => uri.split('/').at(-1) ?? '');
  const expectOnlyOwn = async (count: number) => {
    await eventually(async () => (await contacts()).length).toBe(count);
    expect((await contacts()).filter((contact) => !contact.startsWith(name))).toEqual([]);
  };
  const kept = stack.move();
  return { name, id, home, QUEUE_URL, send, expectOnlyOwn, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const available = inject('redisUrl') !== '' && inject('postgresUrl') !== '';

describe.runIf(available)('three mirrors on one Redis (S1)', () => {
  it('keep apart by the names of their queues, and refuse each other’s', async () => {
    await using redis = await startRedis();
    await using a = await openMirror(redis.url, 'a');
    await using b = await openMirror(redis.url, 'b');
    await using c = await openMirror(redis.url, 'c');
    const [forA, forB, forC] = [
      await a.home.open('receive'),
      await b.home.open('receive'),
      await c.home.open('receive'),
    ];
    for (const { home } of [a, b, c]) await home.open('work');
    await Promise.all([a.send(forA.webhook, 0, 40), b.send(forB.webhook, 0, 40), c.send(forC.webhook, 0, 40)]);
    for (const each of [a, b, c]) await each.expectOnlyOwn(40);

    // 1 and 2: a worker and a receiver with the address of another mirror.
    const worker = await b.home.run(['work'], { QUEUE_URL: a.QUEUE_URL });
    expect([worker.code, worker.err]).toEqual([2, expect.stringContaining(`belongs to the mirror ${a.id}`)]);
    expect(worker.err).toContain('add ?name=mirror_idofb to QUEUE_URL');
    const receiver = await c.home.run(['receive'], { QUEUE_URL: a.QUEUE_URL, PORT: String(await freePort()) });
    expect([receiver.code, receiver.err]).toEqual([2, expect.stringContaining('with other signing keys')]);
    const checked = await b.home.run(['doctor'], { QUEUE_URL: a.QUEUE_URL });
    expect(checked.out + checked.err).toMatch(/✗ queue: .* belongs to the mirror/);
    await a.send(forA.webhook, 40, 10);
    await a.expectOnlyOwn(50);
  });

  it('take and add nothing where they could not ask at first, and what is on disk waits for the right address', async () => {
    await using redis = await startRedis();
    await using a = await openMirror(redis.url, 'a');
    await using b = await openMirror(redis.url, 'b');
    const forA = await a.home.open('receive');
    const workerOfA = await a.home.open('work');
    await a.send(forA.webhook, 0, 5);
    await a.expectOnlyOwn(5);
    await workerOfA.term();

    // 3 and 4: the same while Redis is down.
    await redis.kill9();
    const wrong = { QUEUE_URL: a.QUEUE_URL };
    const receiver = await b.home.open('receive', { settings: wrong, until: 'answering' });
    const worker = await b.home.open('work', { settings: wrong, until: 'answering' });
    await b.send(receiver.webhook, 0, 7);
    await a.send(forA.webhook, 5, 5);
    await redis.restart();
    await eventually(() => receiver.readiness()).toBe(503);
    await eventually(async () => (await worker.admin('/readyz')).status).toBe(503);
    await eventually(() => b.home.output()).toContain(`belongs to the mirror ${a.id}`);
    // Deliveries of A wait in its queue, and none of B is among them.
    await a.home.open('work');
    await a.expectOnlyOwn(10);
    await b.expectOnlyOwn(0);
    await Promise.all([receiver.term(), worker.term()]);
    await b.home.open('receive');
    await b.home.open('work');
    await b.expectOnlyOwn(7);
  });

  it('a queue that was wiped is claimed again, and one that was released belongs to the next', async () => {
    await using redis = await startRedis();
    await using a = await openMirror(redis.url, 'a');
    await using b = await openMirror(redis.url, 'b');
    const work = await a.home.open('work');
    await redis.cli('FLUSHALL');
    const forA = await a.home.open('receive');
    await a.send(forA.webhook, 0, 3);
    await a.expectOnlyOwn(3);
    await Promise.all([work.term(), forA.term()]);
    const refused = await b.home.run(['receive'], { QUEUE_URL: a.QUEUE_URL });
    expect(refused.code).toBe(2);
    const released = await a.home.run(['settings', '--release-queue']);
    expect([released.code, released.out]).toEqual([0, expect.stringContaining('belongs to the next mirror')]);
    const forB = await b.home.open('receive', { settings: { QUEUE_URL: a.QUEUE_URL } });
    await b.home.open('work', { settings: { QUEUE_URL: a.QUEUE_URL } });
    await b.send(forB.webhook, 0, 3);
    await b.expectOnlyOwn(3);
    // An exchange of the signing key, without a time in which both are valid.
    await forB.term();
    const exchanged = { QUEUE_URL: a.QUEUE_URL, SIGNING_KEYS: 'another-key-of-thirty-two-bytes-1' };
    const early = await b.home.run(['receive'], exchanged);
    expect([early.code, early.err]).toEqual([2, expect.stringContaining('settings --release-queue')]);
    expect((await b.home.run(['settings', '--release-queue'], exchanged)).code).toBe(0);
    const late = await b.home.open('receive', { settings: exchanged });
    expect(await late.readiness()).toBe(200);
  });
});
