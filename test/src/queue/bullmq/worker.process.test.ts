// Receivers and workers as separate processes: workers are killed in the middle of a batch, the store is restarted.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import pg from 'pg';
import { ask, judge } from '../../../oracle/deliveries.ts';
import { until } from '../../../harness/ports.ts';
import { startPostgres, type TestPostgres } from '../../../harness/postgres.ts';
import { openHome, type Home } from '../../../harness/product.ts';
import { startRedis, type TestRedis } from '../../../harness/redis.ts';
import { openSender } from '../../../harness/mirror/sender.ts';
import { contactStory } from '../../../harness/data/contact-deliveries.ts';

describe.runIf(inject('redisUrl') && inject('postgresUrl'))(
  'receivers and workers in separate processes, on Redis and PostgreSQL',
  { timeout: 300_000 },
  () => {
    let redis: TestRedis;
    let postgres: TestPostgres;
    beforeAll(async () => {
      [redis, postgres] = await Promise.all([startRedis(), startPostgres({ durable: true })]);
    });
    afterAll(async () => {
      await Promise.all([redis.stop(), postgres.stop()]);
    });

    async function freshHome(shared = false): Promise<Home> {
      await redis.cli('flushall');
      const store = await postgres.createDatabase();
      return openHome({ QUEUE_URL: shared ? store : redis.url, DATABASE_URL: store });
    }

    it('a batch whose worker was killed is processed once, by another worker', async () => {
      await using home = await freshHome();
      const receiver = await home.open('receive');
      const doomed = await home.start('work');
      const sender = openSender({ url: receiver.webhook, key: home.signingKey });
      await using hold = await lockContacts(home.store);
      await sender.send(contactStory({ contacts: 20, versions: 5 }));
      await until(() => hold.isWaitedFor(), 'the worker is in the middle of its batches');
      await doomed.kill9();
      await home.open('work');
      await hold.release();
      sender.close();
      await judge(home.store, sender.sent);
      expect(await redis.cli('zcard', '{slotstream}:deliveries:failed')).toBe('0');
    });

    it('a PostgreSQL that is store and queue, restarted under load, cleanly and not, loses nothing and quarantines nothing', async () => {
      await using home = await freshHome(true);
      const [receiver, worker] = [await home.open('receive'), await home.open('work')];
      const sender = openSender({ url: receiver.webhook, key: home.signingKey, lanes: 4 });
      const story = [...contactStory({ contacts: 24, versions: 10 })];
      const half = Math.ceil(story.length / 2);
      for (const [turn, mode] of (['immediate', 'fast'] as const).entries()) {
        const enough = sender.accepted() + 40;
        const sending = sender.send(story.slice(turn * half, (turn + 1) * half));
        await until(() => sender.accepted() >= enough, 'some more deliveries are accepted');
        await postgres.restart(mode);
        await sending;
      }
      sender.close();
      expect(new Set(sender.sent.flatMap(({ answers }) => answers))).toEqual(new Set([202]));
      await judge(home.store, sender.sent);
      expect(await Promise.all([receiver.term(), worker.term()])).toEqual([0, 0]);
    });
  },
);

/** Locks the contacts, so that the worker blocks in the middle of a batch. */
async function lockContacts(storeUrl: string) {
  const client = new pg.Client({ connectionString: storeUrl });
  await client.connect();
  await client.query('begin; lock table contacts in access exclusive mode');
  const release = async (): Promise<void> => {
    await client.end();
  };
  let released: Promise<void> | undefined;
  return {
    isWaitedFor: async () => (await ask(storeUrl, 'select 1 from pg_locks where not granted')).length > 0,
    release: () => (released ??= release()),
    [Symbol.asyncDispose]: () => (released ??= release()),
  };
}
