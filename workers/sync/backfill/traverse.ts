// The backfill of one resource: a page is folded while the next one is requested, and an interrupted traversal resumes where it stopped.
import type { FoldNeeds } from '#workers/fold/pipeline/fold.ts';
import { noCounts, readProgress, withLists, withPage, writeProgress, type Counts, type Progress } from './progress.ts';
import { isTransient, type SlotstreamError } from '#src/base/errors.ts';
import type { ListOutcome } from '#workers/sync/read-each.ts';
import { failureText, isReadFailure, isRefusal, leftOutIn, leftOutText } from '#workers/sync/resources/left-out.ts';
import type { Notice, Resource, ResourcePage } from '#workers/sync/resources/registry.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import type { Sources } from '#workers/sync/sources.ts';

export interface TraversalNeeds extends FoldNeeds {
  readonly sources: Sources;
  readonly now: () => string;
  /** Called at the start and after each page. */
  readonly onProgress: (resource: Resource, counts: Counts) => void;
  /** Called at the start, for a resource that can be counted. */
  readonly onTotal?: (resource: Resource, records: number) => void;
  readonly onNotice: (resource: Resource, notice: Notice) => void;
}

export interface TraversalOutcome extends ListOutcome {
  /** `already_complete`: an earlier process has read it, in the same backfill. `refused`: nothing of it could be read; `failed`: its rest. */
  readonly state: 'complete' | 'already_complete' | 'stopped' | 'refused' | 'failed';
  readonly counts: Counts;
  /** The first of what was left out, as text; the rest was read. */
  readonly missing: readonly string[];
}

const beginning: Progress = { state: 'walking', counts: noCounts, from: null, missing: [] };

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
  let last = known;
  let error: SlotstreamError | undefined;
  try {
    const total = needs.onTotal && (await countOf(needs, resource, signal));
    if (total !== undefined) needs.onTotal?.(resource, total);
    const now = needs.now();
    last = { ...known, pace: { began_at: now, began_with: counts, stored_at: now, total } };
    const pages = resource.pages(needs.sources, { from: known.from ?? undefined, signal });
    for (let coming = nextOf(pages); last.state !== 'done';) {
      const { value: page } = await coming;
      if (signal.aborted) break;
      // The next page is requested while this one is folded.
      if (page !== undefined && page.nextToken !== null) coming = nextOf(pages);
      last = await take(needs, resource, { last, page });
    }
  } catch (failure) {
    if (!signal.aborted && !isReadFailure(failure)) throw failure;
    if (!signal.aborted && isReadFailure(failure)) error = failure;
  }
  if (error === undefined) {
    const state = last.state !== 'done' ? 'stopped' : last.brokeOff ? 'failed' : 'complete';
    return { state, counts: last.counts, missing: last.missing, isUnreachable: false };
  }
  const { counts: read, missing: texts } = withLeftOut(last, [failureText(error)]);
  const isAnswered = last.from !== known.from;
  const state = isRefusal(error) && read.pages === 0 ? 'refused' : 'failed';
  return { state, counts: read, missing: texts, error, isUnreachable: isTransient(error), isAnswered };
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

/** Requests the next page; undefined after the last. */
function nextOf(pages: AsyncGenerator<ResourcePage, undefined>): Promise<{ readonly value: ResourcePage | undefined }> {
  const next = pages.next();
  // A rejection is handled when the page is taken; until then it must not count as unhandled.
  next.catch(() => undefined);
  return next;
}

/** Folds a page and stores the progress after it. */
async function take(
  needs: TraversalNeeds,
  resource: Resource,
  { last, page }: { readonly last: Progress; readonly page: ResourcePage | undefined },
): Promise<Progress> {
  const { records = [], notices = [], nextToken = null } = page ?? {};
  for (const notice of notices) needs.onNotice(resource, notice);
  const report = await ingestRecords(needs, records, { source: 'backfill', now: needs.now() });
  const entered = page === undefined ? last : withLists(last, page, needs.now());
  const at = withLeftOut(entered, leftOutIn(notices).map(leftOutText));
  const progress: Progress = {
    ...at,
    brokeOff: at.brokeOff === true || notices.some((notice) => notice.kind === 'left_out' && notice.isRest),
    state: nextToken === null ? 'done' : 'walking',
    from: nextToken,
    counts: page === undefined ? at.counts : withPage(at.counts, page, report),
    ...(at.pace && { pace: { ...at.pace, stored_at: needs.now() } }),
  };
  await needs.store.transaction((unit) => writeProgress(unit, resource.name, progress));
  needs.onProgress(resource, progress.counts);
  return progress;
}
