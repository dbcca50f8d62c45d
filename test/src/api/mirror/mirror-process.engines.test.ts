// Settings and sinks as pages show them: what this process has, on each store, and without secrets.
import { describe, expect, it } from 'vitest';
import { readSettings, readSinks } from '#src/api/mirror/mirror-process.ts';
import { loadConfig } from '#src/config/load.ts';
import { settings } from '#src/config/variables.ts';
import { setPosition } from '#src/store/log/consumer-offsets.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { testProcess } from '../../../harness/mirror/test-process.ts';
import { ingestBodies, oneEngine } from '../../../harness/stores.ts';

describe('the settings', () => {
  it('are all listed, and none of the secrets is in them, wherever it was given', () => {
    const secret = 'pa55word-Zq7-pa55word';
    const env: Record<string, string> = {
      ADMIN_READ_TOKEN: `${secret}-read`,
      MCP_TOKEN: `${secret}-mcp`,
      METRICS_TOKEN: `${secret}-metrics`,
      SIGNING_KEYS: `${secret},${secret}-old`,
      API_BASE_URL: 'https://api.example.com',
      OAUTH_CLIENT_ID: 'client',
      AUTH_URL: 'https://auth.example.com',
      ALERT_SLACK_TOKEN: `xoxb-${secret}`,
      ALERT_SLACK_APP_TOKEN: `xapp-${secret}`,
      ALERT_PAGERDUTY_KEY: 'Zq70123456789012345678901234567Z',
      ALERT_SMTP_URL: `smtps://me:${secret}@mail.example.com?from=me@example.com`,
      ALERT_EMAIL_TO: 'me@example.com',
      FEED_PUSH_SECRET: `${secret}-${secret}`,
      FEED_NATS_URL: `nats://${secret}@nats.example.com`,
      FEED_KAFKA_URL: `kafka://ada:${secret}@kafka.example.com`,
      DATABASE_URL: `postgres://me:${secret}@db.example.com/mirror`,
    };
    const own = ['ADMIN_TOKEN', 'API_TOKEN', 'OAUTH_CLIENT_SECRET', 'ALERT_NTFY_TOKEN', 'ALERT_WEBHOOK_SECRET'];
    const aws = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];
    for (const name of [...own, ...aws]) env[name] = secret;
    const channels = ['SLACK', 'TEAMS', 'DISCORD', 'NTFY', 'WEBHOOK'].map((name) => `ALERT_${name}_URL`);
    for (const name of [...channels, 'FEED_PUSH_URL']) env[name] = `https://hooks.example.com/${secret}`;
    for (const name of ['QUEUE_URL', 'FEED_STREAM_URL']) env[name] = `redis://:${secret}@redis.example.com`;
    // A secret that is added later has to be added here.
    const secrets = Object.entries(settings).filter(([, setting]) => 'secret' in setting);
    expect(secrets.map(([name]) => name).filter((name) => env[name] === undefined)).toEqual([]);
    const listed = readSettings({ process: testProcess({ settings: loadConfig(env).settings }) });
    expect(JSON.stringify(listed)).not.toContain('Zq7');
    expect(listed).toHaveLength(Object.keys(settings).length);
    expect(listed.find((each) => each.name === 'API_TOKEN')).toMatchObject({
      value: '••••••',
      source: 'environment',
      shown: 'hidden',
    });
  });

  it('are not there where only the store is served', () => {
    expect(() => readSettings({})).toThrow(expect.objectContaining({ status: 404 }));
  });
});

for (const { name, available, fresh } of oneEngine)
  describe.runIf(available)(`the sinks on ${name}`, () => {
    it('are listed with their host and how far behind they are, also one that is no longer configured', async () => {
      const process = testProcess();
      await using api = await openReadApi(fresh, { process });
      await ingestBodies(api.store, ['1', '2', '3']);
      const updated_at = '2025-04-14T12:00:00.000000Z';
      await api.store.transaction(async (unit) => {
        await setPosition(unit, { name: 'sink:webhook', position: 1, updated_at });
        await setPosition(unit, { name: 'sink:redis-stream', position: 2, updated_at });
        await setPosition(unit, { name: 'mine', position: 2, updated_at });
      });
      expect(await readSinks(api.context)).toEqual([
        { ...(await process.sinks())[0], updated_at },
        expect.objectContaining({ name: 'redis-stream', state: 'off', position: 2, behind: 1, host: null, updated_at }),
      ]);
    });
  });
