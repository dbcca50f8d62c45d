// The page Now on every store: an empty installation, one at work, one with problems.
import { describe, expect, it } from 'vitest';
import type { Installation } from '#src/read/health/read-health.ts';
import { dayMs, hourMs, instantOf } from '#src/base/time.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { contactDelivery } from '../../../../../harness/data/contact-deliveries.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import { processRow } from '../../../../../harness/data/process-row.ts';
import { expectGolden, readPages } from '../../../../../harness/golden.ts';
import { ingest, oneEngine } from '../../../../../harness/stores.ts';
import { openDashboard } from '../../../../../harness/mirror/dashboard.ts';

const nowMs = Date.parse('2026-01-01T12:20:00Z');
const ago = (minutes: number): string => instantOf(nowMs - minutes * 60_000);
const installation = (given: Partial<ProcessRow>): Installation => ({
  processes: async () => [processRow({ seen_at: ago(0), started_at: ago(0), ...given })],
  queueEngine: 'redis',
  missingSettings: ['API_TOKEN'],
  recentEveryMs: hourMs,
  fullEveryMs: dayMs,
  jobPeriods: {},
});

const contact = contactDelivery({ id: 'one', version: 0 });
/** What the process reports, and what it has received just now. */
const cases: Readonly<Record<string, { readonly row: Partial<ProcessRow>; readonly bodies: readonly string[] }>> = {
  'with-nothing-yet': { row: {}, bodies: [] },
  'with-everything-well': { row: { accepted: 2, lag_p50_ms: 40, lag_p99_ms: 1_200 }, bodies: [contact] },
  'without-an-answer-of-the-queue': {
    row: { queue: 'not answering', queue_waiting: null, queue_active: null },
    bodies: [contact],
  },
  'with-problems': {
    row: { spool_deliveries: 2, spool_since: ago(20), queue_waiting: 3, queue_oldest_at: ago(20) },
    bodies: ['no JSON'],
  },
};

describe.each(oneEngine)('the page Now on $name', ({ available, fresh }) => {
  async function open({ row, bodies }: (typeof cases)[string]) {
    const dashboard = await openDashboard(fresh, { clock: () => nowMs, installation: installation(row) });
    const deliveries = bodies.map((body) => ({ body, receivedAt: ago(0) }));
    const screen = privacyScreen({ eraseOnDelete: true });
    await ingest({ store: dashboard.store, screen }, { v: 1, deliveries }, ago(0));
    return dashboard;
  }

  it.runIf(available).each(Object.entries(cases))('reads as golden/now-%s.txt', async (name, given) => {
    await using dashboard = await open(given);
    const text = await readPages(dashboard, ['/', '/?timezone=Europe/Berlin', '/?timezone=Nowhere']);
    await expectGolden(text.replaceAll('Store PostgreSQL', 'Store SQLite'), `golden/now-${name}.txt`);
  });

  it.runIf(available)('follows the log', async () => {
    await using empty = await open({ row: {}, bodies: [] });
    expect((await empty.page('/')).html).toContain('data-live data-seq="0"');
    await using well = await open({ row: {}, bodies: [contact] });
    expect((await well.page('/')).html).toMatch(
      /data-live data-seq="1"[^]*<tr data-key="1" data-href="\/deliveries\/1"/,
    );
  });
});
