// Pages of the log for consumers of the feed. Columns stay as they are stored: JSON stays text.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { Store, Unit } from '#src/store/contract.ts';
import { lastSeq, type LogEntry, type Outcome } from './read.ts';
import { runPrepared } from '#src/store/prepared-sql.ts';

/** Each list is a set of alternatives; an absent list matches everything. */
export interface FeedFilter {
  readonly events?: readonly string[];
  /** Prefixes of event names, as `contact.`. */
  readonly eventPrefixes?: readonly string[];
  readonly subjectUri?: string;
  readonly outcomes?: readonly Outcome[];
}

export interface FeedRow {
  readonly seq: number;
  readonly event: string | null;
  readonly source: LogEntry['source'];
  readonly subject_uri: string | null;
  readonly occurred_at: string | null;
  readonly received_at: string;
  readonly outcome: Outcome;
  /** JSON text. */
  readonly changes: string | null;
  readonly body: string | null;
  readonly encoding: LogEntry['encoding'];
}

export interface FeedRows {
  readonly rows: readonly FeedRow[];
  /** The offset up to which the log was read; nothing that commits later has a smaller one. */
  readonly nextAfter: number;
}

export interface FeedRange {
  readonly after: number;
  readonly limit: number;
  /** Leaves `body` and `changes` out: nearly all of an entry, for readers that only want to know that it exists. */
  readonly bare?: boolean;
}

/** A page ends early when its bodies are this long. */
const fullPageCharacters = 4 * 1024 * 1024;
/** Rows per query: few at first, because each may have a megabyte; then as many as have about `chunkCharacters`. */
const firstChunk = 16;
const largestChunk = 256;
const chunkCharacters = 1024 * 1024;
/** How many entries are scanned per query for those that match a filter: SQLite scans on this thread. */
const scannedAtOnce = 5_000;

/**
 * The next entries after an offset, in order; none only at the end of the log. `seq` rises in order of commit (see `lockLog`), so
 * nothing appears any more before the end, which is read first.
 */
export async function readFeedRows(
  from: Store | Unit,
  filter: FeedFilter,
  { after, limit, bare = false }: FeedRange,
): Promise<FeedRows> {
  const isFiltered = hasLists(filter) || filter.subjectUri !== undefined;
  // The entries of one subject are few, and found by an index.
  const stride = isFiltered && filter.subjectUri === undefined ? scannedAtOnce : Number.MAX_SAFE_INTEGER;
  // Without a filter, the last row gives the offset.
  const end = isFiltered ? await lastSeq(from) : Number.MAX_SAFE_INTEGER;
  const found: FeedRow[] = [];
  let offset = after;
  let length = 0;
  for (let chunk = firstChunk; offset < end && found.length < limit && length < fullPageCharacters;) {
    const upTo = Math.min(end, offset + stride);
    const size = Math.min(chunk, limit - found.length);
    const rows = await readChunk(from, filter, { after: offset, upTo, limit: size, bare });
    const added = rows.reduce((sum, { body, changes }) => sum + (body?.length ?? 0) + (changes?.length ?? 0), 0);
    length += added;
    found.push(...rows);
    const affordable = Math.floor((chunkCharacters * rows.length) / (added + 1));
    chunk = Math.min(chunk * 2, largestChunk, Math.max(firstChunk, affordable));
    if (rows.length === size) {
      offset = rows.at(-1)?.seq ?? offset;
    } else if (isFiltered) {
      offset = upTo;
      if (upTo < end) await yieldToEventLoop();
    } else {
      return { rows: found, nextAfter: rows.at(-1)?.seq ?? offset };
    }
  }
  return { rows: found, nextAfter: offset };
}

const hasLists = ({ events = [], eventPrefixes = [], outcomes = [] }: FeedFilter): boolean =>
  events.length + eventPrefixes.length + outcomes.length > 0;

type Chunk = FeedRange & { readonly upTo: number };

function readChunk(from: Store | Unit, filter: FeedFilter, chunk: Chunk): Promise<readonly FeedRow[]> {
  const { events = [], eventPrefixes: prefixes = [], subjectUri, outcomes = [] } = filter;
  const { after, upTo, limit, bare } = chunk;
  return runPrepared(from, {
    id: bare ? 'bare feed' : 'feed',
    values: { after, upTo, limit, events, prefixes, subjectUri, outcomes },
    build(parameters) {
      let query = from.db
        .selectFrom('event_log')
        .select(['seq', 'event', 'source', 'subject_uri', 'occurred_at', 'received_at', 'outcome', 'encoding'])
        .select(bare ? sql<null>`null`.as('body') : 'body')
        .select((bare ? sql<null>`null` : sql<string | null>`cast(changes as text)`).as('changes'))
        .where('seq', '>', parameters.after)
        .where('seq', '<=', parameters.upTo);
      const named = [
        ...(parameters.events.length > 0 ? [sql<boolean>`event in (${sql.join(parameters.events)})`] : []),
        ...parameters.prefixes.map(startsWith),
      ];
      if (named.length > 0) query = query.where(({ or }) => or(named));
      if (parameters.subjectUri !== undefined) query = query.where('subject_uri', '=', parameters.subjectUri);
      if (parameters.outcomes.length > 0) query = query.where('outcome', 'in', parameters.outcomes);
      return query.orderBy('seq').limit(parameters.limit);
    },
  });
}

/** Not `like`, which reads `_` as any character and, on SQLite, ignores letter case. */
export const startsWith = (prefix: RawBuilder<string>): RawBuilder<boolean> =>
  sql`substr(event, 1, length(cast(${prefix} as text))) = ${prefix}`;
