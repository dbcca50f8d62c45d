// The backfill of one resource: a page is folded while the next one is requested, and an interrupted traversal resumes where it stopped.
import type { FoldNeeds } from '#workers/pipeline/fold.ts';
import {
  countAlongside,
  noCounts,
  readProgress,
  readStaged,
  settle,
  stage,
  withPage,
  type Counts,
  type Progress,
  type StagedPage,
} from './progress.ts';
import { isTransient, type SlotstreamError } from '#src/base/errors.ts';
import type { ListOutcome } from '#workers/sync/read-each.ts';
import { failureText, isReadFailure, isRefusal, leftOutIn, leftOutText } from '#workers/sync/resources/left-out.ts';
import type { Notice, Resource, ResourcePage } from '#workers/sync/resources/registry.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import type { Sources } from '#workers/sync/sources.ts';

export interface TraversalNeeds extends FoldNeeds {
  readonly sources: Sources;
  /** The current time on our clock. */
  readonly now: () => string;
  /** Called at the start and after each page. */
  readonly onProgress: (resource: Resource, counts: Counts) => void;
  /** Called at the start, for a resource that can be counted. */
  readonly onTotal?: (resource: Resource, records: number) => void;
  readonly onNotice: (resource: Resource, notice: Notice) => void;
}

export interface TraversalOutcome extends ListOutcome {
  /** `already_complete`: an earlier process has read it, in the same backfill. `failed`: its rest could not be read. */
  readonly state: 'complete' | 'already_complete' | 'stopped' | 'refused' | 'failed';
  readonly counts: Counts;
  /** The first of what was left out, as text; the rest was read. */
  readonly missing: readonly string[];
}

/** A page in hand, and the progress that is stored with it. */
interface Step {
  readonly at: Progress;
  readonly page: StagedPage;
  readonly isStaged: boolean;
}

const beginning: Progress = {
  state: 'walking',
  counts: noCounts,
  from: null,
  next: null,
  counted: { created: 0, updated: 0 },
  missing: [],
};

/** Stops between two pages when `signal` aborts. */
export async function traverseResource(
  needs: TraversalNeeds,
  resource: Resource,
  signal: AbortSignal,
): Promise<TraversalOutcome> {
  const known = (await readProgress(needs.store, resource.name)) ?? beginning;
  const { counts, missing } = known;
  if (known.state === 'done') return { state: 'already_complete', counts, missing, isUnreachable: false };
  needs.onProgress(resource, counts);
  const staged = await readStaged(needs.store, resource.name);
  let last = known;
  let isDone = false;
  let error: SlotstreamError | undefined;
  try {
    const total = needs.onTotal && (await countOf(needs, resource, signal));
    if (total !== undefined) needs.onTotal?.(resource, total);
    const now = needs.now();
    const pace = { began_at: now, began_with: counts, stored_at: now, total };
    const steps = openSteps(needs, resource, { known: { ...known, pace }, staged, signal });
    for (let step = await steps.first(); !signal.aborted && !isDone;) {
      if (step !== undefined) last = await take(needs, resource, { step, request: steps.request });
      isDone = step === undefined || step.at.next === null;
      if (!isDone) step = await steps.after(last);
    }
  } catch (failure) {
    if (!signal.aborted && !isReadFailure(failure)) throw failure;
    if (!signal.aborted && isReadFailure(failure)) error = failure;
  }
  const ended: Progress = isDone ? { ...last, state: 'done', from: null } : last;
  // After an abort before any page was folded, the staged page stays.
  if (last !== known || isDone) await needs.store.transaction((unit) => settle(unit, resource.name, ended));
  if (error === undefined) {
    const state = isDone ? 'complete' : 'stopped';
    return { state, counts: ended.counts, missing: ended.missing, isUnreachable: false };
  }
  const { counts: read, missing: texts } = withLeftOut(ended, [failureText(error)]);
  const state = isRefusal(error) ? 'refused' : 'failed';
  return { state, counts: read, missing: texts, error, isUnreachable: isTransient(error) };
}

/** Only for the display: where the records cannot be counted, they are read all the same. */
async function countOf(
  { sources }: TraversalNeeds,
  resource: Resource,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    return await resource.count?.(sources, { signal });
  } catch (error) {
    if (!isReadFailure(error)) throw error;
    return undefined;
  }
}

const mostTexts = 20;

function withLeftOut(at: Progress, more: readonly string[]): Progress {
  const missing = [...at.missing, ...more].slice(0, mostTexts);
  return { ...at, missing, counts: { ...at.counts, left_out: at.counts.left_out + more.length } };
}

interface Steps {
  first(): Promise<Step | undefined>;
  /** Requests the next page. */
  request(): void;
  after(last: Progress): Promise<Step | undefined>;
}

interface Opening {
  readonly known: Progress;
  readonly staged: StagedPage | undefined;
  readonly signal: AbortSignal;
}

function openSteps(needs: TraversalNeeds, resource: Resource, { known, staged, signal }: Opening): Steps {
  const from = (staged ? known.next : known.from) ?? undefined;
  const pages = resource.pages(needs.sources, { from, signal });
  let coming: Promise<IteratorResult<ResourcePage, unknown>> | undefined;

  function request(): void {
    coming = pages.next();
    // `after` handles a rejection; until then, while the page before is folded, it must not count as unhandled.
    coming.catch(() => undefined);
  }

  async function after(last: Progress): Promise<Step | undefined> {
    if (coming === undefined) request();
    const next = await coming;
    if (next === undefined || next.done === true) return undefined;
    const { value } = next;
    const notices = value.notices ?? [];
    for (const notice of notices) needs.onNotice(resource, notice);
    const at = { ...withLeftOut(last, leftOutIn(notices).map(leftOutText)), next: value.nextToken };
    return { at, page: { records: value.records, rows: value.rows }, isStaged: false };
  }

  return {
    first: async () => (staged ? { at: known, page: staged, isStaged: true } : after(known)),
    request,
    after,
  };
}

/** Folds a page. Once it is staged, the next one can be requested. */
async function take(
  needs: TraversalNeeds,
  resource: Resource,
  { step, request }: { readonly step: Step; readonly request: () => void },
): Promise<Progress> {
  const { page, isStaged } = step;
  const { pace } = step.at;
  const at = { ...step.at, ...(pace && { pace: { ...pace, stored_at: needs.now() } }) };
  if (!isStaged) await needs.store.transaction((unit) => stage(unit, needs.screen, resource.name, { at, page }));
  if (at.next !== null) request();
  const report = await ingestRecords(needs, page.records, {
    source: 'backfill',
    now: needs.now(),
    alongside: (unit, { created, updated }) => countAlongside(unit, resource.name, { created, updated }),
  });
  const counts = withPage(at.counts, page, { report, counted: at.counted });
  needs.onProgress(resource, counts);
  return { ...at, counts, from: at.next, counted: beginning.counted };
}
