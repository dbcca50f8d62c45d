// Pages of the log for whoever follows it, as the columns stand in the store: what is JSON text stays text.
import { setImmediate as breathe } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { Store, Unit } from '#src/store/contract.ts';
import { lastSeq, type Outcome } from './log.ts';
import { runPrepared } from '#src/store/prepared-sql.ts';

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
    const rows = await readChunk(from, filter, { after: place, upTo, limit: size });
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

function readChunk(from: Store | Unit, filter: FeedFilter, chunk: Chunk): Promise<readonly FeedRow[]> {
  const { events = [], eventPrefixes: prefixes = [], subjectUri, outcomes = [] } = filter;
  const { after, upTo, limit } = chunk;
  return runPrepared(from, {
    id: 'feed',
    values: { after, upTo, limit, events, prefixes, subjectUri, outcomes },
    build(parameters) {
      let query = from.db
        .selectFrom('event_log')
        .select(['seq', 'event', 'source', 'subject_uri', 'occurred_at', 'received_at', 'outcome', 'body', 'encoding'])
        .select(sql<string | null>`cast(changes as text)`.as('changes'))
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
const startsWith = (prefix: RawBuilder<string>): RawBuilder<boolean> =>
  sql`substr(event, 1, length(cast(${prefix} as text))) = ${prefix}`;
