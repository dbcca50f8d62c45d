// How long people wait for what they read, on SQLite and on PostgreSQL, with 30,000 and with 1,000,000 bookings: views and pages that read
// many bookings against a plain scan of them, the other pages in milliseconds, how large a page is, and what the pages cost in memory.
//
// The plain scan counts, inside the database, the starts and no-shows of all invitees joined with their meetings. It alternates with what
// is held against it. SQLite works in the process that reads, so its processor time is compared; of PostgreSQL, the time that passes.
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { request } from 'undici';
import { findPages } from '../test/harness/mirror/every-page.ts';
import { startPostgres } from '../test/harness/postgres.ts';
import { idleUsage, residentMb } from './cpu.ts';
import { median, medianFigure, percentile, type Figure, type Measurement } from './measure.ts';
import { connect } from './mirror.ts';
import { startProduct, temporaryFolder, type RunningProduct } from './processes.ts';
import { fewBookings, fillMirror } from './reads-world.ts';

const manyBookings = 1_000_000;
const requests = 200;
const warmUp = 20;
const settleMs = 5_000;

const plainScan = `select count(*), count(start_time), count(no_show_at)
  from invitees join scheduled_events on scheduled_events.uri = invitees.event_uri`;
/** At most so many times as long as the plain scan. */
const heldAgainstScan = {
  'select * from no_show_rate': 6,
  'select * from bookings_daily': 4,
  '/numbers?days=365': 6,
  '/bookings?outcome=came': 1,
} as const;
/** At most so many milliseconds; SQLite takes longer for the custom fields, without a limit. */
const heldToMs = {
  'select * from bookings limit 50': () => 50,
  'select * from contacts_wide': (bookings: number, isSqlite: boolean) => (isSqlite ? undefined : bookings / 100),
};
const openedOften = [
  '/',
  '/deliveries',
  '/deliveries?event=invitee.canceled',
  '/deliveries?outcome=quarantined',
  '/deliveries?address=person7@example.test',
  '/deliveries?q=xylophone',
  '/contacts?name=Ada+Costa',
  '/contacts?name=ost',
  '/contacts?name=os',
  '/contacts?company=Company+7&country=DE&order=updated_at.desc',
  '/contacts?name=no+such+name',
  '/search?q=Ada+Costa',
  '/search?q=ost',
];

export const reads: Measurement = {
  name: 'reads',
  about: 'views and pages on SQLite and PostgreSQL with 30,000 bookings; without --quick, with 1,000,000 as well',
  async run({ quick = false } = {}) {
    const figures: Figure[] = [];
    for (const bookings of quick ? [fewBookings] : [fewBookings, manyBookings]) {
      await using postgres = await startPostgres({ durable: true });
      for (const engine of ['sqlite', 'postgres']) {
        // The embedded queue in it belongs to one mirror.
        using folder = temporaryFolder();
        const url = engine === 'sqlite' ? `sqlite:${folder.path}/mirror.db` : await postgres.createDatabase();
        await fillMirror(url, bookings);
        for await (const figure of measureReads({ url, bookings, folder: folder.path })) figures.push(figure);
      }
    }
    return figures;
  },
};

interface FilledMirror {
  readonly url: string;
  readonly bookings: number;
  /** For a `start` on it. */
  readonly folder: string;
}

export async function* measureReads({ url, bookings, folder }: FilledMirror): AsyncGenerator<Figure> {
  const isSqlite = url.startsWith('sqlite:');
  const name = `reads.${isSqlite ? 'sqlite' : 'postgres'}_${bookings}`;
  await using database = isSqlite ? openFile(url.slice('sqlite:'.length)) : await connect(url);
  await using product = await startProduct('start', { DATA_DIR: folder, DATABASE_URL: url });
  await wait(settleMs);
  yield { name: `${name}_rss_started_mb`, value: residentMb(product.pid), unit: 'MB' };
  const rounds = bookings > fewBookings ? 3 : 7;
  const run = (read: string): Promise<unknown> =>
    read.startsWith('/') ? openPage(product, read) : database.rows(read);
  const costOf = async (read: string): Promise<number> => {
    if (!isSqlite) return wallMs(() => run(read));
    const pid = read.startsWith('/') ? product.pid : process.pid;
    const before = processorMs(pid);
    await run(read);
    return processorMs(pid) - before;
  };
  for (const [read, limit] of Object.entries(heldAgainstScan)) {
    const costs = await repeat(rounds, async () => ({ scan: await costOf(plainScan), read: await costOf(read) }));
    const ratios = costs.map((cost) => cost.read / cost.scan);
    yield { name: `${name}_scan_ms`, value: median(costs.map(({ scan }) => scan)), unit: 'ms' };
    yield { name: `${name}_ms (${read})`, value: median(costs.map((cost) => cost.read)), unit: 'ms' };
    yield medianFigure(`${name}_ratio (${read})`, ratios, { limit: ['<=', limit] });
  }
  for (const [read, limitOf] of Object.entries(heldToMs)) {
    const times = await repeat(rounds, () => wallMs(() => run(read)));
    const limit = limitOf(bookings, isSqlite);
    yield medianFigure(`${name}_ms (${read})`, times, { unit: 'ms', ...(limit && { limit: ['<=', limit] }) });
  }
  for (const address of openedOften) {
    const times = (await repeat(warmUp + requests, () => wallMs(() => run(address)))).slice(warmUp);
    yield { name: `${name}_p50_ms (${address})`, value: median(times), unit: 'ms' };
    yield { name: `${name}_p99_ms (${address})`, value: percentile(times, 0.99), limit: ['<=', 100], unit: 'ms' };
  }
  // The others once: they only have to be bearable.
  const { addresses } = await findPages(async (address) => (await openPage(product, address)).text);
  for (const address of addresses)
    yield { name: `${name}_once_ms (${address})`, value: await wallMs(() => run(address)), unit: 'ms' };
  yield { name: `${name}_rss_opened_mb`, value: residentMb(product.pid), unit: 'MB' };
  // As a browser gets them.
  const { bytes, text } = await openPage(product, '/');
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(text) ?? [];
  yield { name: `${name}_first_page_kb`, value: bytes.length / 1_000, limit: ['<=', 60], unit: 'kB' };
  yield { name: `${name}_script_kb`, value: gzipSync(script).length / 1_000, limit: ['<=', 5], unit: 'kB' };
}

async function repeat<Result>(times: number, work: () => Promise<Result>): Promise<readonly Result[]> {
  const results: Result[] = [];
  while (results.length < times) results.push(await work());
  return results;
}

async function wallMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function openFile(path: string) {
  const database = new Sqlite(path, { readonly: true });
  return {
    rows: async (text: string) => database.prepare(text).all(),
    [Symbol.asyncDispose]: async () => void database.close(),
  };
}

function processorMs(pid: number): number {
  if (pid !== process.pid) return idleUsage(pid).cpuSeconds * 1_000;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const headers = { authorization: 'Bearer bench-admin-token', accept: 'text/html', 'accept-encoding': 'gzip' };

async function openPage(product: RunningProduct, address: string) {
  const answer = await request(`http://127.0.0.1:${product.adminPort}${address}`, { headers });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  if (answer.statusCode >= 500) throw new Error(`${address} answers ${answer.statusCode}.`);
  const isCompressed = answer.headers['content-encoding'] === 'gzip';
  return { bytes, text: (isCompressed ? gunzipSync(bytes) : bytes).toString() };
}
