// Where a search of the log looks: offsets from an index where one of the filters has an index, otherwise a range of offsets.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { isEventKind } from '#schemas/events.ts';
import type { Readable } from '#src/store/contract.ts';
import { emailAmong, lowerCaseEmail, type SqlDialect } from '#src/store/sql-dialect.ts';
import { isUnprojected, lastSeq, type Outcome } from './read.ts';

export interface DeliveryFilter {
  /** A kind, or all kinds with a beginning: `invitee.*`. */
  readonly event?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly source?: string | undefined;
  readonly subjectUri?: string | undefined;
  /** About a contact or a booking that has this e-mail address now. */
  readonly address?: string | undefined;
  readonly reason?: string | undefined;
  /** Only entries that were stored without being projected: quarantined, or of an unknown kind. */
  readonly unprojected?: boolean;
  /** Of those, the ones that an operator has dismissed: no filter by outcome finds them. */
  readonly dismissed?: boolean;
  /** From this time on, and before that one. */
  readonly minReceivedAt?: string | undefined;
  readonly maxReceivedAt?: string | undefined;
  readonly minSeq?: number | undefined;
  readonly maxSeq?: number | undefined;
  /** A part of the body, the reason or the subject; the letters A to Z in any case. */
  readonly text?: string | undefined;
  readonly hasBody?: boolean;
}

/** Offsets, both ends included; none when `low` is greater. */
export interface SeqRange {
  readonly low: number;
  readonly high: number;
}

export interface SearchPlan extends SeqRange {
  /** The offsets that an index names, in the direction of the search; absent where no filter has an index. */
  readonly candidates?: (range: SeqRange & { readonly newer: boolean; readonly limit: number }) => Promise<number[]>;
}

/** Of records that were read from the API. */
const readKind = /\.(read|gone)$/;

/** More kinds than this are not looked up one by one. */
const mostKinds = 200;

/** `bounds` are the offsets that the caller asks for. */
export async function planSearch(store: Readable, filter: DeliveryFilter, bounds: SeqRange): Promise<SearchPlan> {
  const whole: SeqRange = {
    low: Math.max(bounds.low, filter.minSeq ?? 1),
    high: Math.min(bounds.high, filter.maxSeq ?? bounds.high, await lastSeq(store)),
  };
  // The entries of a subject and those in quarantine are few: their times are compared one by one.
  const subjects = subjectsOf(store, filter);
  if (subjects !== undefined) return { ...whole, candidates: bySubject(store, subjects) };
  const outcomes = unprojectedOutcomes(filter);
  if (outcomes !== undefined) return { ...whole, candidates: byOutcome(store, outcomes) };
  const timed = await receivedWithin(store, filter, whole);
  const kinds = await kindsOf(store, filter);
  return kinds === undefined ? timed : { ...timed, candidates: byParts(store, kinds) };
}

type Candidates = NonNullable<SearchPlan['candidates']>;

const seqs = async (db: Readable['db'], query: RawBuilder<{ readonly seq: number }>): Promise<number[]> =>
  (await query.execute(db)).rows.map(({ seq }) => seq);

const direction = (newer: boolean) => (newer ? sql`asc` : sql`desc`);

/** One part per alternative, each in the order of its index and no longer than needed: a sort of all of them could be as long as the log. */
const byParts =
  ({ db }: Readable, conditions: readonly RawBuilder<SqlBool>[]): Candidates =>
  ({ low, high, newer, limit }) => {
    if (conditions.length === 0) return Promise.resolve([]);
    const parts = conditions.map(
      (
        condition,
      ) => sql`select * from (select seq from ${sql.table('event_log')} where ${condition} and seq >= ${low} and seq <= ${high}
        order by seq ${direction(newer)} limit ${limit}) as part`,
    );
    return seqs(db, sql`${sql.join(parts, sql` union all `)} order by seq ${direction(newer)} limit ${limit}`);
  };

const byOutcome = (store: Readable, outcomes: readonly Outcome[]): Candidates =>
  byParts(
    store,
    outcomes.map((outcome) => sql<SqlBool>`outcome = ${outcome} and ${isUnprojected}`),
  );

/** `+seq` is no column with an index, so that both engines look the subjects up instead of reading the log in its order. */
const bySubject =
  ({ db }: Readable, subjects: RawBuilder<unknown>): Candidates =>
  ({ low, high, newer, limit }) =>
    seqs(
      db,
      sql`select seq from ${sql.table('event_log')} where subject_uri in (${subjects}) and +seq >= ${low} and +seq <= ${high}
        order by +seq ${direction(newer)} limit ${limit}`,
    );

/** The subject itself, or the contacts and bookings that have the address now. */
function subjectsOf(
  { engine }: Readable,
  { subjectUri, address }: Pick<DeliveryFilter, 'subjectUri' | 'address'>,
): RawBuilder<unknown> | undefined {
  // With both, the address is the condition that remains.
  if (address === undefined) return subjectUri === undefined ? undefined : sql`${subjectUri}`;
  const alike = emailAmong(engine.dialect, [lowerCaseEmail(address)]);
  const found = alike.flatMap((condition) => [
    sql`select contact_uri as uri from ${sql.table('contact_emails')} where ${condition}`,
    sql`select uri from ${sql.table('invitees')} where ${condition}`,
  ]);
  return sql.join(found, sql` union all `);
}

export const unprojectedOutcomes = ({
  outcome,
  unprojected,
  dismissed,
}: DeliveryFilter): readonly Outcome[] | undefined => {
  if (outcome === 'quarantined' || outcome === 'unhandled') return [outcome];
  return unprojected || dismissed ? (outcome === undefined ? ['quarantined', 'unhandled'] : []) : undefined;
};

/**
 * The kind itself; all kinds in the log that begin as the pattern does; or, for a source, all that it can have: only webhooks have the
 * kinds of the specification.
 */
async function kindsOf(
  { db }: Readable,
  { event, source }: DeliveryFilter,
): Promise<readonly RawBuilder<SqlBool>[] | undefined> {
  const isKind = (kind: string) => sql<SqlBool>`event = ${kind}`;
  const isOpen = event === undefined || event === '*';
  if (!isOpen && !event.endsWith('*')) return [isKind(event)];
  if (isOpen && source === undefined) return undefined;
  // The index has each kind at a step of its own.
  const { rows } = await sql<{ readonly event: string | null }>`with recursive kinds(event) as (
      select min(event) from ${sql.table('event_log')}
      union all select (select min(event) from ${sql.table('event_log')} where event > kinds.event) from kinds where event is not null
    ) select event from kinds limit ${sql.lit(mostKinds + 1)}`.execute(db);
  if (rows.length > mostKinds) return undefined;
  const kinds = rows.flatMap(({ event: kind }) => kind ?? []);
  if (!isOpen) return kinds.filter((kind) => kind.startsWith(event.slice(0, -1))).map(isKind);
  // A backfill may have written any number of entries after the last delivery.
  const isPossible = (kind: string) => (source === 'webhook' ? !readKind.test(kind) : !isEventKind(kind));
  return [...kinds.filter(isPossible).map(isKind), sql<SqlBool>`event is null`];
}

/** A period with more entries is not narrowed: reading its index would take as long as reading the log. */
const mostNarrowed = 100_000;

/** The part of the log that holds all entries received between two times: a replay may have moved some of them to its end. */
async function receivedWithin({ db, engine }: Readable, filter: DeliveryFilter, whole: SeqRange): Promise<SeqRange> {
  const times = receivedConditions(engine.dialect, filter);
  if (times.length === 0) return whole;
  const received = sql`select seq from ${sql.table('event_log')} where ${sql.join(times, sql` and `)} limit ${mostNarrowed + 1}`;
  const { rows } = await sql<{ low: number | null; high: number | null; entries: number | string }>`
    select min(seq) as low, max(seq) as high, count(*) as entries from (${received}) as received`.execute(db);
  const { low, high, entries } = rows[0] ?? { low: null, high: null, entries: 0 };
  if (Number(entries) > mostNarrowed) return whole;
  return { low: Math.max(whole.low, low ?? Infinity), high: Math.min(whole.high, high ?? 0) };
}

export function receivedConditions(
  dialect: SqlDialect,
  { minReceivedAt, maxReceivedAt }: DeliveryFilter,
): readonly RawBuilder<SqlBool>[] {
  const conditions: RawBuilder<SqlBool>[] = [];
  if (minReceivedAt !== undefined) conditions.push(sql`received_at >= ${dialect.time(minReceivedAt)}`);
  if (maxReceivedAt !== undefined) conditions.push(sql`received_at < ${dialect.time(maxReceivedAt)}`);
  return conditions;
}
