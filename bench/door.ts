// What questions to tables and views over HTTP cost: a month of bookings by host and outcome against the same SQL in this process, a page in
// a fast order, and what a hundred readers with the slowest question cost those who deliver.
import { setTimeout as wait } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { Agent, request } from 'undici';
import { startPostgres } from '../test/harness/postgres.ts';
import { bodies, request as deliveryOf } from './deliveries.ts';
import { median, medianFigure, percentile, type Figure, type Measurement } from './measure.ts';
import { sendRequests, startProduct, temporaryFolder, type RunningProduct } from './processes.ts';
import { fewBookings, fillMirror } from './reads-world.ts';

const manyBookings = 1_000_000;
const rounds = 5;
const meetings = 100_000;
const readers = 100;
const deliveriesPerSecond = 100;
const secondsOfLoad = 6;
/** The first seconds of a process are slow. */
const warmUpDeliveries = 3_000;

const monthOfBookings = ({ from, to }: Month) =>
  `bookings?start_time=gte.${from}&start_time=lt.${to}&select=host_name,outcome,count()`;
/** The same question in SQL, as an analyst would ask the file. */
const monthInSql = ({ from, to }: Month) => `select host_name, outcome, count(*) from bookings
  where start_time >= '${from}T00:00:00.000000Z' and start_time < '${to}T00:00:00.000000Z' group by host_name, outcome`;
/** Reads all bookings, with what is computed of each. */
const slowest = 'bookings?select=host_name,outcome,attendance,start_day,count()&order=count.desc&limit=1000';
const fastPages = [
  'bookings?order=start_time.desc&limit=50',
  'bookings?order=made_at.desc&limit=50',
  'invitees?order=created_at.desc&limit=50',
  'event_log?order=seq.desc&limit=50',
];

export const door: Measurement = {
  name: 'door',
  about: 'questions to tables and views over HTTP; without --quick, also with 1,000,000 bookings',
  async run({ quick = false } = {}) {
    const figures: Figure[] = [];
    await using postgres = await startPostgres({ durable: true });
    for (const engine of ['sqlite', 'postgres'] as const)
      for (const bookings of quick ? [fewBookings] : [fewBookings, manyBookings]) {
        using folder = temporaryFolder();
        const url = engine === 'sqlite' ? `sqlite:${folder.path}/mirror.db` : await postgres.createDatabase();
        await fillMirror(url, bookings);
        await using product = await startProduct('start', { DATA_DIR: folder.path, DATABASE_URL: url });
        const name = `door.${engine}_${bookings}`;
        if (engine === 'sqlite' && bookings === fewBookings) figures.push(...(await measureMonth(name, url, product)));
        figures.push(...(await measurePages(name, product)));
        if (bookings === fewBookings) figures.push(...(await measureReaders(name, product, `/api/tables/${slowest}`)));
      }
    figures.push(...(await measureMeetings()));
    return figures;
  },
};

interface Month {
  readonly from: string;
  readonly to: string;
}

async function measureMonth(name: string, url: string, product: RunningProduct): Promise<readonly Figure[]> {
  using file = openFile(url.slice('sqlite:'.length));
  const month = { from: dayBefore(60), to: dayBefore(30) };
  const question = monthOfBookings(month);
  const asked: number[] = [];
  const inSql: number[] = [];
  for (let round = -rounds; round < 5 * rounds; round += 1) {
    const http = await timed(() => ask(product, question));
    const sql = await timed(async () => void file.database.prepare(monthInSql(month)).all());
    if (round < 0) continue;
    asked.push(http);
    inSql.push(sql);
  }
  const ratios = asked.map((ms, round) => (ms - 5) / (inSql[round] ?? Number.NaN));
  return [
    { name: `${name}.month_ms`, value: median(asked), unit: 'ms' },
    { name: `${name}.month_sql_ms`, value: median(inSql), unit: 'ms' },
    medianFigure(`${name}.month_ratio_beyond_5_ms`, ratios, { limit: ['<=', 1.2] }),
  ];
}

async function measurePages(name: string, product: RunningProduct): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const page of fastPages) {
    const times: number[] = [];
    for (let round = -rounds; round < 10 * rounds; round += 1) {
      const ms = await timed(() => ask(product, page));
      if (round >= 0) times.push(ms);
    }
    figures.push({ name: `${name}.page_p50_ms (${page})`, value: median(times), unit: 'ms', limit: ['<=', 60] });
    figures.push({ name: `${name}.page_p95_ms (${page})`, value: percentile(times, 0.95), unit: 'ms' });
  }
  return figures;
}

/** The service's own list of meetings, of a mirror with 100,000 of them: alone, and for a hundred programs at once. */
async function measureMeetings(): Promise<readonly Figure[]> {
  using folder = temporaryFolder();
  const url = `sqlite:${folder.path}/mirror.db`;
  await fillMirror(url, meetings);
  await using product = await startProduct('start', { DATA_DIR: folder.path, DATABASE_URL: url });
  const organization = encodeURIComponent('https://api.scheduling.test/organizations/1');
  const list = `scheduled_events?organization=${organization}&count=100`;
  const name = `door.sqlite_${meetings}`;
  const alone: number[] = [];
  for (let round = -10; round < 200; round += 1) {
    const ms = await timed(() => askApi(product, list));
    if (round >= 0) alone.push(ms);
  }
  return [
    { name: `${name}.scheduled_events_p99_ms`, value: percentile(alone, 0.99), unit: 'ms', limit: ['<=', 30] },
    ...(await measureReaders(`${name}.scheduled_events`, product, `/api/${list}`)),
  ];
}

/** By turns without and with readers, each of whom asks again as soon as it is answered or refused. */
async function measureReaders(name: string, product: RunningProduct, path: string): Promise<readonly Figure[]> {
  const story = bodies(warmUpDeliveries + 2 * rounds * deliveriesPerSecond * secondsOfLoad, 31).map(deliveryOf);
  const { port } = product;
  let at = 0;
  const take = (some: number) => story.slice(at, (at += some));
  await sendRequests({ port, requests: take(warmUpDeliveries), connections: 32 });
  const load = async () => {
    const requests = take(deliveriesPerSecond * secondsOfLoad);
    const { latencies } = await sendRequests({ port, requests, connections: 32, perSecond: deliveriesPerSecond });
    return percentile(latencies, 0.99);
  };
  const quiet: number[] = [];
  const busy: number[] = [];
  const answers: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    quiet.push(await load());
    const stop = new AbortController();
    const asking = Array.from({ length: readers }, () => readUntil(stop.signal, product, { path, answers }));
    await wait(500);
    busy.push(await load());
    stop.abort();
    await Promise.all(asking);
    await wait(1_000);
  }
  const unit = 'ms';
  return [
    medianFigure(`${name}.ack_p99_ms`, quiet, { unit }),
    medianFigure(`${name}.ack_p99_with_${readers}_readers_ms`, busy, { unit }),
    medianFigure(
      `${name}.ack_p99_ratio`,
      busy.map((ms, round) => ms / (quiet[round] ?? Number.NaN)),
      {
        limit: ['<=', 1.2],
      },
    ),
    ...Object.entries(answers).map(([status, count]) => ({ name: `${name}.answers_${status}`, value: count })),
  ];
}

const headers = { authorization: 'Bearer bench-admin-token' };

async function readUntil(
  signal: AbortSignal,
  { adminPort }: RunningProduct,
  { path, answers }: { readonly path: string; readonly answers: Record<string, number> },
): Promise<void> {
  // A connection each, as a hundred people have.
  const agent = new Agent({ connections: 1, pipelining: 1 });
  while (!signal.aborted) {
    const answer = await request(`http://127.0.0.1:${adminPort}${path}`, { headers, dispatcher: agent }).catch(
      () => undefined,
    );
    await answer?.body.dump();
    if (answer !== undefined) answers[answer.statusCode] = (answers[answer.statusCode] ?? 0) + 1;
    if (answer?.statusCode !== 200) await wait(200);
  }
  await agent.close();
}

const ask = (product: RunningProduct, question: string): Promise<void> => askApi(product, `tables/${question}`);

async function askApi({ adminPort }: RunningProduct, path: string): Promise<void> {
  const answer = await request(`http://127.0.0.1:${adminPort}/api/${path}`, { headers });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answers ${answer.statusCode}: ${text}`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

function openFile(path: string): Disposable & { readonly database: Sqlite.Database } {
  const database = new Sqlite(path, { readonly: true });
  return { database, [Symbol.dispose]: () => void database.close() };
}
