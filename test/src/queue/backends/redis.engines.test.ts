// The queue on Redis.
import { readFile } from 'node:fs/promises';
import { describe, expect, inject, it } from 'vitest';
import { SlotstreamError } from '#src/base/errors.ts';
import { loadConfig } from '#src/config/load.ts';
import { Report } from '#src/doctor/check.ts';
import { checkQueue } from '#src/doctor/engines.ts';
import { createLog } from '#src/observability/log.ts';
import { succeeds, until } from '../../../harness/ports.ts';
import { startRedis, type TestRedis } from '../../../harness/redis.ts';
import { batchOf, bodiesOf, open } from './queue-locations.ts';
import { describeQueue } from './queue-suite.ts';

const ignore = async (): Promise<void> => undefined;
const unavailable = expect.objectContaining({ code: 'queue_unavailable' });

async function openOn(redis: Pick<TestRedis, 'url'>, reported: Error[] = []) {
  const queue = await open({ url: redis.url, dataDir: '', name: 'deliveries' }, (error) => reported.push(error));
  return Object.assign(queue, { [Symbol.asyncDispose]: () => queue.close() });
}

describe.runIf(inject('redisUrl'))('the queue on Redis', () => {
  describeQueue('redis');

  it('resolves no add and no ping while Redis is frozen', async () => {
    await using redis = await startRedis();
    await using queue = await openOn(redis);
    redis.freeze();
    let resolved = false;
    const add = queue.add(batchOf('a')).then(
      () => (resolved = true),
      () => undefined,
    );
    await expect(queue.ping()).rejects.toEqual(unavailable);
    expect(resolved).toBe(false);
    redis.thaw();
    await add;
    await until(() => succeeds(queue.ping()), 'Redis answers again');
  });

  it('rejects while Redis is out of memory, without a flood of errors, and continues afterwards', async () => {
    await using redis = await startRedis({ args: ['--maxmemory', '8mb'] });
    const reported: Error[] = [];
    await using queue = await openOn(redis, reported);
    const body = 'x'.repeat(256 * 1024);
    let accepted = 0;
    const fill = async (): Promise<void> => {
      for (;;) await queue.add(batchOf(body)).then(() => (accepted += 1));
    };
    await expect(fill()).rejects.toThrow('OOM');
    expect(await queue.check()).toEqual([
      expect.objectContaining({ fatal: false, message: expect.stringContaining('maxmemory') }),
    ]);
    // Redis frees the buffers of the failed add, so the worker could find room again under the old limit.
    await redis.cli('config', 'set', 'maxmemory', '2mb');
    let taken = 0;
    queue.work(async () => void (taken += 1), ignore, { concurrency: 1 });
    await until(() => reported.length > 0, 'the worker reports an error');
    await redis.cli('config', 'set', 'maxmemory', '0');
    await until(() => taken === accepted, 'everything accepted is taken');
    expect(reported.length).toBeLessThan(20);
    expect(reported.map(String).join()).not.toContain('xxx');
  });

  it('reports a Redis that may lose or drop what it accepted as fatal, and only warns when it may not read the settings', async () => {
    await using redis = await startRedis();
    await redis.cli('acl', 'setuser', 'app', 'on', '>s3cret-passw0rd', '~{slotstream}:*', '&*', '+@all', '-config');
    await using queue = await openOn(redis);
    expect(await queue.check()).toEqual([]);
    const fatal = (what: string) => expect.objectContaining({ fatal: true, message: expect.stringContaining(what) });
    await redis.cli('config', 'set', 'appendfsync', 'no');
    expect(await queue.check()).toEqual([fatal('appendfsync no')]);
    await redis.cli('config', 'set', 'appendonly', 'no', 'maxmemory-policy', 'allkeys-lru');
    expect(await queue.check()).toEqual([fatal('appendonly no'), fatal('allkeys-lru')]);
    await redis.cli('config', 'set', 'maxmemory-policy', 'noeviction');
    // It needs no right to the keys of others either.
    await using limited = await openOn({ url: `redis://app:s3cret-passw0rd@127.0.0.1:${redis.port}` });
    expect(await limited.check()).toEqual([expect.objectContaining({ fatal: false })]);
    const taken: string[] = [];
    limited.work(async (batch) => void taken.push(...bodiesOf(batch)), ignore, { concurrency: 2 });
    await limited.add(batchOf('a'));
    await until(() => taken.includes('a'), 'the batch is taken');
  });

  it('works with the rights that the manual lists, and names one that is missing (S7)', async () => {
    const manual = await readFile('docs/operations.md', 'utf8');
    const rule = /^ACL SETUSER slotstream on >PASSWORD (.+)$/m.exec(manual)?.[1]?.split(' ') ?? [];
    const single = /^\+multi \+exec .*$/m.exec(manual)?.[0].split(' ') ?? [];
    expect([rule.length, single.length > 30]).toEqual([6, true]);
    await using redis = await startRedis();
    const user = (rights: readonly string[]) => redis.cli('acl', 'setuser', 'jane', 'reset', 'on', '>pw', ...rights);
    const url = `redis://jane:pw@127.0.0.1:${redis.port}`;
    const settled: string[] = [];
    for (const rights of [rule, ['~{slotstream}:*', ...single]]) {
      expect(await user(rights)).toBe('OK');
      await using queue = await openOn({ url });
      expect(await queue.check()).toEqual([]);
      let failures = 0;
      queue.work(
        async (batch) => {
          if (bodiesOf(batch).includes('twice') && (failures += 1) < 2) throw new Error('again');
          settled.push(...bodiesOf(batch));
        },
        ignore,
        { concurrency: 2 },
      );
      await queue.add(batchOf('once'), 'job-1');
      await queue.add(batchOf('twice'));
      await until(() => settled.length === 2, 'both are taken');
      await until(async () => (await queue.losses?.finished(['job-1']))?.length === 1, 'it is finished');
      expect((await queue.depth()).active).toBe(0);
      settled.length = 0;
    }
    expect(await redis.cli('acl', 'log')).toBe('');
    await user(['~{slotstream}:*', '+@all', '-@dangerous']);
    await using refused = await openOn({ url });
    await expect(refused.check()).rejects.toMatchObject({
      message: 'Redis does not let the user of QUEUE_URL run INFO (NOPERM).',
      hint: expect.stringContaining('+info') as string,
    });
    await user(['~other:*', '+@all']);
    await expect(refused.ping()).rejects.toMatchObject({ message: expect.stringContaining('the keys of the queue') });
  });

  it('names no password in a message when Redis rejects it, and doctor says what to do', async () => {
    await using redis = await startRedis({ args: ['--requirepass', 'the-right-one'] });
    const reported: Error[] = [];
    const url = redis.url.replace('//', '//:s3cret-passw0rd@');
    await using queue = await openOn({ url }, reported);
    const rejection: unknown = await queue.ping().catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(SlotstreamError);
    expect([rejection, ...reported].map((error) => `${error} ${JSON.stringify(error)}`).join()).not.toContain('s3cret');
    const log = createLog({ level: 'silent', pretty: false });
    const mirror = () => Promise.reject(new Error('not needed'));
    const needs = { config: loadConfig({ QUEUE_URL: url }), log, now: () => new Date(), mirror };
    await expect(checkQueue(needs, new Report())).rejects.toMatchObject({
      message: 'Redis does not accept the password in QUEUE_URL.',
      hint: 'Correct the user and the password in QUEUE_URL.',
    });
  });

  it('quarantines a hand-crafted job that is not JSON, and recovers the others', async () => {
    await using redis = await startRedis();
    await using queue = await openOn(redis);
    await redis.cli('hset', '{slotstream}:deliveries:evil', 'name', 'batch', 'data', '{not json', 'failedReason', 'x');
    await redis.cli('zadd', '{slotstream}:deliveries:failed', '1', 'evil');
    await redis.cli('hset', '{slotstream}:deliveries:mine', 'name', 'batch', 'data', '{"odd":1}', 'failedReason', 'x');
    await redis.cli('zadd', '{slotstream}:deliveries:failed', '2', 'mine');
    const taken: unknown[] = [];
    const quarantined: unknown[] = [];
    const quarantine = async (_delivery: unknown, reason: string): Promise<void> => void quarantined.push(reason);
    queue.work(async (batch) => void taken.push(batch), quarantine, { concurrency: 1 });
    await until(async () => taken.length > 0 && (await queue.depth()).failed === 0, 'the recovery is done');
    expect(taken).toEqual([{ odd: 1 }]);
    expect(quarantined).toEqual(['the job is not JSON']);
  });
});
