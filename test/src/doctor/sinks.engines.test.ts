// What `doctor` says about the sinks of the feed.
import { describe, expect, inject, it } from 'vitest';
import { openMirror } from '#src/app/mirror.ts';
import { loadConfig } from '#src/config/load.ts';
import { Report } from '#src/doctor/check.ts';
import { checkSinks } from '#src/doctor/sinks.ts';
import { createLog } from '#src/observability/log.ts';
import { startNats } from '../../harness/brokers.ts';
import { freePort, until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';

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
