// The page of a process that only receives, or whose database does not answer.
import { describe, expect, it } from 'vitest';
import { createReadApi } from '#src/api/operations.ts';
import { instantOf } from '#src/base/time.ts';
import { createDashboard } from '#src/addons/dashboard/dashboard.ts';
import { openTail } from '#src/feed/tail.ts';
import { processHealth } from '#src/read/health/process-health.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import { readingWithin } from '#src/store/reading/reading.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { processRow } from '../../../../../harness/data/process-row.ts';
import { expectGolden, readableText } from '../../../../../harness/golden.ts';
import { bearer, openAdmin } from '../../../../../harness/mirror/api-app.ts';
import { freshMemory } from '../../../../../harness/stores.ts';

const receiver = processRow({ role: 'receive', pid: 7, seen_at: instantOf(Date.now()), accepted: 12, refused: 1 });

interface PageOptions {
  readonly path?: string;
  readonly works?: boolean;
  readonly database?: 'answering' | 'unknown';
  readonly headers?: Readonly<Record<string, string>>;
}

async function pageOf(
  processes: readonly ProcessRow[],
  { path = '/', works = false, database = 'answering', headers = {} }: PageOptions = {},
) {
  const dashboard = createDashboard({ version: '0.0.0', timezone: () => 'UTC', clock: Date.now, report: () => {} });
  const status = async () => ({
    roles: { receives: true, works },
    started_at: '2026-01-01T00:00:00.000Z',
    host: 'one',
    pid: 7,
    queue: { engine: 'redis', waiting: 1, active: 0, delayed: 2, failed: 0 },
    disk_log: { waiting: 0, batches: 2, bytes: 100, losses: 0, is_full: false },
    processes,
    health: processHealth({
      nowMs: Date.now(),
      processes,
      database: works ? 'not answering' : database,
      isCalled: true,
    }),
  });
  const reads = async () => {
    const { store, ...made } = await freshMemory();
    await made[Symbol.asyncDispose]();
    return createReadApi({
      store,
      reading: readingWithin(store),
      tail: openTail({ lastSeq: async () => 0 }),
      screen: privacyScreen({ eraseOnDelete: true }),
      clock: Date.now,
      secret: 'signs page tokens',
      report: () => {},
    });
  };
  const { ask } = openAdmin({ status, pages: async () => dashboard, ...(works && { reads }) });
  const answer = await ask(path, { headers: { ...bearer, accept: 'text/html', ...headers } });
  return { status: answer.status, location: answer.headers.get('location'), html: await answer.text() };
}

const seen = { seen_at: instantOf(Date.now()) };
const worker = processRow({ ...seen, id: 'b', role: 'work', host: 'db-1' });
const earlier = { ...receiver, id: 'b', accepted: 77, started_at: '2025-01-01T00:00:00.000000Z' };
const elsewhere = { ...receiver, id: 'c', host: 'another', accepted: 78 };
const killed = processRow({ id: 'd', role: 'work', host: 'db-9' });
const failing = { ...receiver, queue: 'not answering' as const, spool_deliveries: 4 };

/** What reports to it, and how its page is asked for. */
const cases: Readonly<Record<string, Parameters<typeof pageOf>>> = {
  'with a worker': [[receiver, worker]],
  'after another machine, an earlier process and a worker that was killed': [[elsewhere, earlier, receiver, killed]],
  'without a worker': [[receiver]],
  'without a worker, and without a database': [[receiver], { database: 'unknown' }],
  'with problems': [[failing], { database: 'unknown' }],
  'without a worker, for another page': [[receiver], { path: '/deliveries' }],
  'that works, whose database does not answer': [[{ ...receiver, role: 'start' }], { works: true }],
};

describe('the page of a receiver', () => {
  it('reads as golden/process.txt', async () => {
    const parts = [];
    for (const [title, given] of Object.entries(cases)) {
      const { status, html } = await pageOf(...given);
      parts.push(`${title}: ${status}\n\n${readableText(html)}`);
    }
    await expectGolden(parts.join('\n\n'), 'golden/process.txt');
  });

  it('leads nowhere where only a worker has pages', async () => {
    expect((await pageOf([receiver, worker])).html).not.toMatch(/<nav|href="\/deliveries"|action="\/search"/);
    expect((await pageOf([{ ...receiver, role: 'start' }], { works: true })).html).toContain('href="/deliveries"');
  });

  it('sends those who look for the other pages to a worker, without the code of a login', async () => {
    const admin_url = 'http://127.0.0.1:8082';
    const processes = [receiver, { ...worker, host: receiver.host, pid: 8, admin_url }];
    const path = '/bookings/1?outcome=came&login=used';
    const sent = await pageOf(processes, { path });
    expect([sent.status, sent.location]).toEqual([302, `${admin_url}/bookings/1?outcome=came`]);
    const proxied = await pageOf(processes, { path, headers: { 'x-forwarded-for': '192.0.2.1' } });
    expect([proxied.status, proxied.html]).toEqual([404, expect.stringContaining(`href="${admin_url}"`)]);
  });
});
