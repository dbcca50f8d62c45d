// Submissions of routing forms: the conditions by which they are searched, what became of them, and their counts.
//
// A submission is booked when an invitee refers to it. The outcomes are those of the view `routing_funnel`, which reads every booking;
// these queries read only the bookings of the submissions they are given.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { dayMs, instantOf } from '#src/base/time.ts';
import { outcomeOf } from '#src/store/bookings/booking-rows.ts';
import { bookingSql } from '#src/store/bookings/booking-sql.ts';
import type { Store, StoreEngine } from '#src/store/contract.ts';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';
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

/** What became of a booked submission; `booked` where more is not known. Of several bookings the best counts, in this order. */
export const bookingOutcomes = ['held', 'no_show', 'upcoming', 'canceled', 'booked'] as const;
export type BookingOutcome = (typeof bookingOutcomes)[number];

/** `with ${results(…)} select …`: gives `picked`, these submissions, and `results`, one row per booked one. */
function results({ name: engine, dialect }: StoreEngine, conditions: readonly Condition[]): Sql {
  const { lookUp } = bookingSql[engine];
  const any = (outcome: string) => sql`max(case ${outcomeOf(dialect)} when ${sql.lit(outcome)} then 1 end) = 1`;
  const isCanceled = sql`bookings.ending not in ('rescheduled', 'no_show')`;
  return sql`
  picked as materialized (
    select uri, routing_form, result_type from ${sql.table('routing_form_submissions')}
    where ${sql.join([sql`created_at is not null`, ...conditions], sql` and `)}
  ),
  results as (
    select picked.uri as submission_uri, case
        when ${any('held')} then 'held' when ${any('no_show')} then 'no_show' when ${any('upcoming')} then 'upcoming'
        when min(case when ${isCanceled} then 1 else 0 end) = 1 then 'canceled' else 'booked'
      end as outcome,
      coalesce(max(case when bookings.ending = 'rescheduled' then null else bookings.last_invitee end),
        max(bookings.last_invitee), max(invitees.uri)) as invitee_uri
    from picked ${lookUp('join', 'invitees', sql`invitees.routing_form_submission = picked.uri`)}
    ${lookUp('left join', 'followed_invitees', sql`followed_invitees.invitee_uri = invitees.uri`)}
    ${lookUp('left join', 'bookings', sql`bookings.journey_uri = coalesce(followed_invitees.journey_uri, invitees.uri)`)}
    group by picked.uri
  )`;
}

const counted = {
  submissions: sql`1 = 1`,
  to_event_type: sql`picked.result_type = 'event_type'`,
  to_external_url: sql`picked.result_type = 'external_url'`,
  to_custom_message: sql`picked.result_type = 'custom_message'`,
  unbooked: sql`picked.result_type = 'event_type' and results.submission_uri is null`,
  booked: sql`results.submission_uri is not null`,
  upcoming: sql`results.outcome = 'upcoming'`,
  held: sql`results.outcome = 'held'`,
  no_shows: sql`results.outcome = 'no_show'`,
  canceled: sql`results.outcome = 'canceled'`,
} as const;

export type FunnelCounts = Readonly<Record<keyof typeof counted, number>>;
export type FormCounts = FunnelCounts & { readonly routing_form: string };

/** A range is counted in parts of so many days, or in so many parts: SQLite counts on this thread. */
const partDays = 30;
const mostParts = 40;

/** The counts of each form, the one with the most submissions first; the form is empty where a submission names none. */
export async function countFunnel(
  store: Store,
  search: SubmissionSearch & { readonly from: string; readonly to: string },
): Promise<readonly FormCounts[]> {
  const [start, end] = [Date.parse(search.from), Date.parse(search.to)];
  const partMs = Math.max(partDays * dayMs, (end - start) / mostParts);
  const byForm = new Map<string, FunnelCounts>();
  for (let from = start; from < end; from += partMs) {
    const to = from + partMs < end ? instantOf(from + partMs) : search.to;
    const part = { ...search, from: from === start ? search.from : instantOf(from), to };
    for (const { routing_form: form, ...counts } of await countPart(store, part))
      byForm.set(form, sumOf([counts, byForm.get(form) ?? noCounts]));
    await yieldToEventLoop();
  }
  return [...byForm]
    .map(([form, counts]) => ({ ...counts, routing_form: form }))
    .toSorted((a, b) => b.submissions - a.submissions || (a.routing_form < b.routing_form ? -1 : 1));
}

async function countPart({ db, engine }: Store, search: SubmissionSearch): Promise<readonly FormCounts[]> {
  const { where, filters } = submissionConditions(engine.dialect, search);
  const columns = Object.entries(counted).map(
    ([name, condition]) => sql`count(case when ${condition} then 1 end) as ${sql.id(name)}`,
  );
  const { rows } = await sql<Readonly<Record<keyof FormCounts, unknown>>>`with
    ${results(engine, [...where, ...filters])}
    select coalesce(picked.routing_form, '') as routing_form, ${sql.join(columns)}
    from picked left join results on results.submission_uri = picked.uri
    group by coalesce(picked.routing_form, '')`.execute(db);
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
  held: 0,
  no_shows: 0,
  canceled: 0,
};
const countNames = Object.keys(counted).filter((name): name is keyof typeof counted => name in counted);

export function sumOf(rows: readonly Readonly<Record<keyof typeof counted, unknown>>[]): FunnelCounts {
  const sum = { ...noCounts };
  for (const row of rows) for (const name of countNames) sum[name] += Number(row[name]);
  return sum;
}

export interface SubmissionResult {
  readonly outcome: BookingOutcome;
  /** The last mirrored invitee of its booking. */
  readonly invitee_uri: string;
}

/** What became of these submissions, by URI; those without a booking are left out. */
export async function resultsOf(
  { db, engine }: Store,
  uris: readonly string[],
): Promise<ReadonlyMap<string, SubmissionResult>> {
  if (uris.length === 0) return new Map();
  const { rows } = await sql<{ submission_uri: string } & SubmissionResult>`with
    ${results(engine, [sql<SqlBool>`uri in (${sql.join(uris)})`])}
    select submission_uri, invitee_uri, outcome from results`.execute(db);
  return new Map(rows.map(({ submission_uri: uri, ...result }) => [uri, result]));
}
