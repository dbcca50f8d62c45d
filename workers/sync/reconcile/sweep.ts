// The full sweep, in slices of a few pages, so that it takes most of `SWEEP_EVERY` and never the whole rate budget. Its position is
// stored: another process, or this one after a restart, continues from there.
//
//   none ──due──▶ running (resource, page token) ──last page──▶ carries out deletes ──next resource──▶ … ──▶ done
import { z } from 'zod';
import type { EventKind } from '#schemas/events.ts';
import { overviewOf } from '#src/store/status-counts.ts';
import { isTransient } from '#src/base/errors.ts';
import { checkpoint, readValue, removeValues, writeValue } from '#src/store/key-value.ts';
import { driftHows, type DriftCounts } from '#src/store/jobs/drift-counts.ts';
import { requireSameOrganization } from '#workers/sync/mirror-identity.ts';
import { accountOf } from '#workers/sync/sources.ts';
import { openRun, type RunNeeds, type RunTally } from './session.ts';
import { readReconcileState, recordRun, type LastRun } from '#src/store/jobs/reconcile-state.ts';
import { fullTraversals, wantedResources, type Traversal } from './plan.ts';
import { withShortRetries } from '#workers/sync/read-each.ts';
import { isReadFailure, leftOutIn } from '#workers/sync/resources/left-out.ts';
import { isRestarted } from '#workers/sync/resources/list-pages.ts';

export interface SweepInput {
  readonly everyMs: number;
  readonly events: readonly EventKind[];
}

const positionSchema = z.object({
  started_at: z.string(),
  /** Resources that were read to the end. */
  done: z.array(z.string()),
  /** The current resource: when its traversal began, on the service's clock, its next page, and how often that was not reached. */
  at: z
    .object({
      since: z.string(),
      token: z.string().nullable(),
      whole: z.boolean(),
      failures: z.number(),
    })
    .nullable(),
  pages: z.number(),
  /** How many pages it will have, estimated. */
  expected: z.number().optional(),
  found: z.object({
    read: z.number(),
    quarantined: z.number(),
    drift: z.record(z.string(), z.record(z.string(), z.number())),
    meeting_dates: z.number(),
    unreadable: z.array(z.string()),
    held_back: z.record(z.string(), z.number()),
    not_compared: z.number(),
  }),
});
export type SweepPosition = z.output<typeof positionSchema>;

export type SliceOutcome =
  | { readonly kind: 'not due' }
  | { readonly kind: 'slice'; readonly pages: number }
  | { readonly kind: 'done'; readonly last: LastRun };

const position = checkpoint('sweep', positionSchema);
/** Slices in which one page may not be reached. */
const mostFailures = 3;
/** A sweep aims to be over well before the next is due. */
const share = 0.8;

/** The sweep that has begun and not ended, and when it aims to end. */
export async function readSweep(
  store: Pick<RunNeeds['store'], 'db' | 'engine'>,
  everyMs: number,
): Promise<(SweepPosition & { readonly endsMs: number }) | undefined> {
  const here = await readValue(store, position);
  return here && { ...here, endsMs: Date.parse(here.started_at) + everyMs * share };
}

export async function sweepSlice(needs: RunNeeds, input: SweepInput): Promise<SliceOutcome> {
  const nowMs = needs.now().getTime();
  let here = await readValue(needs.store, position);
  if (here === undefined) {
    const { full } = await readReconcileState(needs.store);
    const agoMs = nowMs - Date.parse(full?.started_at ?? '');
    // In the future: by a clock that was ahead.
    if (agoMs >= 0 && agoMs < input.everyMs) return { kind: 'not due' };
    here = { started_at: needs.now().toISOString(), done: [], at: null, pages: 0, found: nothing };
  }
  await requireSameOrganization(needs.store, accountOf(needs.sources), { claims: true });
  const traversals = fullTraversals(wantedResources(input.events));
  here = { ...here, expected: await expectedPages(needs) };
  const due = pagesDue(here, { ...input, nowMs });
  for (let pages = 0; pages < due && needs.signal?.aborted !== true;) {
    const next = traversals.find(({ resource }) => !here?.done.includes(resource.name));
    if (next === undefined) return { kind: 'done', last: await finish(needs, here) };
    const before = here.pages;
    here = await traverseOn(needs, next, { here, most: due - pages });
    pages += Math.max(1, here.pages - before);
  }
  const isOver = traversals.every(({ resource }) => here?.done.includes(resource.name));
  return isOver ? { kind: 'done', last: await finish(needs, here) } : { kind: 'slice', pages: here.pages };
}

const nothing: SweepPosition['found'] = {
  read: 0,
  quarantined: 0,
  drift: {},
  meeting_dates: 0,
  unreadable: [],
  held_back: {},
  not_compared: 0,
};

/** Estimated from the rows in the tables. */
async function expectedPages({ store }: RunNeeds): Promise<number> {
  const { rows } = await overviewOf(store);
  const { contacts = 0, scheduled_events: meetings = 0, meeting_recaps: recaps = 0 } = rows;
  const listed = contacts + meetings + recaps + (rows['routing_form_submissions'] ?? 0);
  // A page has a hundred rows, or the invitees of twenty meetings.
  return Math.ceil(10 + listed / 100 + meetings / 20);
}

/** As many pages as the time since the start allows. */
function pagesDue(
  { started_at, pages, expected = 0 }: SweepPosition,
  { everyMs, nowMs }: SweepInput & { readonly nowMs: number },
): number {
  const passed = Math.min(1, (nowMs - Date.parse(started_at)) / (everyMs * share));
  // Once its time is up, the rest is read without pauses.
  return passed >= 1 ? Infinity : Math.max(1, Math.ceil(expected * passed) - pages);
}

async function traverseOn(
  needs: RunNeeds,
  { resource, deletes }: Traversal,
  { here, most }: { readonly here: SweepPosition; readonly most: number },
): Promise<SweepPosition> {
  using run = openRun(needs, { repair: true, allowDeletes: false });
  const { signal } = needs;
  let { since, token, whole, failures } = here.at ?? { since: '', token: null, whole: true, failures: 0 };
  let pages = 0;
  /** The token of the last slice had expired: this list is read without a pause, or no slice would reach its end. */
  let hasRestarted = false;
  const unreadable: string[] = [];
  const positionNow = (isDone: boolean): SweepPosition => ({
    ...here,
    pages: here.pages + pages,
    done: isDone ? [...here.done, resource.name] : here.done,
    at: isDone ? null : { since, token, whole, failures },
    found: added(here.found, run.tally, unreadable),
  });
  try {
    for await (const page of resource.pages(withShortRetries(needs.sources), { from: token ?? undefined, signal })) {
      since ||= page.observed ?? '';
      await run.take(page.records);
      pages += 1;
      hasRestarted ||= isRestarted(page);
      failures = 0;
      token = page.nextToken;
      unreadable.push(...leftOutIn(page.notices).map(({ what }) => what));
      whole &&= unreadable.length === 0;
      if (token === null) break;
      await save(needs, positionNow(false));
      if (pages >= most && !hasRestarted) return positionNow(false);
    }
    if (deletes !== undefined && whole && since !== '')
      unreadable.push(...(await run.carryOutDeletes(deletes, since)).map(({ what }) => what));
  } catch (error) {
    if (signal?.aborted === true || !isReadFailure(error)) throw error;
    failures += 1;
    // An outage passes; a list that always fails must not keep the others from being compared.
    if (isTransient(error) && failures < mostFailures) {
      await save(needs, positionNow(false));
      throw error;
    }
    unreadable.push(resource.name);
  }
  const after = positionNow(true);
  await save(needs, after);
  return after;
}

function added(found: SweepPosition['found'], tally: RunTally, unreadable: readonly string[]): SweepPosition['found'] {
  return {
    read: found.read + tally.read,
    quarantined: found.quarantined + tally.quarantined,
    drift: sumOf(found.drift, tally.drift),
    meeting_dates: found.meeting_dates + tally.meetingDates,
    unreadable: [...found.unreadable, ...unreadable],
    held_back: {
      ...found.held_back,
      ...Object.fromEntries(tally.heldBack.map(({ kind, deleted }) => [kind, deleted])),
    },
    not_compared: found.not_compared + tally.notCompared,
  };
}

function sumOf(before: SweepPosition['found']['drift'], more: DriftCounts): SweepPosition['found']['drift'] {
  const sum = { ...before };
  for (const [kind, hows] of Object.entries(more)) {
    const ofKind = { ...sum[kind] };
    for (const how of driftHows) if (hows[how]) ofKind[how] = (ofKind[how] ?? 0) + hows[how];
    sum[kind] = ofKind;
  }
  return sum;
}

const save = ({ store }: RunNeeds, here: SweepPosition): Promise<void> =>
  store.transaction((unit) => writeValue(unit, position, here));

async function finish(needs: RunNeeds, here: SweepPosition): Promise<LastRun> {
  const last: LastRun = { started_at: here.started_at, finished_at: needs.now().toISOString(), ...here.found };
  await recordRun(needs.store, 'full', { run: last });
  await needs.store.transaction((unit) => removeValues(unit, [position]));
  return last;
}
