// Rows that are read again although no webhook announces a change: meetings whose link is not there yet, and recaps whose transcript was
// not read.
import { sql, type SqlBool } from 'kysely';
import type { Store } from './contract.ts';
import { userIn } from './stale-rows.ts';

type Reader = Pick<Store, 'db' | 'engine'>;

export interface MeetingTimes {
  readonly uri: string;
  readonly start_time: string | null;
  readonly updated_at: string | null;
  /** When it was last observed, on the service's clock. */
  readonly as_of: string | null;
}

const times = ['uri', 'start_time', 'updated_at', 'as_of'] as const;

/** While the conference is still being created (A33). */
const pendingStatuses = ['initiated', 'processing'];

export const isLinkPending = (locationStatus: unknown): boolean =>
  pendingStatuses.some((each) => each === locationStatus);

/** Literally the condition of the index. */
const linkIsPending = sql<SqlBool>`location ->> 'status' in (${sql.join(pendingStatuses.map((each) => sql.lit(each)))})`;

const withPendingLink = ({ db }: Pick<Store, 'db'>, now: string) =>
  db.selectFrom('scheduled_events').where(linkIsPending).where('end_time', '>', now).where('status', '=', 'active');

/** Active meetings that have not ended and whose link is not there yet, the nearest first. */
export function meetingsWithPendingLink(
  store: Reader,
  { now, limit }: { readonly now: string; readonly limit: number },
): Promise<readonly MeetingTimes[]> {
  return withPendingLink(store, now).select(times).orderBy('end_time').limit(limit).execute();
}

export async function countPendingLinks(store: Reader, now: string): Promise<number> {
  const row = await withPendingLink(store, now)
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

export interface UnreadTranscript {
  /** Of the recap. */
  readonly uri: string;
  readonly created_at: string | null;
  /** The owner of the recap, where the record names one. */
  readonly user: string | null;
}

/** Recaps whose speakers are unknown, those of the latest meetings first. An erased recap names no transcript. */
export async function unreadTranscripts({ db, engine }: Reader, limit: number): Promise<readonly UnreadTranscript[]> {
  const rows = await db
    .selectFrom('meeting_recaps')
    .select(['uri', 'created_at', 'extra'])
    .where('transcript', 'is not', null)
    .where('speakers', 'is', null)
    .where('deleted_at', 'is', null)
    .orderBy('event_start_time', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ extra, ...row }) => ({ ...row, user: userIn(engine.decode('json', extra)) }));
}
