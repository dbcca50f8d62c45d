// Submissions of routing forms: the conditions by which they are searched, and rows of the view `routing_form_results`, which says what became
// of each.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { dayMs, instantOf } from '#src/base/time.ts';
import { rangeOf } from '#src/read/day-range.ts';
import type { Readable, ReadableMirror } from '#src/store/contract.ts';
import { readColumns } from '#src/store/rows.ts';
import type { SqlDialect } from '#src/store/sql-dialect.ts';
import type { utmColumns } from '#src/store/schema/tables.ts';

type Condition = RawBuilder<SqlBool>;

export interface SubmissionSearch extends Partial<Readonly<Record<(typeof utmColumns)[number], string | undefined>>> {
  readonly routing_form?: string | undefined;
  readonly result_type?: string | undefined;
  readonly booked?: boolean | undefined;
  /** From this time on, until before the other. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** `where` has an index, `filters` have none. */
export function submissionConditions(dialect: SqlDialect, { from, to, booked, ...texts }: SubmissionSearch) {
  const isBooked = sql<SqlBool>`exists (select 1 from ${sql.table('invitees')}
    where invitees.routing_form_submission = routing_form_submissions.uri)`;
  const where: Condition[] = [];
  if (from !== undefined) where.push(sql<SqlBool>`created_at >= ${dialect.time(from)}`);
  if (to !== undefined) where.push(sql<SqlBool>`created_at < ${dialect.time(to)}`);
  const filters = Object.entries(texts).flatMap(([column, value]) =>
    value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`],
  );
  if (booked !== undefined) filters.push(booked ? isBooked : sql<SqlBool>`not ${isBooked}`);
  return { where, filters };
}

const counted = {
  submissions: sql`1 = 1`,
  to_event_type: sql`result_type = 'event_type'`,
  to_external_url: sql`result_type = 'external_url'`,
  to_custom_message: sql`result_type = 'custom_message'`,
  unbooked: sql`is_unbooked`,
  booked: sql`is_booked`,
  upcoming: sql`outcome = 'upcoming'`,
  ended: sql`outcome in ('came', 'no_show', 'unknown')`,
  came: sql`outcome = 'came'`,
  no_shows: sql`outcome = 'no_show'`,
  unknown: sql`outcome = 'unknown'`,
  canceled: sql`outcome = 'canceled'`,
} as const;

type FunnelCounts = Readonly<Record<keyof typeof counted, number>>;
type FormCounts = FunnelCounts & { readonly routing_form: string };

export interface RoutingFunnel {
  readonly from: string;
  readonly total: FunnelCounts;
  /** Null where a submission names no form. */
  readonly forms: readonly (FunnelCounts & { readonly uri: string | null; readonly name: string | null })[];
}

const usualDays = 30;

/** Of a range of time; without its beginning, of so many calendar days in the time zone of reports. */
export async function readRoutingFunnel(
  store: ReadableMirror,
  { from: given, to: end, ...search }: Omit<SubmissionSearch, 'booked' | 'result_type'>,
  nowMs: number,
): Promise<RoutingFunnel> {
  const lastMs = end === undefined ? nowMs : Date.parse(end) - 1;
  const from = given ?? rangeOf(store.settings.reportTimezone, { days: usualDays }, lastMs).instants.from;
  const counts = await readFunnel(store, { ...search, from, to: end ?? instantOf(nowMs) });
  const values = counts.flatMap(({ routing_form: uri }) => uri || []);
  const named = await readColumns(store, 'routing_forms', { columns: ['uri', 'name'], key: 'uri', values });
  const names = new Map(named.map(({ uri, name }) => [uri, name]));
  const forms = counts.map(({ routing_form: uri, ...numbers }) => ({
    ...numbers,
    uri: uri || null,
    name: names.get(uri) || null,
  }));
  return { from, total: sumOf(counts), forms };
}

/** A range is counted in parts of so many days, or in so many parts: SQLite counts on this thread. */
const partDays = 30;
const mostParts = 40;

/** The counts of each form, the one with the most submissions first; the form is empty where a submission names none. */
async function readFunnel(
  store: Readable,
  search: SubmissionSearch & { readonly from: string; readonly to: string },
): Promise<readonly FormCounts[]> {
  const [start, end] = [Date.parse(search.from), Date.parse(search.to)];
  const partMs = Math.max(partDays * dayMs, (end - start) / mostParts);
  const byForm = new Map<string, FunnelCounts>();
  for (let from = start; from < end; from += partMs) {
    const to = from + partMs < end ? instantOf(from + partMs) : search.to;
    const part = { ...search, from: from === start ? search.from : instantOf(from), to };
    for (const { routing_form: form, ...counts } of await readPart(store, part))
      byForm.set(form, sumOf([counts, byForm.get(form) ?? noCounts]));
    await yieldToEventLoop();
  }
  return [...byForm]
    .map(([form, counts]) => ({ ...counts, routing_form: form }))
    .toSorted((a, b) => b.submissions - a.submissions || (a.routing_form < b.routing_form ? -1 : 1));
}

async function readPart({ db, engine }: Readable, search: SubmissionSearch): Promise<readonly FormCounts[]> {
  const { where, filters } = submissionConditions(engine.dialect, search);
  const columns = Object.entries(counted).map(
    ([name, condition]) => sql`count(case when ${condition} then 1 end) as ${sql.id(name)}`,
  );
  // Materialized, so that what became of a submission is looked up once.
  const { rows } = await sql<Readonly<Record<keyof FormCounts, unknown>>>`with picked as materialized (
      select coalesce(routing_form, '') as routing_form, result_type, is_booked, is_unbooked, outcome
      from ${sql.table('routing_form_results')} where ${sql.join([...where, ...filters], sql` and `)}
    )
    select routing_form, ${sql.join(columns)} from picked group by routing_form`.execute(db);
  return rows.map(({ routing_form: form, ...counts }) => ({ ...sumOf([counts]), routing_form: String(form) }));
}

const noCounts = {
  submissions: 0,
  to_event_type: 0,
  to_external_url: 0,
  to_custom_message: 0,
  unbooked: 0,
  booked: 0,
  upcoming: 0,
  ended: 0,
  came: 0,
  no_shows: 0,
  unknown: 0,
  canceled: 0,
};
const countNames = Object.keys(counted).filter((name): name is keyof typeof counted => name in counted);

function sumOf(rows: readonly Readonly<Record<keyof typeof counted, unknown>>[]): FunnelCounts {
  const sum = { ...noCounts };
  for (const row of rows) for (const name of countNames) sum[name] += Number(row[name]);
  return sum;
}
