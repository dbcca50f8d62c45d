// The page of a process that only receives, or whose database does not answer.
import { describe, expect, it } from 'vitest';
import { createReadApi } from '#src/api/operations.ts';
import { instantOf } from '#src/base/time.ts';
import { createDashboard } from '#src/dashboard/dashboard.ts';
import { openTail } from '#src/feed/tail.ts';
import { processHealth } from '#src/read/health/process-health.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { processRow } from '../../../../harness/data/process-row.ts';
import { bearer, openAdmin } from '../../../../harness/mirror/api-app.ts';
import { freshMemory } from '../../../../harness/stores.ts';

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
  const dashboard = createDashboard({ version: '0.0.0', timezone: 'UTC', clock: Date.now, report: () => {} });
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
  const { store, ...made } = await freshMemory();
  await made[Symbol.asyncDispose]();
  const reads = async () =>
    createReadApi({
      store,
      tail: openTail({ lastSeq: async () => 0 }),
      screen: privacyScreen({ eraseOnDelete: true }),
      clock: Date.now,
      secret: 'signs page tokens',
      report: () => {},
    });
  const { ask } = openAdmin({ status, pages: async () => dashboard, ...(works && { reads }) });
  const answer = await ask(path, { headers: { ...bearer, accept: 'text/html', ...headers } });
  return { status: answer.status, location: answer.headers.get('location'), html: await answer.text() };
}

describe('the page of a receiver', () => {
  it('shows what it knows of itself, and which process has the tables', async () => {
    const worker = processRow({ id: 'b', role: 'work', host: 'db-1', seen_at: instantOf(Date.now()) });
    const { status, html } = await pageOf([receiver, worker]);
    expect(status).toBe(200);
    expect(html).toContain('<h1 class="verdict ok">Everything works.</h1>');
    expect(html).toContain('It has no tables.');
    expect(html).not.toMatch(/<nav|href="\/deliveries"|action="\/search"/);
    expect(html).toMatch(/work on <bdi>db-1<\/bdi>: <a href="http:\/\/127.0.0.1:8081"/);
    for (const text of ['3 batches', '2 batches', '0 deliveries']) expect(html).toContain(`<dd>${text}</dd>`);
  });

  it('shows no number of another machine or of an earlier process, and no worker that was killed', async () => {
    const earlier = { ...receiver, id: 'b', accepted: 77, started_at: '2025-01-01T00:00:00.000000Z' };
    const killed = processRow({ id: 'd', role: 'work', host: 'db-9' });
    const { html } = await pageOf([{ ...receiver, id: 'c', host: 'another', accepted: 78 }, earlier, receiver, killed]);
    expect(html).toContain('<dd>12</dd>');
    expect(html).not.toContain('<bdi>db-9</bdi>');
  });

  it('says where to look when no worker reports to it', async () => {
    expect((await pageOf([receiver])).html).toContain('No worker runs: deliveries wait in the queue.');
    const { html } = await pageOf([receiver], { database: 'unknown' });
    expect(html).toContain('<h1 class="verdict ok">Everything works.</h1>');
    expect(html).toContain('A worker has the tables.');
  });

  it('names its problems', async () => {
    const { html } = await pageOf([{ ...receiver, queue: 'not answering', spool_deliveries: 4 }], {
      database: 'unknown',
    });
    expect(html).toContain('<h1 class="verdict problem">2 things need you.</h1>');
    expect(html).toContain('The queue does not answer.');
  });

  it('sends those who look for the other pages to a worker, without the code of a login', async () => {
    const worker = processRow({
      id: 'b',
      role: 'work',
      pid: 8,
      seen_at: instantOf(Date.now()),
      admin_url: 'http://127.0.0.1:8082',
    });
    const path = '/bookings/1?outcome=held&login=used';
    expect(await pageOf([receiver, worker], { path })).toMatchObject({
      status: 302,
      location: 'http://127.0.0.1:8082/bookings/1?outcome=held',
    });
    const proxied = await pageOf([receiver, worker], { path, headers: { 'x-forwarded-for': '192.0.2.1' } });
    expect([proxied.status, proxied.html]).toEqual([404, expect.stringContaining('href="http://127.0.0.1:8082"')]);
  });

  it('says that another page is not here when no worker is known', async () => {
    const { status, html } = await pageOf([receiver], { path: '/deliveries' });
    expect([status, html]).toEqual([404, expect.stringContaining('A worker has the tables.')]);
  });

  it('of a worker says that its database does not answer', async () => {
    const { status, html } = await pageOf([{ ...receiver, role: 'start' }], { works: true });
    expect([status, html]).toEqual([503, expect.stringContaining('The database does not answer.')]);
    expect(html).not.toContain('It has no tables.');
    expect(html).toContain('href="/deliveries"');
  });
});
