// The full sweep in slices: a few pages at a time, so that it takes most of `SWEEP_EVERY` and never the whole rate budget. Where
// it stands is in the store: another process, or this one after a restart, goes on from there.
//
//   none ──due──▶ under way (resource, page token) ──last page──▶ buries what is gone ──next resource──▶ … ──▶ done
import { z } from 'zod';
import type { EventKind } from '#schemas/events.ts';
import { overviewOf } from '#src/store/status-counts.ts';
import { isStatus } from '#src/upstream/api-error.ts';
import { checkpoint, readValue, removeValues, writeValue } from '#src/store/key-value.ts';
import { driftHows, type DriftCounts } from './drift-report.ts';
import { requireSameOrganization } from '#workers/sync/mirror-identity.ts';
import { openRun, type RunNeeds, type RunTally } from './session.ts';
import { readReconcileState, updateReconcileState, type LastRun } from './reconcile-state.ts';
import { fullWalks, wantedResources, type Walk } from './plan.ts';
import { refusedIn, timeOfService } from './reconcile.ts';

export interface SweepInput {
  readonly everyMs: number;
  readonly events: readonly EventKind[];
}

const place = z.object({
  started_at: z.string(),
  /** Resources walked to the end. */
  done: z.array(z.string()),
  /** Where the next one stands: when its walk began, on the service's clock, and its next page. */
  at: z.object({ since: z.string(), token: z.string().nullable(), whole: z.boolean() }).nullable(),
  pages: z.number(),
  found: z.object({
    read: z.number(),
    kept: z.number(),
    drift: z.record(z.string(), z.record(z.string(), z.number())),
    unreadable: z.array(z.string()),
    held_back: z.record(z.string(), z.number()),
    not_compared: z.number().default(0),
  }),
});
type Place = z.output<typeof place>;

export type SliceOutcome =
  | { readonly kind: 'not due' }
  | { readonly kind: 'slice'; readonly pages: number }
  | { readonly kind: 'done'; readonly last: LastRun };

const position = checkpoint('sweep', place);
/** A sweep aims to be over well before the next is due. */
const share = 0.8;

export async function sweepSlice(needs: RunNeeds, input: SweepInput): Promise<SliceOutcome> {
  const nowMs = needs.now().getTime();
  let here = await readValue(needs.store, position);
  if (here === undefined) {
    const { full } = await readReconcileState(needs.store);
    if (full !== undefined && nowMs < Date.parse(full.started_at) + input.everyMs) return { kind: 'not due' };
    here = { started_at: needs.now().toISOString(), done: [], at: null, pages: 0, found: nothing };
  }
  await requireSameOrganization(needs, { claims: true });
  const walks = fullWalks(wantedResources(input.events));
  const due = await pagesDue(needs, here, { ...input, nowMs });
  for (let pages = 0; pages < due && needs.signal?.aborted !== true;) {
    const next = walks.find(({ resource }) => !here?.done.includes(resource.name));
    if (next === undefined) return { kind: 'done', last: await finish(needs, here) };
    const before = here.pages;
    here = await walkOn(needs, next, { here, most: due - pages });
    pages += Math.max(1, here.pages - before);
  }
  const isOver = walks.every(({ resource }) => here?.done.includes(resource.name));
  return isOver ? { kind: 'done', last: await finish(needs, here) } : { kind: 'slice', pages: here.pages };
}

const nothing: Place['found'] = { read: 0, kept: 0, drift: {}, unreadable: [], held_back: {}, not_compared: 0 };

/** In step with the time that has passed since it began, measured by what the tables hold. */
async function pagesDue(
  { store }: RunNeeds,
  { started_at, pages }: Place,
  { everyMs, nowMs }: SweepInput & { readonly nowMs: number },
): Promise<number> {
  const { rows } = await overviewOf(store);
  const { contacts = 0, scheduled_events: meetings = 0, meeting_recaps: recaps = 0 } = rows;
  const listed = contacts + meetings + recaps + (rows['routing_form_submissions'] ?? 0);
  // A hundred rows a page; the invitees of twenty meetings are one.
  const expected = 10 + listed / 100 + meetings / 20;
  const passed = Math.min(1, (nowMs - Date.parse(started_at)) / (everyMs * share));
  // Once its time is up, what is left goes without pauses.
  return passed >= 1 ? Infinity : Math.max(1, Math.ceil(expected * passed) - pages);
}

async function walkOn(
  needs: RunNeeds,
  { resource, buries }: Walk,
  { here, most }: { readonly here: Place; readonly most: number },
): Promise<Place> {
  using run = openRun(needs, { repair: true, allowDeletes: false });
  const at = here.at ?? { since: await timeOfService(needs), token: null, whole: true };
  const { signal } = needs;
  let { token, whole } = at;
  let pages = 0;
  const unreadable: string[] = [];
  const placeNow = (isDone: boolean): Place => ({
    ...here,
    pages: here.pages + pages,
    done: isDone ? [...here.done, resource.name] : here.done,
    at: isDone ? null : { since: at.since, token, whole },
    found: added(here.found, run.tally, unreadable),
  });
  try {
    for await (const page of resource.pages(needs.sources, { from: token ?? undefined, signal })) {
      await run.take(page.records);
      pages += 1;
      token = page.nextToken;
      unreadable.push(...refusedIn(page.notices ?? []).map(({ what }) => what));
      whole &&= unreadable.length === 0;
      if (token === null) break;
      await save(needs, placeNow(false));
      if (pages >= most) return placeNow(false);
    }
  } catch (error) {
    if (!isStatus(error, 403)) throw error;
    whole = false;
    unreadable.push(resource.name);
  }
  if (buries !== undefined && whole) unreadable.push(...(await run.bury(buries, at.since)).map(({ what }) => what));
  const after = placeNow(true);
  await save(needs, after);
  return after;
}

function added(found: Place['found'], tally: RunTally, unreadable: readonly string[]): Place['found'] {
  return {
    read: found.read + tally.read,
    kept: found.kept + tally.kept,
    drift: sumOf(found.drift, tally.drift),
    unreadable: [...found.unreadable, ...unreadable],
    held_back: { ...found.held_back, ...Object.fromEntries(tally.heldBack.map(({ kind, gone }) => [kind, gone])) },
    not_compared: found.not_compared + tally.notCompared,
  };
}

function sumOf(before: Place['found']['drift'], more: DriftCounts): Place['found']['drift'] {
  const sum = { ...before };
  for (const [kind, hows] of Object.entries(more)) {
    const ofKind = { ...sum[kind] };
    for (const how of driftHows) if (hows[how]) ofKind[how] = (ofKind[how] ?? 0) + hows[how];
    sum[kind] = ofKind;
  }
  return sum;
}

const save = ({ store }: RunNeeds, here: Place): Promise<void> =>
  store.transaction((unit) => writeValue(unit, position, here));

async function finish(needs: RunNeeds, here: Place): Promise<LastRun> {
  const last: LastRun = { started_at: here.started_at, finished_at: needs.now().toISOString(), ...here.found };
  await updateReconcileState(needs.store, (before) => ({ ...before, full: last }));
  await needs.store.transaction((unit) => removeValues(unit, [position]));
  return last;
}
