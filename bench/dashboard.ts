// The dashboard on a mirror with a million log entries and 100,000 contacts, on SQLite and on PostgreSQL: how long the server takes for
// the first page, for the deliveries with each filter and for a search of contacts, how large a page is, and what the pages cost in
// memory.
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { request } from 'undici';
import { dayMs } from '#src/base/time.ts';
import { findPages } from '../test/harness/mirror/every-page.ts';
import { residentMb } from './cpu.ts';
import { fillMirror, logEntries } from './dashboard-world.ts';
import { median, percentile, type Figure, type Measurement } from './measure.ts';
import { startServers } from './mirror.ts';
import { startProduct, temporaryFolder, type RunningProduct } from './processes.ts';

const requests = 200;
const warmUp = 20;
const settleMs = 5_000;
const limitMs = 100;

export const dashboard: Measurement = {
  name: 'dashboard',
  about: `pages of the dashboard with ${logEntries} log entries on SQLite and PostgreSQL, ${requests} requests each`,
  async run() {
    using folder = temporaryFolder();
    await fillMirror(`sqlite:${folder.path}/mirror.db`, Date.now());
    const figures = [...(await measureDashboard('sqlite', { DATA_DIR: folder.path }))];
    await using servers = await startServers();
    using other = temporaryFolder();
    const url = await servers.postgres.createDatabase();
    await fillMirror(url, Date.now());
    figures.push(...(await measureDashboard('postgres', { DATA_DIR: other.path, DATABASE_URL: url })));
    return figures;
  },
};

/** Measures a `start` on a mirror that is filled. */
async function measureDashboard(engine: string, env: Readonly<Record<string, string>>): Promise<readonly Figure[]> {
  await using product = await startProduct('start', env);
  await wait(settleMs);
  const startedMb = residentMb(product.pid);
  const read = async (address: string) => (await openPage(product, address)).text;
  const { addresses } = await findPages(read);
  const openedMb = residentMb(product.pid);
  const figures: Figure[] = [
    { name: `dashboard.${engine}_rss_started_mb`, value: startedMb, unit: 'MB' },
    { name: `dashboard.${engine}_rss_opened_mb`, value: openedMb, unit: 'MB' },
  ];
  if (engine === 'sqlite') figures.push(...(await sizes(product)));
  const searches = [...(await filtersOf(product)), ...(await contactSearches(product))];
  for (const [name, address] of [['now', '/'], ...searches] as const) {
    const times: number[] = [];
    for (let n = -warmUp; n < requests; n += 1) {
      const { ms, status } = await openPage(product, address);
      if (status !== 200) throw new Error(`${address} answers ${status}.`);
      if (n >= 0) times.push(ms);
    }
    figures.push(
      { name: `dashboard.${engine}_p50_ms (${name})`, value: median(times), unit: 'ms' },
      {
        name: `dashboard.${engine}_p99_ms (${name})`,
        value: percentile(times, 0.99),
        limit: ['<=', limitMs],
        unit: 'ms',
      },
    );
  }
  // The others once: they only have to be bearable.
  for (const address of addresses.filter((one) => one !== '/' && one !== '/deliveries')) {
    const { ms } = await openPage(product, address);
    figures.push({ name: `dashboard.${engine}_ms (${new URL(address, 'http://x').pathname})`, value: ms, unit: 'ms' });
  }
  return figures;
}

/** The deliveries with each filter: what matches much, little and nothing. */
async function filtersOf(product: RunningProduct): Promise<readonly (readonly [string, string])[]> {
  const { text } = await openPage(product, '/api/deliveries?event=invitee.created&count=1');
  const { collection } = JSON.parse(text) as { collection: readonly { subject_uri: string; delivery_id: string }[] };
  const [{ subject_uri: subject, delivery_id: id } = { subject_uri: '', delivery_id: '' }] = collection;
  const { text: whole } = await openPage(product, `/api/deliveries/${id}`);
  const address = (JSON.parse(JSON.parse(whole).resource.body) as { payload: { email: string } }).payload.email;
  const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
  const queries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'no filter': {},
    event: { event: 'invitee.canceled' },
    'event of a family': { event: 'invitee.*' },
    'event that never happened': { event: 'no.such_event' },
    'outcome applied': { outcome: 'applied' },
    'outcome quarantined': { outcome: 'quarantined' },
    'outcome that never happened': { outcome: 'tombstoned' },
    'source that never was': { source: 'reconcile' },
    subject: { subject },
    address: { address },
    'unknown address': { address: 'no.one@example.test' },
    time: { min_received_at: daysAgo(50), max_received_at: daysAgo(49) },
    text: { q: 'Pricing' },
    'text that occurs nowhere': { q: 'xylophone' },
    'time and a text that occurs nowhere': { min_received_at: daysAgo(1), q: 'xylophone' },
    'outcome and text': { outcome: 'quarantined', q: 'xylophone' },
  };
  return Object.entries(queries).map(([name, query]) => [
    `deliveries, ${name}`,
    `/deliveries?${new URLSearchParams(query)}`,
  ]);
}

/** Put together from what one contact says: what matches much, little and nothing. */
async function contactSearches(product: RunningProduct): Promise<readonly (readonly [string, string])[]> {
  const { text } = await openPage(product, '/api/contacts?count=1');
  const { collection } = JSON.parse(text) as { collection: readonly Readonly<Record<string, string | null>>[] };
  const [{ name, company, country } = {}] = collection;
  const queries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    name: { name: name ?? '' },
    'part of a name': { name: name?.slice(1, 4) ?? '' },
    'two letters': { name: name?.slice(1, 3) ?? '' },
    'company and country': { company: company?.slice(0, 5) ?? '', country: country ?? '', sort: 'updated_at:desc' },
    'no match': { name: 'no such name' },
  };
  return Object.entries(queries).map(([kind, query]) => [
    `contacts, ${kind}`,
    `/api/contacts?${new URLSearchParams(query)}`,
  ]);
}

/** The first page and the script in it, compressed as a browser gets them. */
async function sizes(product: RunningProduct): Promise<readonly Figure[]> {
  const { bytes, text } = await openPage(product, '/');
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(text) ?? [];
  return [
    { name: 'dashboard.first_page_kb', value: bytes.length / 1_000, limit: ['<=', 60], unit: 'kB' },
    { name: 'dashboard.script_kb', value: gzipSync(script).length / 1_000, limit: ['<=', 5], unit: 'kB' },
  ];
}

const headers = { authorization: 'Bearer bench-admin-token', accept: 'text/html', 'accept-encoding': 'gzip' };

async function openPage(product: RunningProduct, address: string) {
  const startedAt = performance.now();
  const answer = await request(`http://127.0.0.1:${product.adminPort}${address}`, { headers });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  const ms = performance.now() - startedAt;
  if (answer.statusCode >= 500) throw new Error(`${address} answers ${answer.statusCode}.`);
  const isCompressed = answer.headers['content-encoding'] === 'gzip';
  return { ms, status: answer.statusCode, bytes, text: (isCompressed ? gunzipSync(bytes) : bytes).toString() };
}
