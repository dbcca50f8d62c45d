// Settings, sinks and queue jobs over HTTP: what this process has, on each queue and each store, and without secrets.
import { describe, expect, it } from 'vitest';
import { listQueueJobs, recoverQueueJobs } from '#src/api/mirror/queue-jobs.ts';
import { listSettings } from '#src/api/mirror/settings.ts';
import { listSinks } from '#src/api/mirror/sinks.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { loadConfig } from '#src/config/load.ts';
import { settings } from '#src/config/variables.ts';
import { answerSchema, type Operation } from '#src/http/operation.ts';
import { setPosition } from '#src/store/log/consumer-offsets.ts';
import { until } from '../../../harness/ports.ts';
import { bearer, readToken } from '../../../harness/mirror/api-app.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { testProcess } from '../../../harness/mirror/test-process.ts';
import { freshSqlite, ingestBodies, storeEngines } from '../../../harness/stores.ts';
import { batchOf, locations, open } from '../../queue/backends/queue-locations.ts';

const parse = (operation: Operation, body: unknown) => answerSchema(operation)?.parse(body);

describe('the settings over HTTP', () => {
  it('are all listed, and none of the secrets is in the answer, wherever it was given', async () => {
    const secret = 'pa55word-Zq7-pa55word';
    const env: Record<string, string> = {
      DATABASE_URL: `postgres://me:${secret}@db.example.com/mirror`,
      QUEUE_URL: `redis://:${secret}@cache.example.com`,
      ADMIN_TOKEN: secret,
      ADMIN_READ_TOKEN: `${secret}-read`,
      MCP_TOKEN: `${secret}-mcp`,
      METRICS_TOKEN: `${secret}-metrics`,
      SIGNING_KEYS: `${secret},${secret}-old`,
      API_TOKEN: secret,
      API_BASE_URL: 'https://api.example.com',
      OAUTH_CLIENT_ID: 'client',
      OAUTH_CLIENT_SECRET: secret,
      AUTH_URL: 'https://auth.example.com',
      ALERT_SLACK_URL: `https://hooks.example.com/${secret}`,
      ALERT_TEAMS_URL: `https://teams.example.com/${secret}`,
      ALERT_DISCORD_URL: `https://discord.example.com/${secret}`,
      ALERT_PAGERDUTY_KEY: 'Zq70123456789012345678901234567Z',
      ALERT_NTFY_URL: `https://ntfy.example.com/${secret}`,
      ALERT_NTFY_TOKEN: secret,
      ALERT_WEBHOOK_URL: `https://hooks.example.com/${secret}`,
      ALERT_WEBHOOK_SECRET: secret,
      ALERT_SMTP_URL: `smtps://me:${secret}@mail.example.com?from=me@example.com`,
      ALERT_EMAIL_TO: 'me@example.com',
      FEED_PUSH_URL: `https://push.example.com/${secret}`,
      FEED_PUSH_SECRET: `${secret}-${secret}`,
      AWS_ACCESS_KEY_ID: secret,
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_SESSION_TOKEN: secret,
      FEED_STREAM_URL: `redis://:${secret}@stream.example.com`,
      FEED_NATS_URL: `nats://${secret}@nats.example.com`,
      FEED_KAFKA_URL: `kafka://ada:${secret}@kafka.example.com`,
    };
    // A secret that is added later has to be added here.
    const secrets = Object.entries(settings).filter(([, setting]) => 'secret' in setting);
    expect(secrets.map(([name]) => name).filter((name) => env[name] === undefined)).toEqual([]);
    await using api = await openReadApi(freshSqlite, { process: testProcess({ settings: loadConfig(env).settings }) });
    const answer = await api.fetch('/api/settings');
    const text = await answer.text();
    expect(text).not.toContain('Zq7');
    const body = JSON.parse(text);
    parse(listSettings, body);
    expect(body.collection).toHaveLength(Object.keys(settings).length);
    expect(body.collection.find((each: { name: string }) => each.name === 'API_TOKEN')).toMatchObject({
      value: '••••••',
      source: 'environment',
      shown: 'hidden',
    });
  });

  it('are not there where only the store is served', async () => {
    await using api = await openReadApi(freshSqlite);
    expect((await api.get('/api/settings')).status).toBe(404);
  });
});

for (const { name, available, fresh } of storeEngines)
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
      const { body } = await api.get('/api/sinks');
      parse(listSinks, body);
      expect(body.collection).toEqual([
        { ...(await process.sinks())[0], updated_at },
        expect.objectContaining({ name: 'redis-stream', state: 'off', position: 2, behind: 1, host: null, updated_at }),
      ]);
    });
  });

describe.each(['embedded', 'postgres', 'redis'] as const)('the jobs of the queue on %s', (backend) => {
  it('are listed by state with age, attempts and last error; failed ones are recovered on request', async () => {
    const queue = await open(await locations[backend]());
    await using api = await openReadApi(freshSqlite, { process: testProcess({ queue }) });
    await queue.add(batchOf('a', 'b'));
    const { body } = await api.get('/api/queue/jobs');
    parse(listQueueJobs, body);
    expect(body).toMatchObject({ engine: backend, depth: { waiting: 1, active: 0, delayed: 0, failed: 0 } });
    expect(body.collection).toMatchObject([
      { state: 'waiting', deliveries: 2, attempts: 0, last_error: null, due_at: null },
    ]);
    expect(body.collection[0].age_seconds).toBeLessThan(60);
    let tries = 0;
    const down = async (): Promise<never> => {
      tries += 1;
      throw new SlotstreamError('store_unavailable', 'The store of person@example.com is down.');
    };
    queue.work(down, async () => {}, { concurrency: 1 });
    await until(() => tries > 2, 'it was tried');
    const delayed = () => api.get('/api/queue/jobs?state=delayed&limit=1');
    await until(async () => (await delayed()).body.collection.length === 1, 'it is delayed');
    expect((await delayed()).body.collection[0]).toMatchObject({ state: 'delayed', last_error: 'store_unavailable' });
    expect((await api.get('/api/queue/jobs?state=lost')).status).toBe(400);
    expect((await api.get('/api/queue/jobs?limit=51')).status).toBe(400);
    const recovered = await api.post('/api/queue/recover');
    parse(recoverQueueJobs, recovered.body);
    expect(recovered).toEqual({ status: 200, body: { failed_before: 0, failed_after: 0 } });
    expect(api.heard.acted).toEqual(['recoverQueueJobs']);
    const refused = await api.admin.ask('/api/queue/recover', {
      method: 'POST',
      headers: { ...bearer, authorization: `Bearer ${readToken}` },
    });
    expect(refused.status).toBe(403);
    await queue.close();
  });
});
