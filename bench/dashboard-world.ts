// A mirror that has run for a hundred days with 10,000 deliveries a day: the first day goes through the product, and SQL copies its log
// entries and contacts to the days after it, and its other rows to the last of them.
import Sqlite from 'better-sqlite3';
import { Kysely, PostgresDialect, sql, SqliteDialect, type RawBuilder } from 'kysely';
import pg from 'pg';
import { dayMs, instantOf } from '#src/base/time.ts';
import { openStore } from '#src/store/open-store.ts';
import { catchUpContactSearch, useContactSearch } from '#src/store/contact-search/contact-follower.ts';
import { tables, type TableName } from '#src/store/tables.ts';
import { makeBodies } from './deliveries.ts';
import { ingestAll } from './project.ts';

const days = 100;
const perDay = 10_000;
/** Only the last days have rows as well: about 100,000 bookings. Contacts are copied to all days: 100,000 or more. */
const daysWithRows = 30;
export const logEntries = days * perDay;

/** Each day has its own of these; hosts, event types and forms are the same on all days. */
const dailyResources =
  /api(\.scheduling\.test\/(?:scheduled_events|contacts|routing_form_submissions|meeting_recaps)\/)/g;
const copiedTables = [
  'contacts',
  'contact_emails',
  'contact_phone_numbers',
  'invitees',
  'no_shows',
  'scheduled_events',
  'meeting_recaps',
  'routing_form_submissions',
] as const satisfies readonly TableName[];

/** Fills an empty store; the last of the hundred days ends at `nowMs`. */
export async function fillMirror(url: string, nowMs: number): Promise<void> {
  const startMs = nowMs - days * dayMs;
  const stepMs = dayMs / perDay;
  const firstDay = makeBodies(perDay, 16, { startMs, stepMs }).map((body, at) =>
    unusual(at, body.replaceAll(dailyResources, 'day0$1').replaceAll('@example.test', '@day0.example.test')),
  );
  const receivedAt = new Map(firstDay.map((body, at) => [body, instantOf(startMs + at * stepMs + 1_500)]));
  await ingestAll(url, firstDay, (body) => receivedAt.get(body) ?? instantOf(startMs));
  await copyDays(url);
  await using store = await openStore({ report: () => {} }, url);
  await useContactSearch(store);
  await catchUpContactSearch(store, { atOnce: 2_000 });
  if (store.engine.name === 'postgres') await sql`vacuum analyze`.execute(store.db);
}

async function copyDays(url: string): Promise<void> {
  await using target = await openTarget(url);
  const { db } = target;
  const { rows } = await sql<{ seq: number }>`select max(seq) as seq from event_log`.execute(db);
  const perCopy = Number(rows[0]?.seq);
  for (let day = 1; day < days; day += 1) await copyDay(target, { day, perCopy });
  if (!target.isSqlite)
    await sql`select setval(pg_get_serial_sequence('event_log', 'seq'), ${sql.lit(days * perCopy)})`.execute(db);
}

interface Target extends AsyncDisposable {
  readonly db: Kysely<unknown>;
  readonly isSqlite: boolean;
}

/** A connection of its own: SQLite writes each page once, without a journal, and syncs nothing. */
async function openTarget(url: string): Promise<Target> {
  const isSqlite = url.startsWith('sqlite:');
  if (!isSqlite) {
    const pool = new pg.Pool({ connectionString: url, max: 1, options: '-c synchronous_commit=off' });
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    return { db, isSqlite, [Symbol.asyncDispose]: () => db.destroy() };
  }
  const database = new Sqlite(url.slice('sqlite:'.length));
  for (const setting of ['journal_mode = off', 'synchronous = off', 'locking_mode = exclusive', 'cache_size = -400000'])
    database.pragma(setting);
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  return { db, isSqlite, [Symbol.asyncDispose]: () => db.destroy() };
}

/** One of 500 deliveries is damaged, one of 200 is of a kind that is not known. */
function unusual(at: number, body: string): string {
  if (at % 500 === 7) return body.replace('"payload":{', '"payload":{"uri":7,"before":{').replace(/\}$/, '}}');
  return at % 200 === 11 ? body.replace(/"event":"\w+\./, '"event":"webinar.') : body;
}

interface Copy {
  readonly day: number;
  /** Log entries of a day. */
  readonly perCopy: number;
}

async function copyDay(target: Target, { day, perCopy }: Copy): Promise<void> {
  const entry = {
    seq: sql`seq + ${sql.lit(day * perCopy)}`,
    delivery_id: sql`substr(delivery_id, 1, 52) || ${sql.lit(day.toString(16).padStart(12, '0'))}`,
  };
  await copyRows(target, 'event_log', { day, changed: entry, which: sql`seq <= ${sql.lit(perCopy)} order by seq` });
  const isRecent = day >= days - daysWithRows;
  for (const table of copiedTables.filter((name) => isRecent || name.startsWith('contact')))
    await copyRows(target, table, { day, changed: {}, which: sql`${sql.ref(keyOf(table))} like 'https://day0.%'` });
}

const keyOf = (table: TableName): string => tables[table].key.find((column) => column.endsWith('uri')) ?? '';

interface Rows {
  readonly day: number;
  readonly changed: Readonly<Record<string, RawBuilder<unknown>>>;
  readonly which: RawBuilder<unknown>;
}

/** The rows of the first day once more: times are later by so many days, and addresses and URIs name the day. */
async function copyRows({ db, isSqlite }: Target, table: TableName, { day, changed, which }: Rows): Promise<void> {
  const kinds = Object.entries(tables[table].columns);
  const renamed = (text: RawBuilder<unknown>) => sql`replace(${text}, 'day0', ${sql.lit(`day${day}`)})`;
  const values = kinds.map(([name, kind]) => {
    const column = sql.ref(name);
    if (changed[name]) return changed[name];
    if (kind === 'time' && isSqlite)
      return sql`strftime('%Y-%m-%dT%H:%M:%f000Z', ${column}, ${sql.lit(`+${day} days`)})`;
    if (kind === 'time') return sql`${column} + ${sql.lit(`${day} days`)}::interval`;
    if (kind === 'text') return renamed(column);
    if (kind === 'json') return isSqlite ? renamed(column) : sql`${renamed(sql`${column}::text`)}::jsonb`;
    return column;
  });
  await sql`insert into ${sql.table(table)} (${sql.join(kinds.map(([name]) => sql.ref(name)))})
    select ${sql.join(values)} from ${sql.table(table)} where ${which}`.execute(db);
}
