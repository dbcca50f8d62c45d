// The backfill as the API shows it: how far each resource is, how fast, and how long it still takes.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { instantOf } from '#src/base/time.ts';
import type { BackfillState } from '#workers/sync/backfill/backfill.ts';
import { noCounts, type Counts, type Progress } from '#workers/sync/backfill/progress.ts';
import { allResources } from '#workers/sync/resources/registry.ts';

const count = z.int().min(0);
const counts = {
  rows: count,
  created: count,
  updated: count,
  unchanged: count,
  quarantined: count,
};

const resourceProgress = z
  .strictObject({
    name: z.string(),
    state: z
      .enum(['waiting', 'reading', 'stopped', 'complete'])
      .describe('`stopped`: no page was read for two minutes; the next `backfill` continues from there.'),
    ...counts,
    pages: count,
    records: count.nullable().describe('How many of `total` were read.'),
    total: count.nullable().describe('How many there are, where the service can be asked.'),
    rows_per_minute: count.nullable().describe('Since the process that reads it began.'),
    seconds_left: count.nullable(),
    last_page_at: instant.nullable(),
    missing: z.array(z.string()).describe('What may not be read.'),
  })
  .meta({ id: 'BackfillProgress' });

export const backfillRecord = z.strictObject({
  state: z.enum(['never', 'reading', 'stopped', 'complete']),
  first_completed_at: instant.nullable(),
  resources: z.array(resourceProgress).describe('Of the backfill that has not ended.'),
  last: z
    .strictObject({
      finished_at: instant,
      resources: z.array(
        z.strictObject({ name: z.string(), state: z.string(), ...counts, missing: z.array(z.string()) }),
      ),
    })
    .nullable(),
});

const silenceMs = 120_000;

export function backfillOf(
  { running, last }: BackfillState,
  {
    filledAt,
    isFilled,
    nowMs,
  }: { readonly filledAt: string | undefined; readonly isFilled: boolean; readonly nowMs: number },
): z.output<typeof backfillRecord> {
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
): z.output<typeof resourceProgress> {
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
