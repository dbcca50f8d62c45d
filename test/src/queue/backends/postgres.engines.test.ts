// The queue on PostgreSQL.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, inject, it, vi } from 'vitest';
import { succeeds, until } from '../../../harness/ports.ts';
import { openProxy } from '../../../harness/silent-proxy.ts';
import { createDatabase, startPostgres } from '../../../harness/postgres.ts';
import { batchOf, bodiesOf, fastTiming, open } from './queue-locations.ts';
import { describeQueue } from './queue-suite.ts';

const ignore = async (): Promise<void> => undefined;

describe.runIf(inject('postgresUrl'))('the queue on PostgreSQL', () => {
  describeQueue('postgres');

  it('opens while PostgreSQL is down, rejects, recovers by itself, survives a crash of the server, and closes while it is down', async () => {
    await using postgres = await startPostgres();
    const url = await postgres.createDatabase();
    await postgres.halt('fast');
    const queue = await open({ url, dataDir: '', name: 'deliveries' });
    const taken: string[] = [];
    queue.work(async (batch) => void taken.push(...bodiesOf(batch)), ignore, { concurrency: 2 });
    await expect(queue.add(batchOf('rejected'))).rejects.toMatchObject({ code: 'queue_unavailable' });
    await expect(queue.ping()).rejects.toMatchObject({ code: 'queue_unavailable' });

    const added = (body: string) => () => succeeds(queue.add(batchOf(body)));
    await postgres.restart();
    await until(added('a'), 'an add succeeds');
    await until(() => taken.includes('a'), 'it is taken');
    await postgres.restart('immediate');
    await until(added('b'), 'an add succeeds again');
    await until(() => taken.includes('b'), 'it is taken too');
    await postgres.halt('immediate');
    await queue.close();
  });

  it('takes over the jobs of a dead worker whose clock was ahead', async () => {
    const url = await createDatabase(inject('postgresUrl'));
    const queue = await open({ url, dataDir: '', name: 'deliveries', timing: fastTiming });
    await queue.add(batchOf('held'));
    const client = new pg.Client({ connectionString: url, options: '-c search_path=slotstream_queue' });
    await client.connect();
    const ahead = Date.now() + 600_000;
    const held = await client.query(`update job set state = 'active', lock_token = 'dead', locked_until_ms = $1`, [
      ahead,
    ]);
    await client.end();
    expect(held.rowCount).toBe(1);
    const taken: string[] = [];
    queue.work(async (batch) => void taken.push(...bodiesOf(batch)), ignore, { concurrency: 1 });
    await until(() => taken.includes('held'), 'it is taken', 20_000);
    await queue.close();
  });

  it('takes no running job from a worker, itself included, when its clock is ahead', async () => {
    using _ahead = vi.spyOn(Date, 'now').mockImplementation(() => new Date().getTime() + 600_000);
    const url = await createDatabase(inject('postgresUrl'));
    const queue = await open({ url, dataDir: '', name: 'deliveries', timing: fastTiming });
    const taken: string[] = [];
    const run = async (batch: unknown): Promise<void> => {
      taken.push(...bodiesOf(batch));
      await sleep(5 * fastTiming.stalledMs);
      taken.push('done');
    };
    queue.work(run, ignore, { concurrency: 2 });
    await queue.add(batchOf('long'));
    await until(() => taken.includes('done'), 'it is done', 20_000);
    await queue.close();
    expect(taken).toEqual(['long', 'done']);
  });

  it('reports a PostgreSQL that could lose accepted deliveries', async () => {
    const queue = await open({ url: inject('postgresUrl'), dataDir: '', name: 'deliveries' });
    const problems = await queue.check();
    await queue.close();
    const [message, hint] = ['fsync = off', 'fsync = on'].map((text) => expect.stringContaining(text));
    expect(problems).toContainEqual({ fatal: true, message, hint });
  });

  it('reports a pooler that drops the settings of the session, instead of accepting what no worker would find', async () => {
    await using proxy = await openProxy(inject('postgresUrl'), { dropsOptions: true });
    const queue = await open({ url: proxy.url, dataDir: '', name: 'deliveries' });
    const problems = await queue.check();
    await queue.close();
    const [message, hint] = ['connection pooler', 'QUEUE_URL'].map((text) => expect.stringContaining(text));
    expect(problems).toEqual([{ fatal: true, message, hint }]);
  });
});
