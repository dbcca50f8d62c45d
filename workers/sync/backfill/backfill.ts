// Fills the mirror from the service, one resource after another. An interrupted backfill resumes where it stopped.
//
//   started ──▶ each resource: read · refused (reported, the others continue) ──▶ complete: progress is removed, the next one starts over
//     └ killed, stopped or failed ──▶ the next one resumes, and reads no resource twice
import { z } from 'zod';
import type { EventKind } from '#schemas/events.ts';
import { ApiError } from '#src/upstream/api-error.ts';
import type { Store } from '#src/store/contract.ts';
import { countsSchema, readProgress, removeProgress, noCounts, type Counts, type Progress } from './progress.ts';
import { traverseResource, type TraversalOutcome, type TraversalNeeds } from './traverse.ts';
import { allResources, type Resource, type ResourceName } from '#workers/sync/resources/registry.ts';
import { checkpoint, keyValue, readValue, removeValues, writeValue } from '#src/store/key-value.ts';
import { recordFilled, requireSameOrganization } from '#workers/sync/mirror-identity.ts';
import { wantedResources } from '#workers/sync/reconcile/plan.ts';
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

export interface ResourceOutcome {
  readonly name: ResourceName;
  /** `skipped`: EVENTS names none of its kinds. `waiting`: it was not started. */
  readonly state: TraversalOutcome['state'] | 'refused' | 'skipped' | 'waiting';
  readonly counts: Counts;
  /** What will be missing from the mirror, and how to fix it. */
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

  const outcomes: ResourceOutcome[] = [];
  for (const resource of chosen) {
    const outcome = await outcomeOf(needs, resource, input);
    outcomes.push(outcome);
    needs.onOutcome(outcome);
    if (outcome.state === 'stopped' || outcome.state === 'waiting') continue;
    ended.add(resource.name);
    await save();
  }
  if ([...wanted].every((name) => ended.has(name))) {
    if (wantedResources(input.events).every(({ name }) => wanted.has(name))) await recordFilled(store, needs.now());
    await finishRun(needs, {
      finished_at: needs.now(),
      resources: outcomes.map((each) => ({ ...each, missing: [...each.missing] })),
    });
  }
  return { isComplete: names.every((name) => ended.has(name)), resources: outcomes };
}

async function outcomeOf(
  needs: BackfillNeeds,
  resource: Resource,
  { events, signal }: BackfillInput,
): Promise<ResourceOutcome> {
  const { name, feeds } = resource;
  const none = { name, counts: noCounts, missing: [] };
  if (feeds.length > 0 && !feeds.some((kind) => events.includes(kind))) return { ...none, state: 'skipped' };
  if (signal.aborted) return { ...none, state: 'waiting' };
  try {
    return { name, ...(await traverseResource(needs, resource, signal)) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { ...none, state: 'refused', missing: [`${error.message}${error.hint ? ` → ${error.hint}` : ''}`] };
  }
}

/** The token lacks a scope, a plan or a role for one resource. A token that is not accepted at all ends the backfill. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 403 || error.status === 404);
}

function finishRun({ store }: BackfillNeeds, finished: z.output<(typeof result)['schema']>): Promise<void> {
  return store.transaction(async (unit) => {
    await writeValue(unit, result, finished);
    await removeProgress(
      unit,
      allResources.map(({ name }) => name),
    );
    await removeValues(unit, [run]);
  });
}
