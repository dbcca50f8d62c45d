// Fills the mirror from the service, one resource after another. An interrupted backfill resumes where it stopped.
//
//   started ──▶ each resource: read · refused · failed (reported, the others continue) ──▶ complete: progress is removed, the next one
//     │                                                                               starts over; a failed resource resumes
//     └ killed or stopped ──▶ the next one resumes, and reads no resource twice
import { z } from 'zod';
import type { EventKind } from '#schemas/events.ts';
import type { Store } from '#src/store/contract.ts';
import { countsSchema, readProgress, removeProgress, noCounts, type Counts, type Progress } from './progress.ts';
import { traverseResource, type TraversalOutcome, type TraversalNeeds } from './traverse.ts';
import { allResources, type Resource, type ResourceName } from '#workers/sync/resources/registry.ts';
import { checkpoint, keyValue, readValue, removeValues, writeValue } from '#src/store/key-value.ts';
import { requireSameOrganization } from '#workers/sync/mirror-identity.ts';
import { recordFilled } from '#src/store/jobs/filled.ts';
import { wantedResources } from '#workers/sync/reconcile/plan.ts';
import { readEach, type ListOutcome } from '#workers/sync/read-each.ts';
import { accountOf } from '#workers/sync/sources.ts';

export interface BackfillInput {
  /** Empty: all resources. */
  readonly only: readonly ResourceName[];
  /** Start over, whatever an earlier backfill has read. */
  readonly restart: boolean;
  /** A resource that feeds none of these is left out. */
  readonly events: readonly EventKind[];
  readonly signal: AbortSignal;
}

export interface BackfillNeeds extends TraversalNeeds {
  readonly onOutcome: (outcome: ResourceOutcome) => void;
}

export interface ResourceOutcome extends ListOutcome {
  readonly name: ResourceName;
  /** `skipped`: EVENTS names none of its kinds. `waiting`: it was not started. */
  readonly state: TraversalOutcome['state'] | 'skipped' | 'waiting';
  readonly counts: Counts;
  /** The first of what will be missing from the mirror, and how to fix it; `counts.left_out` counts all. */
  readonly missing: readonly string[];
}

export interface BackfillReport {
  readonly isComplete: boolean;
  readonly resources: readonly ResourceOutcome[];
}

/** The resources that the current backfill has to read, according to every call so far, and those it has read. */
const run = checkpoint('backfill', z.object({ resources: z.array(z.string()), ended: z.array(z.string()) }));

/** What the last complete backfill read. */
const result = keyValue(
  'backfill_result',
  z.object({
    finished_at: z.string(),
    resources: z.array(
      z.object({ name: z.string(), state: z.string(), counts: countsSchema, missing: z.array(z.string()) }),
    ),
  }),
);

export interface BackfillState {
  /** Undefined when no backfill has begun, or the last one is complete. */
  readonly running:
    | {
        readonly resources: readonly string[];
        readonly ended: readonly string[];
        readonly progress: ReadonlyMap<string, Progress>;
      }
    | undefined;
  readonly last: z.output<(typeof result)['schema']> | undefined;
}

export async function readBackfillState(store: Pick<Store, 'db' | 'engine'>): Promise<BackfillState> {
  const last = await readValue(store, result);
  const begun = await readValue(store, run);
  if (begun === undefined) return { running: undefined, last };
  const progress = new Map<string, Progress>();
  for (const { name } of allResources) {
    const found = await readProgress(store, name);
    if (found) progress.set(name, found);
  }
  return { running: { ...begun, progress }, last };
}

export async function backfill(needs: BackfillNeeds, input: BackfillInput): Promise<BackfillReport> {
  const { store } = needs;
  await requireSameOrganization(store, accountOf(needs.sources), { claims: true });
  const chosen = allResources.filter(({ name }) => input.only.length === 0 || input.only.includes(name));
  const names = chosen.map(({ name }) => name);
  if (input.restart) await store.transaction((unit) => removeProgress(unit, names));
  const before = await readValue(store, run);
  const wanted = new Set([...(before?.resources ?? []), ...names]);
  const ended = new Set(
    (before?.ended ?? []).filter((ended) => !input.restart || !names.some((name) => name === ended)),
  );
  const save = () => {
    const value = { resources: [...wanted], ended: [...ended] };
    return store.transaction((unit) => writeValue(unit, run, value));
  };
  await save();

  const outcomes = await readEach(
    { sources: needs.sources, signal: input.signal },
    chosen.map((resource) => ({ resource })),
    async ({ resource }, sources, isLast) => {
      const outcome = await outcomeOf({ ...needs, sources }, resource, input);
      if (isLast || !outcome.isUnreachable) needs.onOutcome(outcome);
      else needs.onNotice(resource, { kind: 'postponed', list: resource.name });
      if (outcome.state === 'stopped' || outcome.state === 'waiting') ended.delete(resource.name);
      else ended.add(resource.name);
      await save();
      return outcome;
    },
  );
  if ([...wanted].every((name) => ended.has(name))) {
    if (wantedResources(input.events).every(({ name }) => wanted.has(name))) await recordFilled(store, needs.now());
    await finishRun(needs, outcomes);
  }
  return { isComplete: names.every((name) => ended.has(name)), resources: outcomes };
}

async function outcomeOf(
  needs: BackfillNeeds,
  resource: Resource,
  { events, signal }: BackfillInput,
): Promise<ResourceOutcome> {
  const { name, feeds } = resource;
  const none = { name, counts: noCounts, missing: [], isUnreachable: false };
  if (feeds.length > 0 && !feeds.some((kind) => events.includes(kind)))
    return { ...none, state: 'skipped', isSkipped: true };
  if (signal.aborted) return { ...none, state: 'waiting' };
  return { name, ...(await traverseResource(needs, resource, signal)) };
}

function finishRun({ store, now }: BackfillNeeds, outcomes: readonly ResourceOutcome[]): Promise<void> {
  return store.transaction(async (unit) => {
    const resources = outcomes.map(({ name, state, counts, missing }) => ({
      name,
      state,
      counts,
      missing: [...missing],
    }));
    await writeValue(unit, result, { finished_at: now(), resources });
    // What failed in the middle goes on from there; where only a list within it broke off, all is read again.
    const failed = outcomes.filter(({ state, error }) => state === 'failed' && error !== undefined);
    const names = allResources.map(({ name }) => name).filter((name) => !failed.some((one) => one.name === name));
    await removeProgress(unit, names);
    await removeValues(unit, [run]);
  });
}
