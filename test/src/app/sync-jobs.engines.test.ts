// The periodic comparison in a running product: it waits for the first backfill.
import { describe, expect, it } from 'vitest';
import type { HealthCheck } from '#src/read/health/health-check.ts';
import { openStore } from '#src/store/open-store.ts';
import { readLease } from '#src/store/jobs/lease.ts';
import { readReconcileState } from '#src/store/jobs/reconcile-state.ts';
import { eventually } from '../../harness/moments.ts';
import { until } from '../../harness/ports.ts';
import { openHome, type Home } from '../../harness/product.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';

const world = { contacts: 12, bookings: 3, rateLimits: false, eventTypes: true };
const frequent = { RECONCILE_EVERY: '1s', SWEEP_EVERY: '1s', WATCH_EVERY: '1s' };

async function comparisons(home: Home) {
  await using store = await openStore({ report: () => {} }, home.store);
  return await readReconcileState(store);
}

async function hasRun(home: Home, job: string): Promise<boolean> {
  await using store = await openStore({ report: () => {} }, home.store);
  return (await readLease(store, { job, everyMs: 0 }, Date.now()))?.ranMs !== undefined;
}

describe('the periodic comparison', () => {
  it('begins after the first backfill, and finds no drift in what that copied', async () => {
    await using sandbox = await openTestSandbox(world);
    const { base_url: API_BASE_URL, tokens } = sandbox.handles;
    await using home = await openHome({ ...frequent, API_BASE_URL, API_TOKEN: tokens.owner });
    const product = await home.open('start');
    await until(
      () => product.output().includes('the mirror is compared with the service after the first backfill'),
      'the process says that it waits',
    );
    // Part of the copy is not the whole.
    expect((await home.run(['backfill', 'contacts'])).code).toBe(0);
    expect(await comparisons(home)).toEqual({});
    const waiting = await home.run(['doctor', '--json']);
    const findings = JSON.parse(waiting.out) as HealthCheck[];
    expect(findings.filter(({ id }) => id === 'drift')).toEqual([
      {
        id: 'drift',
        page: '/mirror/sync',
        state: 'warning',
        sentence: expect.stringContaining('first backfill has not completed'),
        fix: './bin/slotstream backfill',
      },
    ]);
    const looked = await home.run(['reconcile']);
    expect([looked.code, looked.out]).toEqual([3, expect.stringContaining('! The first backfill has not completed')]);

    expect((await home.run(['backfill'])).code).toBe(0);
    await until(async () => {
      const { recent, full } = await comparisons(home);
      return recent !== undefined && full !== undefined;
    }, 'recent changes and everything were compared');
    await eventually(async () => (await home.run(['doctor'])).out).toMatch(/✓ drift: /);
    expect(await comparisons(home)).toMatchObject({ recent: { drift: {} }, full: { drift: {} } });
    await until(() => hasRun(home, 'follow_up'), 'what changes without a webhook was read');
  });
});
