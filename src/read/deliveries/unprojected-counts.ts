// Counts what waits in quarantine or for a version that knows its kind, for pages that are asked often: entries are only counted again
// when their index has changed, because counting those that still have their content reads every one of them.
import { hourMs, instantOf, minuteMs } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { countUnprojected, isUnprojected } from '#src/store/log/read.ts';

export interface UnprojectedCounts {
  readonly quarantined: number;
  readonly quarantinedLastHour: number;
  readonly unhandled: number;
}

/** Retention removes content without a change of the index, and an hour passes: both are seen within this time. */
const validMs = minuteMs;

interface CachedCounts {
  readonly atMs: number;
  readonly index: string;
  readonly counts: UnprojectedCounts;
}

const known = new WeakMap<Store, CachedCounts>();

export async function unprojectedCounts(store: Store, nowMs: number): Promise<UnprojectedCounts> {
  const index = await describeIndex(store);
  const before = known.get(store);
  if (before?.index === index && Math.abs(nowMs - before.atMs) < validMs) return before.counts;
  const counts = {
    quarantined: await countUnprojected(store, 'quarantined'),
    quarantinedLastHour: await countUnprojected(store, 'quarantined', instantOf(nowMs - hourMs)),
    unhandled: await countUnprojected(store, 'unhandled'),
  };
  known.set(store, { atMs: nowMs, index, counts });
  return counts;
}

/** Every entry that is added, replayed or redacted gets a new offset; one that is dismissed is counted apart. */
async function describeIndex({ db }: Store): Promise<string> {
  const rows = await db
    .selectFrom('event_log')
    .select(({ fn }) => [
      'outcome',
      fn.countAll().as('count'),
      fn.max('seq').as('seq'),
      fn.count('dismissed_at').as('dismissed'),
    ])
    .where(isUnprojected)
    .groupBy('outcome')
    .orderBy('outcome')
    .execute();
  return rows.map(({ outcome, count, seq, dismissed }) => `${outcome} ${count} ${seq} ${dismissed}`).join(', ');
}
