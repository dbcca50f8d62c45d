// Compares the mirror with the service, walk after walk, names every row that differs, and repairs it when asked to.
//
//   recent   contacts changed since the last complete run, meetings of these weeks
//   gap      the same since deliveries began to be missing, all meetings ahead; then everything
//   full     everything, whole records, and the deletes that were missed
import type { EventKind } from '#schemas/events.ts';
import { instantOf } from '#src/base/time.ts';
import { isStatus, type ApiError } from '#src/upstream/api-error.ts';
import { getCurrentUser } from '#src/upstream/endpoints/users.ts';
import type { ResourceName } from '#workers/sync/resources/registry.ts';
import type { DriftCounts } from './drift-report.ts';
import { requireSameOrganization } from '#workers/sync/mirror-identity.ts';
import type { HeldBack } from './find-deleted.ts';
import { openRun, type Run, type RunNeeds, type RunOptions } from './session.ts';
import { readReconcileState, updateReconcileState, type LastRun } from './reconcile-state.ts';
import { fullWalks, recentWalks, wantedResources, withOverlap, type Walk } from './plan.ts';

export interface ReconcileNeeds extends RunNeeds {
  readonly onProgress?: (resource: ResourceName, rows: number) => void;
}

export type Scope = { readonly kind: 'recent' | 'full' } | { readonly kind: 'gap'; readonly since: string };

export interface ReconcileInput extends RunOptions {
  readonly scope: Scope;
  readonly events: readonly EventKind[];
}

/** Something that may not be read, so that it is not compared. */
export interface Unreadable {
  readonly what: string;
  readonly error: Pick<ApiError, 'message' | 'hint'>;
}

export interface ReconcileReport {
  readonly scope: Scope['kind'];
  readonly repaired: boolean;
  readonly started_at: string;
  readonly finished_at: string;
  readonly read: number;
  readonly kept: number;
  readonly drift: DriftCounts;
  readonly unreadable: readonly Unreadable[];
  readonly heldBack: readonly HeldBack[];
  readonly notCompared: number;
}

export async function reconcile(needs: ReconcileNeeds, input: ReconcileInput): Promise<ReconcileReport> {
  await requireSameOrganization(needs, { claims: input.repair });
  const startedAt = needs.now();
  const begunAt = await timeOfService(needs);
  using run = openRun(needs, input);
  const unreadable: Unreadable[] = [];
  let contactsFrom: string | undefined;
  for (const walk of await walksOf(needs, input, startedAt)) {
    const refused = await walkThrough(needs, walk, { run, begunAt });
    unreadable.push(...refused);
    if (walk.resource.name === 'contacts' && refused.length === 0) contactsFrom = begunAt;
  }
  const report: ReconcileReport = {
    scope: input.scope.kind,
    repaired: input.repair,
    started_at: startedAt.toISOString(),
    finished_at: needs.now().toISOString(),
    ...run.tally,
    unreadable,
  };
  if (input.repair) await remember(needs, report, contactsFrom);
  return report;
}

async function walksOf(needs: ReconcileNeeds, { scope, events }: ReconcileInput, now: Date): Promise<readonly Walk[]> {
  const resources = wantedResources(events);
  if (scope.kind === 'full') return fullWalks(resources);
  const nowMs = now.getTime();
  if (scope.kind === 'gap') {
    const since = withOverlap(scope.since);
    const window = { since, nowMs, meetingsFromMs: Date.parse(since), wholeFuture: true };
    // What can be mended fast comes first; missed deletes show in complete listings only.
    return [...recentWalks(resources, window), ...fullWalks(resources)];
  }
  const { contacts_from: from } = await readReconcileState(needs.store);
  return recentWalks(resources, { since: from === undefined ? undefined : withOverlap(from), nowMs });
}

/** By its own clock, which is the one that stands in rows; any call tells it. */
export async function timeOfService({ sources, signal }: Pick<ReconcileNeeds, 'sources' | 'signal'>): Promise<string> {
  return (await getCurrentUser(sources.client, { signal })).observed;
}

/** Answers what could not be read. */
async function walkThrough(
  needs: ReconcileNeeds,
  walk: Walk,
  { run, begunAt }: { readonly run: Run; readonly begunAt: string },
): Promise<readonly Unreadable[]> {
  const { resource, query, isOver, buries } = walk;
  const { signal } = needs;
  const unreadable: Unreadable[] = [];
  let rows = 0;
  try {
    for await (const page of resource.pages(needs.sources, { ...(query && { query }), signal })) {
      await run.take(page.records);
      unreadable.push(...refusedIn(page.notices ?? []));
      needs.onProgress?.(resource.name, (rows += page.rows));
      if (isOver?.(page) === true) break;
    }
  } catch (error) {
    if (!isStatus(error, 403)) throw error;
    unreadable.push({ what: resource.name, error });
  }
  // Never on a partial listing.
  return buries === undefined || unreadable.length > 0 ? unreadable : run.bury(buries, secondAfter(begunAt));
}

/** Times of answers are of whole seconds: what was heard in the second the run began may have been heard before it. */
const secondAfter = (time: string): string => instantOf(Date.parse(time) + 1000);

export function refusedIn(
  notices: readonly { kind: string; list: string; error?: Unreadable['error'] }[],
): Unreadable[] {
  return notices.flatMap(({ list, error }) => (error === undefined ? [] : [{ what: list, error }]));
}

async function remember(needs: ReconcileNeeds, report: ReconcileReport, from: string | undefined): Promise<void> {
  const part = report.scope === 'recent' ? 'recent' : 'full';
  await updateReconcileState(needs.store, (before) => ({
    ...before,
    contacts_from: from ?? before.contacts_from,
    [part]: lastRunOf(report),
  }));
}

export function lastRunOf(report: Omit<ReconcileReport, 'scope' | 'repaired'>): LastRun {
  const { started_at, finished_at, read, kept, drift } = report;
  return {
    started_at,
    finished_at,
    read,
    kept,
    drift: drift as LastRun['drift'],
    unreadable: report.unreadable.map(({ what }) => what),
    held_back: Object.fromEntries(report.heldBack.map(({ kind, gone }) => [kind, gone])),
    not_compared: report.notCompared,
  };
}
