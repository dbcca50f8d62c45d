// The backfill as the page of the comparisons shows it: how far each resource is, how fast, and how long it still takes.
import { instantOf } from '#src/base/time.ts';
import type { BackfillState } from '#workers/sync/backfill/backfill.ts';
import { noCounts, type Counts, type Progress } from '#workers/sync/backfill/progress.ts';
import { allResources } from '#workers/sync/resources/registry.ts';

/** A resource without a page for this long has stopped; the next `backfill` continues from there. */
const silenceMs = 120_000;

export function backfillOf(
  { running, last }: BackfillState,
  {
    filledAt,
    isFilled,
    nowMs,
  }: { readonly filledAt: string | undefined; readonly isFilled: boolean; readonly nowMs: number },
) {
  const resources = allResources
    .filter(({ name }) => running?.resources.includes(name))
    .map(({ name }) =>
      progressOf(running?.progress.get(name), { name, nowMs, hasEnded: running?.ended.includes(name) ?? false }),
    );
  const state = running === undefined ? (isFilled || last ? 'complete' : 'never') : stateOf(resources, nowMs);
  return {
    state,
    first_completed_at: filledAt === undefined ? null : instantOf(Date.parse(filledAt)),
    resources,
    last: last
      ? {
          finished_at: instantOf(Date.parse(last.finished_at)),
          resources: last.resources.map(({ counts: found, ...each }) => ({ ...each, ...countsOf(found) })),
        }
      : null,
  };
}

/** Between two resources none is being read: any page of the last minutes counts. */
const stateOf = (resources: readonly { readonly last_page_at: string | null }[], nowMs: number) =>
  resources.some(({ last_page_at: at }) => at !== null && nowMs - Date.parse(at) < silenceMs) ? 'reading' : 'stopped';

const countsOf = ({ rows, created, updated, unchanged, quarantined }: Counts) => ({
  rows,
  created,
  updated,
  unchanged,
  quarantined,
});

function progressOf(
  progress: Progress | undefined,
  { name, nowMs, hasEnded }: { readonly name: string; readonly nowMs: number; readonly hasEnded: boolean },
) {
  const { counts: found = noCounts, pace, missing = [] } = progress ?? {};
  const storedMs = pace && Date.parse(pace.stored_at);
  const isReading = storedMs !== undefined && nowMs - storedMs < silenceMs;
  const state = hasEnded ? 'complete' : isReading ? 'reading' : found.pages > 0 ? 'stopped' : 'waiting';
  const total = hasEnded ? undefined : pace?.total;
  const minutes = pace ? (Date.parse(pace.stored_at) - Date.parse(pace.began_at)) / 60_000 : 0;
  const speedOf = (now: number, before: number) => (minutes > 0 ? (now - before) / minutes : 0);
  const records = total === undefined ? null : countedIn(found);
  const recordsPerMinute = pace ? speedOf(countedIn(found), countedIn(pace.began_with)) : 0;
  return {
    name,
    state,
    ...countsOf(found),
    pages: found.pages,
    records,
    total: total ?? null,
    rows_per_minute:
      state === 'reading' && pace && minutes > 0 ? Math.round(speedOf(found.rows, pace.began_with.rows)) : null,
    seconds_left:
      state === 'reading' && total !== undefined && records !== null && recordsPerMinute > 0
        ? Math.ceil((Math.max(0, total - records) / recordsPerMinute) * 60)
        : null,
    last_page_at: pace ? instantOf(Date.parse(pace.stored_at)) : null,
    missing,
  };
}

/** The only kind that the service counts ahead. */
const countedIn = ({ by_kind }: Counts): number => by_kind['scheduled_event'] ?? 0;
