// Compares the mirror with the service, lists every row that differs, and repairs it when asked to.
//
//   poll     contacts changed since the last complete run, meetings with the invitees of those that changed
//   recent   contacts changed since the last complete run, meetings of these weeks
//   gap      the same since deliveries began to be missing, with all future meetings; then everything
//   full     everything, whole records, and the deletes that were missed
import type { EventKind } from '#schemas/events.ts';
import { isTransient } from '#src/base/errors.ts';
import { dayMs, instantOf } from '#src/base/time.ts';
import { readEach, type ListOutcome } from '#workers/sync/read-each.ts';
import { isReadFailure, leftOut, leftOutIn, type LeftOut } from '#workers/sync/resources/left-out.ts';
import type { ResourceName } from '#workers/sync/resources/registry.ts';
import type { DriftCounts } from '#src/store/jobs/drift-counts.ts';
import { requireSameOrganization } from '#workers/sync/mirror-identity.ts';
import { isFilled, recordFilled } from '#src/store/jobs/filled.ts';
import { accountOf } from '#workers/sync/sources.ts';
import type { ServiceRecord } from '#workers/sync/records.ts';
import type { HeldBack } from './find-deleted.ts';
import { openRun, type Run, type RunNeeds, type RunOptions } from './session.ts';
import { readReconcileState, recordRun, type LastRun } from '#src/store/jobs/reconcile-state.ts';
import {
  fullTraversals,
  recentTraversals,
  restTraversals,
  wantedResources,
  withOverlap,
  type Traversal,
} from './plan.ts';

export interface ReconcileNeeds extends RunNeeds {
  readonly onProgress?: (resource: ResourceName, rows: number) => void;
}

export type Scope = { readonly kind: 'poll' | 'recent' | 'full' } | { readonly kind: 'gap'; readonly since: string };

export interface ReconcileInput extends RunOptions {
  readonly scope: Scope;
  readonly events: readonly EventKind[];
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
  /** Lists and records that could not be read, so that they are not compared. */
  readonly unreadable: readonly LeftOut[];
  readonly heldBack: readonly HeldBack[];
  readonly notCompared: number;
}

export async function reconcile(needs: ReconcileNeeds, input: ReconcileInput): Promise<ReconcileReport> {
  await requireSameOrganization(needs.store, accountOf(needs.sources), { claims: input.repair });
  const wasFilled = await isFilled(needs.store);
  const startedAt = needs.now();
  using run = openRun(needs, input);
  const traversals = await traversalsOf(needs, input, startedAt);
  const outcomes = await readEach(needs, traversals, (traversal, sources) =>
    traverse({ ...needs, sources }, traversal, run),
  );
  const unreadable = outcomes.flatMap((outcome) => outcome.unreadable);
  const contacts = outcomes.find((one) => one.name === 'contacts' && one.unreadable.length === 0);
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
  await remember(needs, wasFilled ? report : { ...report, drift: {} }, contacts?.begunAt);
  if (!wasFilled && (input.scope.kind === 'full' || input.scope.kind === 'gap') && isAsCompleteAsAllowed(report))
    await recordFilled(needs.store, report.finished_at);
  return report;
}

/** Whether everything was compared that can be read; otherwise a later run can compare more. */
export const isAsCompleteAsAllowed = ({ unreadable }: Pick<ReconcileReport, 'unreadable'>): boolean =>
  unreadable.every(({ isLasting }) => isLasting);

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
  const since = from === undefined ? undefined : withOverlap(from);
  if (scope.kind === 'poll')
    return recentTraversals(resources, { since, nowMs, wholeFuture: true, readsChanged: true });
  return [
    ...recentTraversals(resources, { since, nowMs }),
    ...(needs.isPolled === true ? restTraversals(resources, nowMs) : []),
  ];
}

interface TraversalOutcome extends ListOutcome {
  readonly name: ResourceName;
  /** When its first page was requested, on the service's clock, which rows use. */
  readonly begunAt: string | undefined;
  readonly unreadable: readonly LeftOut[];
}

export async function traverse(needs: ReconcileNeeds, traversal: Traversal, run: Run): Promise<TraversalOutcome> {
  const { resource, query, isBrief = false, readsChanged = false, isLast, deletes } = traversal;
  const { name } = resource;
  const { signal } = needs;
  const unreadable: LeftOut[] = [];
  const news = new Set<unknown>();
  const isNestedRead = readsChanged ? (uri: string) => news.has(uri) : undefined;
  let begunAt: string | undefined;
  let rows = 0;
  try {
    for await (const page of resource.pages(needs.sources, {
      ...(query && { query }),
      isBrief,
      isNestedRead,
      signal,
    })) {
      begunAt ??= page.observed;
      for (const uri of await run.take(page.records)) news.add(uri);
      for (const { record } of page.records) if (beganWithinDay(record, needs.now())) news.add(record['uri']);
      unreadable.push(...leftOutIn(page.notices));
      needs.onProgress?.(name, (rows += page.rows));
      if (isLast?.(page) === true) break;
    }
    // Never on a partial listing.
    if (deletes !== undefined && begunAt !== undefined && unreadable.length === 0)
      unreadable.push(...(await run.carryOutDeletes(deletes, secondAfter(begunAt))));
    return { name, begunAt, unreadable, isUnreachable: false };
  } catch (error) {
    if (signal?.aborted === true || !isReadFailure(error)) throw error;
    return {
      name,
      begunAt,
      unreadable: [...unreadable, leftOut(name, error)],
      error,
      isUnreachable: isTransient(error),
      isAnswered: rows > 0,
    };
  }
}

const beganWithinDay = ({ start_time: start }: ServiceRecord['record'], now: Date): boolean => {
  const agoMs = now.getTime() - Date.parse(String(start));
  return agoMs >= 0 && agoMs < dayMs;
};

/** The service's times have whole seconds: a row observed in the second in which the run began may have been observed before it. */
const secondAfter = (time: string): string => instantOf(Date.parse(time) + 1000);

async function remember(needs: ReconcileNeeds, report: ReconcileReport, from: string | undefined): Promise<void> {
  const scope = report.scope === 'full' || report.scope === 'gap' ? 'full' : 'recent';
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
