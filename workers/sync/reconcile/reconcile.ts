// Compares the mirror with the service, lists every row that differs, and repairs it when asked to.
//
//   recent   contacts changed since the last complete run, meetings of these weeks
//   gap      the same since deliveries began to be missing, with all future meetings; then everything
//   full     everything, whole records, and the deletes that were missed
import type { EventKind } from '#schemas/events.ts';
import { instantOf } from '#src/base/time.ts';
import { isStatus, type ApiError } from '#src/upstream/api-error.ts';
import { getCurrentUser } from '#src/upstream/endpoints.ts';
import type { ResourceName } from '#workers/sync/resources/registry.ts';
import type { DriftCounts } from './drift-report.ts';
import { isFilled, recordFilled, requireSameOrganization } from '#workers/sync/mirror-identity.ts';
import { accountOf } from '#workers/sync/sources.ts';
import type { HeldBack } from './find-deleted.ts';
import { openRun, type Run, type RunNeeds, type RunOptions } from './session.ts';
import { readReconcileState, recordRun, type LastRun } from './reconcile-state.ts';
import { fullTraversals, recentTraversals, wantedResources, withOverlap, type Traversal } from './plan.ts';

export interface ReconcileNeeds extends RunNeeds {
  readonly onProgress?: (resource: ResourceName, rows: number) => void;
}

export type Scope = { readonly kind: 'recent' | 'full' } | { readonly kind: 'gap'; readonly since: string };

export interface ReconcileInput extends RunOptions {
  readonly scope: Scope;
  readonly events: readonly EventKind[];
}

/** A resource that the token may not read, so that it is not compared. */
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
  readonly quarantined: number;
  readonly drift: DriftCounts;
  /** Contacts of which only the meeting dates differed: no drift. */
  readonly meetingDates: number;
  readonly unreadable: readonly Unreadable[];
  readonly heldBack: readonly HeldBack[];
  readonly notCompared: number;
}

export async function reconcile(needs: ReconcileNeeds, input: ReconcileInput): Promise<ReconcileReport> {
  await requireSameOrganization(needs.store, accountOf(needs.sources), { claims: input.repair });
  const wasFilled = await isFilled(needs.store);
  const startedAt = needs.now();
  const begunAt = await timeOfService(needs);
  using run = openRun(needs, input);
  const unreadable: Unreadable[] = [];
  let contactsFrom: string | undefined;
  for (const traversal of await traversalsOf(needs, input, startedAt)) {
    const refused = await traverse(needs, traversal, { run, begunAt });
    unreadable.push(...refused);
    if (traversal.resource.name === 'contacts' && refused.length === 0) contactsFrom = begunAt;
  }
  const report: ReconcileReport = {
    scope: input.scope.kind,
    repaired: input.repair,
    started_at: startedAt.toISOString(),
    finished_at: needs.now().toISOString(),
    ...run.tally,
    unreadable,
  };
  if (!input.repair) return report;
  // Copying what was never copied is no drift.
  await remember(needs, wasFilled ? report : { ...report, drift: {} }, contactsFrom);
  if (!wasFilled && input.scope.kind !== 'recent') await recordFilled(needs.store, report.finished_at);
  return report;
}

async function traversalsOf(
  needs: ReconcileNeeds,
  { scope, events }: ReconcileInput,
  now: Date,
): Promise<readonly Traversal[]> {
  const resources = wantedResources(events);
  if (scope.kind === 'full') return fullTraversals(resources);
  const nowMs = now.getTime();
  if (scope.kind === 'gap') {
    const since = withOverlap(scope.since);
    const window = { since, nowMs, meetingsFromMs: Date.parse(since), wholeFuture: true };
    // Recent changes first, since they are repaired fastest; only complete listings show missed deletes.
    return [...recentTraversals(resources, window), ...fullTraversals(resources)];
  }
  const { contacts_from: from } = await readReconcileState(needs.store);
  return recentTraversals(resources, { since: from === undefined ? undefined : withOverlap(from), nowMs });
}

/** The time on the service's clock, which rows use; every answer carries it. */
export async function timeOfService({ sources, signal }: Pick<ReconcileNeeds, 'sources' | 'signal'>): Promise<string> {
  return (await getCurrentUser(sources.client, { signal })).observed;
}

/** Returns what could not be read. */
async function traverse(
  needs: ReconcileNeeds,
  traversal: Traversal,
  { run, begunAt }: { readonly run: Run; readonly begunAt: string },
): Promise<readonly Unreadable[]> {
  const { resource, query, isLast, deletes } = traversal;
  const { signal } = needs;
  const unreadable: Unreadable[] = [];
  let rows = 0;
  try {
    for await (const page of resource.pages(needs.sources, { ...(query && { query }), signal })) {
      await run.take(page.records);
      unreadable.push(...refusedIn(page.notices ?? []));
      needs.onProgress?.(resource.name, (rows += page.rows));
      if (isLast?.(page) === true) break;
    }
  } catch (error) {
    if (!isStatus(error, 403)) throw error;
    unreadable.push({ what: resource.name, error });
  }
  // Never on a partial listing.
  if (deletes === undefined || unreadable.length > 0) return unreadable;
  return run.carryOutDeletes(deletes, secondAfter(begunAt));
}

/** The service's times have whole seconds: a row observed in the second in which the run began may have been observed before it. */
const secondAfter = (time: string): string => instantOf(Date.parse(time) + 1000);

export function refusedIn(
  notices: readonly { kind: string; list: string; error?: Unreadable['error'] }[],
): Unreadable[] {
  return notices.flatMap(({ list, error }) => (error === undefined ? [] : [{ what: list, error }]));
}

async function remember(needs: ReconcileNeeds, report: ReconcileReport, from: string | undefined): Promise<void> {
  const scope = report.scope === 'recent' ? 'recent' : 'full';
  await recordRun(needs.store, scope, { run: lastRunOf(report), contactsFrom: from });
}

export function lastRunOf(report: Omit<ReconcileReport, 'scope' | 'repaired'>): LastRun {
  const { started_at, finished_at, read, quarantined, drift } = report;
  return {
    started_at,
    finished_at,
    read,
    quarantined,
    drift: drift as LastRun['drift'],
    meeting_dates: report.meetingDates,
    unreadable: report.unreadable.map(({ what }) => what),
    held_back: Object.fromEntries(report.heldBack.map(({ kind, deleted }) => [kind, deleted])),
    not_compared: report.notCompared,
  };
}
