// What `doctor` says about the sinks of the feed.
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import { openMirror } from '#src/app/mirror.ts';
import { loadConfig } from '#src/config/load.ts';
import { Report } from '#src/doctor/check.ts';
import { checkSinks } from '#src/doctor/sinks.ts';
import { createLog } from '#src/observability/log.ts';
import { openStore } from '#src/store/open-store.ts';
import { startNats } from '../../harness/brokers.ts';
import { contact } from '../../harness/mirror/sink-pump.ts';
import { eventually } from '../../harness/moments.ts';
import { freePort, until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { ingestBodies } from '../../harness/stores.ts';

const examine = async (environment: Readonly<Record<string, string>>) => {
  const report = new Report();
  const log = createLog({ level: 'silent', pretty: false });
  const config = loadConfig(environment);
  await checkSinks({ config, log, now: () => new Date(), mirror: () => openMirror(config, log) }, report);
  return report.findings;
};

describe('the check of the sinks', () => {
  it('has nothing to say where none is configured', async () => {
    expect(await examine({})).toEqual([]);
  });

  it('names a sink that cannot be reached by its host and the reason, without its password', async () => {
    const port = await freePort();
    const host = `127.0.0.1:${port}`;
    const findings = await examine({
      FEED_PUSH_URL: 'https://push.example.test/canary',
      FEED_PUSH_SECRET: 'canary-canary-canary',
      FEED_STREAM_URL: `redis://:canary@${host}`,
      FEED_NATS_URL: `nats://ada:canary@${host}`,
      FEED_KAFKA_URL: `kafka://${host}/canary`,
    });
    expect(JSON.stringify(findings)).not.toContain('canary');
    expect(findings.map(({ state }) => state)).toEqual(['ok', 'problem', 'problem', 'problem']);
    for (const [index, sink] of ['redis-stream', 'nats', 'kafka'].entries())
      expect(findings[index + 1]?.sentence).toBe(`${sink} at ${host} does not accept the feed (ECONNREFUSED).`);
  });

  it('names a sink that is not called here and does not accept what the running process sends', async () => {
    const host = `127.0.0.1:${await freePort()}`;
    await using home = await openHome({
      FEED_PUSH_URL: `http://${host}/feed`,
      FEED_PUSH_SECRET: 'secret-secret-secret',
      FEED_PUSH_ALLOW_PRIVATE: 'true',
    });
    await home.open('start');
    const feed = async () => (await home.run(['doctor'])).out.split('\n').find((line) => line.includes(' feed: '));
    expect(await feed()).toContain('✓ feed: pushed to');
    expect((await home.run(['trigger', 'invitee.created'])).code).toBe(0);
    await until(async () => (await feed())?.startsWith('✗') === true, 'doctor reports the sink');
    expect(await feed()).toBe(`✗ feed: webhook at ${host} does not accept the feed (ECONNREFUSED).`);
  });

  it.runIf(inject('redisUrl'))(
    'names a stream that is ahead of the log, and the command that ends it (S2)',
    async () => {
      const key = `ahead-${randomUUID()}`;
      const { host } = new URL(inject('redisUrl'));
      await using home = await openHome({ FEED_STREAM_URL: inject('redisUrl'), FEED_STREAM_KEY: key });
      await using store = await openStore({ report: () => {} }, home.store);
      const redis = new Redis(inject('redisUrl'));
      try {
        await ingestBodies(store, [contact(1, 'a'), contact(2, 'b'), contact(3, 'c')]);
        await redis.xadd(key, '2-0', 'seq', '2');
        const feed = async () => {
          const lines = (await home.run(['doctor'])).out.split('\n');
          const at = lines.findIndex((line) => line.includes(' feed: '));
          return lines.slice(at, at + 2).join('\n');
        };
        const doctor = await feed();
        expect(doctor).toContain(`✗ feed: redis-stream at ${host} does not accept the feed (STREAM_AHEAD).`);
        expect(doctor).toMatch(/slotstream feed --sink redis-stream --restart-at 3\b/);
        const restart = (...args: string[]) => home.run(['feed', '--sink', 'redis-stream', ...args]);
        expect(await restart()).toMatchObject({ code: 2 });
        expect(await restart('--restart-at', '4')).toMatchObject({ code: 2, err: expect.stringContaining('beyond') });
        expect((await home.run(['feed', '--sink', 'nats', '--restart-at', '0'])).err).toContain(
          'There is redis-stream.',
        );
        expect(await restart('--restart-at', '0')).toMatchObject({
          code: 0,
          out: expect.stringMatching(/after entry 0 of the log, which ends at 3[^]*up to the id 2-0\. They stay/),
        });
        await home.open('start');
        await eventually(async () => (await redis.xrange(key, '-', '+')).map(([id]) => id)).toEqual([
          '2-0',
          '2-1',
          '2-2',
          '3-0',
        ]);
        expect(await feed()).toContain('✓ feed: pushed to redis-stream');
      } finally {
        await redis.del(key);
        redis.disconnect();
      }
    },
  );

  it.runIf(inject('natsPath') && inject('redisUrl'))(
    'connects to those that it can reach, and creates nothing',
    async () => {
      await using nats = await startNats();
      const findings = await examine({ FEED_NATS_URL: nats.url, FEED_STREAM_URL: inject('redisUrl') });
      expect(findings.map(({ state }) => state)).toEqual(['ok', 'ok']);
      await expect(nats.published()).rejects.toThrow('stream not found');
    },
  );
});
