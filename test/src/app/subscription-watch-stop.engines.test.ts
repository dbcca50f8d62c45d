// Stopping a process while its watch waits for the service.
import { expect, it } from 'vitest';
import { startSyncJobs } from '#src/app/sync-jobs.ts';
import { loadConfig } from '#src/config/load.ts';
import { createLog } from '#src/observability/log.ts';
import { createMetrics } from '#src/observability/metrics/registry.ts';
import { until } from '../../harness/ports.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';
import { freshSqlite } from '../../harness/stores.ts';
import { keyValue, readValue } from '#src/store/key-value.ts';
import { z } from 'zod';

const never = '99999d';

it('closing does not wait for a service that limits the rate of calls', { timeout: 30_000 }, async () => {
  await using sandbox = await openTestSandbox({ contacts: 1, bookings: 1, rateLimits: false });
  await using home = await freshSqlite();
  await sandbox.control('POST', '/faults', { rate_limit: 1 });
  const config = loadConfig({
    API_BASE_URL: sandbox.handles.base_url,
    API_TOKEN: sandbox.handles.tokens.owner,
    PUBLIC_URL: 'https://hooks.example.com',
    SIGNING_KEYS: 'a key that is long enough to be one',
    RECONCILE_EVERY: never,
    SWEEP_EVERY: never,
    WATCH_EVERY: '1s',
  });
  const lines: string[] = [];
  const log = createLog({ level: 'info', pretty: false, destination: { write: (line) => void lines.push(line) } });
  const { store } = home;
  const timers = startSyncJobs({
    config,
    store,
    log,
    holder: 'test',
    nowMs: Date.now,
    metrics: createMetrics(),
  });
  const lease = z.object({ holder: z.string().nullable() });
  await until(
    async () => (await readValue(store, keyValue('lease watch', lease)))?.holder != null,
    'the watch is under way',
  );
  await timers.close();
  expect(lines.filter((line) => !line.includes('after the first backfill'))).toEqual([]);
  expect(await readValue(store, keyValue('lease watch', lease))).toEqual({ holder: null });
});
