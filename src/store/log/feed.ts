// Pages of the log for whoever follows it, as the columns stand in the store: what is JSON text stays text.
import { setImmediate as breathe } from 'node:timers/promises';
import { CompiledQuery, sql, type ExpressionBuilder } from 'kysely';
import type { Store, Unit } from '#src/store/contract.ts';
import { lastSeq, type Outcome } from './log.ts';
import { textOf } from '#src/store/prepared-sql.ts';
import type { Database } from '#src/store/tables.ts';

/** Lists are alternatives; what is absent asks for nothing. */
export interface FeedFilter {
  readonly events?: readonly string[];
  /** How an event's name may begin: `contact.`. */
  readonly eventPrefixes?: readonly string[];
  readonly subjectUri?: string;
  readonly outcomes?: readonly Outcome[];
}

export interface FeedRow {
  readonly seq: number;
  readonly event: string | null;
  readonly source: string;
  readonly subject_uri: string | null;
  readonly occurred_at: string | null;
  readonly received_at: string;
  readonly outcome: string;
  /** JSON text. */
  readonly changes: string | null;
  readonly body: string | null;
  readonly encoding: string | null;
}

export interface FeedRows {
  readonly rows: readonly FeedRow[];
  /** Everything up to here was looked at; nothing that commits later has a place before it. */
  readonly nextAfter: number;
}

export interface FeedPlace {
  readonly after: number;
  readonly limit: number;
}

/** A page ends early when its bodies weigh this much. */
const fullPageCharacters = 4 * 1024 * 1024;
/** Rows asked for at a time: few at first, for each may weigh a megabyte; then as many as weigh about this much. */
const firstChunk = 16;
const largestChunk = 256;
const chunkCharacters = 1024 * 1024;
/** How many entries are looked through at a time for those that a filter lets pass: SQLite looks on this thread. */
const lookedThrough = 5_000;

/**
 * The next entries after a place, in order; none only when the end was reached. `seq` rises in order of commit (see
 * `lockLog`), so the end, read first, is a place before which nothing appears any more.
 */
export async function readFeedRows(
  from: Store | Unit,
  filter: FeedFilter,
  { after, limit }: FeedPlace,
): Promise<FeedRows> {
  const query = queryOf(from, filter);
  const isSifted = hasLists(filter) || filter.subjectUri !== undefined;
  // The entries of one subject are few, and found by an index.
  const stride = isSifted && filter.subjectUri === undefined ? lookedThrough : Number.MAX_SAFE_INTEGER;
  // Unfiltered, the last row says how far the page came.
  const end = isSifted ? await lastSeq(from) : Number.MAX_SAFE_INTEGER;
  const found: FeedRow[] = [];
  let place = after;
  let weight = 0;
  for (let chunk = firstChunk; place < end && found.length < limit && weight < fullPageCharacters;) {
    const upTo = Math.min(end, place + stride);
    const size = Math.min(chunk, limit - found.length);
    const rows = await query({ after: place, upTo, limit: size });
    const added = rows.reduce((sum, { body, changes }) => sum + (body?.length ?? 0) + (changes?.length ?? 0), 0);
    weight += added;
    found.push(...rows);
    const affordable = Math.floor((chunkCharacters * rows.length) / (added + 1));
    chunk = Math.min(chunk * 2, largestChunk, Math.max(firstChunk, affordable));
    if (rows.length === size) {
      place = rows.at(-1)?.seq ?? place;
    } else if (isSifted) {
      place = upTo;
      if (upTo < end) await breathe();
    } else {
      return { rows: found, nextAfter: rows.at(-1)?.seq ?? place };
    }
  }
  return { rows: found, nextAfter: place };
}

const hasLists = ({ events = [], eventPrefixes = [], outcomes = [] }: FeedFilter): boolean =>
  events.length + eventPrefixes.length + outcomes.length > 0;

type Chunk = FeedPlace & { readonly upTo: number };

/** Its text is built once for each shape of filter: a stream asks hundreds of times a second. */
function queryOf(from: Store | Unit, filter: FeedFilter): (chunk: Chunk) => Promise<readonly FeedRow[]> {
  const { events = [], eventPrefixes = [], subjectUri, outcomes = [] } = filter;
  const shape = [events.length, eventPrefixes.length, subjectUri === undefined ? 0 : 1, outcomes.length].join(' ');
  const text = textOf(from, `feed ${shape}`, () => {
    let query = from.db
      .selectFrom('event_log')
      .select(['seq', 'event', 'source', 'subject_uri', 'occurred_at', 'received_at', 'outcome', 'body', 'encoding'])
      .select(sql<string | null>`cast(changes as text)`.as('changes'))
      .where('seq', '>', 0)
      .where('seq', '<=', 0);
    if (events.length + eventPrefixes.length > 0) query = query.where((where) => named(where, events, eventPrefixes));
    if (subjectUri !== undefined) query = query.where('subject_uri', '=', '');
    if (outcomes.length > 0) query = query.where('outcome', 'in', outcomes);
    return query.orderBy('seq').limit(1);
  });
  const given = [
    ...events,
    ...eventPrefixes.flatMap((prefix) => [prefix.length, prefix]),
    ...(subjectUri === undefined ? [] : [subjectUri]),
    ...outcomes,
  ];
  return async ({ after, upTo, limit }) => {
    const bound = CompiledQuery.raw(text, [after, upTo, ...given, limit]);
    return (await from.db.executeQuery<FeedRow>(bound)).rows;
  };
}

/** Not `like`, which reads `_` as anything and, on SQLite, capitals as small letters. */
function named(
  where: ExpressionBuilder<Database, 'event_log'>,
  events: readonly string[],
  prefixes: readonly string[],
) {
  return where.or([
    ...(events.length > 0 ? [where('event', 'in', events)] : []),
    ...prefixes.map((prefix) => sql<boolean>`substr(event, 1, cast(${prefix.length} as integer)) = ${prefix}`),
  ]);
}
