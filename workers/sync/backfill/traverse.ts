// The backfill of one resource: a page is folded while the next one is asked for, and a walk that ended early goes on where it was.
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
import type { Notice, Resource, ResourcePage } from '#workers/sync/resources/registry.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import type { Sources } from '#workers/sync/sources.ts';

export interface TraversalNeeds extends FoldNeeds {
  readonly sources: Sources;
  /** When it is, on our clock. */
  readonly now: () => string;
  /** Told where it begins, and after each page where it stands. */
  readonly onProgress: (resource: Resource, counts: Counts) => void;
  readonly onNotice: (resource: Resource, notice: Notice) => void;
}

export interface TraversalOutcome {
  /** `walked_before`: by an earlier process, in the same backfill. */
  readonly state: 'walked' | 'walked_before' | 'stopped';
  readonly counts: Counts;
  /** Of what was refused, in words; the rest was walked. */
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
  if (known.state === 'done') return { state: 'walked_before', counts, missing };
  needs.onProgress(resource, counts);
  const walk = await openWalk(needs, resource, { known, signal });
  let last = known;
  let isDone = false;
  try {
    for (let step = await walk.first(); !signal.aborted && !isDone;) {
      if (step !== undefined) last = await take(needs, resource, { step, ask: walk.ask });
      isDone = step === undefined || step.at.next === null;
      if (!isDone) step = await walk.after(last);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const ended: Progress = isDone ? { ...last, state: 'done', from: null } : last;
  // After an abort before anything was taken, what is staged stays.
  if (last !== known || isDone) await needs.store.transaction((unit) => settle(unit, resource.name, ended));
  return { state: isDone ? 'walked' : 'stopped', counts: ended.counts, missing: ended.missing };
}

interface Walk {
  first(): Promise<Step | undefined>;
  /** Sends for the next page. */
  ask(): void;
  after(last: Progress): Promise<Step | undefined>;
}

interface Opening {
  readonly known: Progress;
  readonly signal: AbortSignal;
}

async function openWalk(needs: TraversalNeeds, resource: Resource, { known, signal }: Opening): Promise<Walk> {
  const staged = await readStaged(needs.store, resource.name);
  const from = (staged ? known.next : known.from) ?? undefined;
  const pages = resource.pages(needs.sources, { from, signal });
  let coming: Promise<IteratorResult<ResourcePage, unknown>> | undefined;

  function ask(): void {
    coming = pages.next();
    // Whoever takes it is told; while the page before it is still being folded, nobody is there to be.
    coming.catch(() => undefined);
  }

  async function after(last: Progress): Promise<Step | undefined> {
    if (coming === undefined) ask();
    const { done, value } = (await coming) as IteratorResult<ResourcePage, undefined>;
    if (done === true) return undefined;
    const notices = value.notices ?? [];
    for (const notice of notices) needs.onNotice(resource, notice);
    const refused = notices.flatMap((notice) => (notice.kind === 'refused' ? [wordsOf(notice)] : []));
    const at = { ...last, next: value.nextToken, missing: [...last.missing, ...refused] };
    return { at, page: { records: value.records, rows: value.rows }, isStaged: false };
  }

  return {
    first: async () => (staged ? { at: known, page: staged, isStaged: true } : after(known)),
    ask,
    after,
  };
}

/** Folds a page. From here on it is ours, so that the next one can be asked for. */
async function take(
  needs: TraversalNeeds,
  resource: Resource,
  { step, ask }: { readonly step: Step; readonly ask: () => void },
): Promise<Progress> {
  const { at, page, isStaged } = step;
  if (!isStaged) await needs.store.transaction((unit) => stage(unit, needs.screen, resource.name, { at, page }));
  if (at.next !== null) ask();
  const report = await ingestRecords(needs, page.records, {
    source: 'backfill',
    now: needs.now(),
    alongside: (unit, { created, updated }) => countAlongside(unit, resource.name, { created, updated }),
  });
  const counts = withPage(at.counts, page.rows, { report, counted: at.counted });
  needs.onProgress(resource, counts);
  return { ...at, counts, from: at.next, counted: beginning.counted };
}

function wordsOf({ list, error }: Extract<Notice, { kind: 'refused' }>): string {
  return `${list}: ${error.message}${error.hint === undefined ? '' : ` → ${error.hint}`}`;
}
