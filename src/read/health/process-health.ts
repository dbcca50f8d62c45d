// The health items that follow from what the processes report about themselves. A receiver, which has no tables, shows these too.
import { z } from 'zod';
import { slotstream } from '#src/base/command.ts';
import { counted, duration } from '#src/base/number-text.ts';
import { timeText } from '#src/base/time.ts';
import { isMissing, lowDisksText, processName, sumOf } from '#src/store/process-reports.ts';
import type { ProcessRow } from '#src/store/processes.ts';

export const healthItem = z.strictObject({
  id: z.string().describe('`subscriptions`, `signatures`, `queue`, …'),
  state: z.enum(['ok', 'attention', 'problem']),
  sentence: z.string(),
  fix: z.string().optional().describe('What to do when it is not well; absent where nothing is to be done.'),
  link: z.string().optional().describe('The page that shows more.'),
});
export type HealthItem = z.output<typeof healthItem>;

export const ageText = (instant: string, nowMs: number): string => duration(Math.max(0, nowMs - Date.parse(instant)));

/** In batches; each holds up to 256 deliveries. More than that wait longer than they should. */
export const manyWaiting = 100;
/** From an event to its row. */
export const maxDelaySeconds = 300;

/** What the overview has to know of the process it is asked of, and of its settings. */
export interface Installation {
  /** Every process that reports, this one included. */
  processes(): Promise<readonly ProcessRow[]>;
  readonly queueEngine: string;
  /** Settings without a value that are needed to call the service, or to be called by it. */
  readonly missingSettings: readonly string[];
  readonly recentEveryMs: number;
  readonly fullEveryMs: number;
  /** How often each scheduled job runs. */
  readonly jobPeriods?: Readonly<Record<string, number>>;
}

interface ProcessInput {
  readonly nowMs: number;
  readonly processes: readonly ProcessRow[];
}

export function processHealth({ nowMs, processes }: ProcessInput): readonly HealthItem[] {
  const alive = processes.filter((each) => !isMissing(each, nowMs));
  return [signatures(alive), queue(alive, nowMs), lag(alive), spool(alive), disk(alive), running(processes, nowMs)];
}

function signatures(alive: readonly ProcessRow[]): HealthItem {
  const id = 'signatures';
  const [accepted, refused, stale] = [sumOf(alive, 'accepted'), sumOf(alive, 'refused'), sumOf(alive, 'refused_stale')];
  if (stale > 0)
    return {
      id,
      state: 'problem',
      sentence: `${counted(stale, 'correctly signed delivery was', 'correctly signed deliveries were')} rejected as too old within the last 10 minutes.`,
      fix: 'Check the clock of the receivers (or raise SIGNATURE_TOLERANCE_SECONDS).',
    };
  if (refused > accepted)
    return {
      id,
      state: 'attention',
      sentence: `${counted(refused, 'request', 'requests')} with a missing or wrong signature ${refused === 1 ? 'was' : 'were'} refused within the last 10 minutes; ${accepted === 0 ? 'none was' : counted(accepted, 'delivery was', 'deliveries were')} accepted.`,
      fix: `If the service sent them, its signing key is another one: ${slotstream} doctor`,
    };
  const arrived =
    accepted === 0 ? 'No delivery arrived' : `${counted(accepted, 'delivery was', 'deliveries were')} accepted`;
  return {
    id,
    state: 'ok',
    sentence: `${arrived} within the last 10 minutes; ${refused === 0 ? 'none' : refused} refused.`,
  };
}

function queue(alive: readonly ProcessRow[], nowMs: number): HealthItem {
  const item = { id: 'queue', link: '/queues' };
  if (alive.some((each) => each.queue === 'not answering'))
    return {
      ...item,
      state: 'problem',
      sentence: 'The queue does not answer.',
      fix: 'Nothing accepted is lost. Check that the queue at QUEUE_URL runs, is reachable and has room.',
    };
  const { waiting, failed, oldestAt } = queueOf(alive);
  if (waiting > manyWaiting)
    return {
      ...item,
      state: 'attention',
      sentence: `${counted(waiting, 'batch', 'batches')} are waiting.`,
      fix: `Run more workers: ${slotstream} work`,
    };
  if (oldestAt !== undefined && nowMs - Date.parse(oldestAt) > maxDelaySeconds * 1000)
    return {
      ...item,
      state: 'attention',
      sentence: `The oldest batch has waited for ${ageText(oldestAt, nowMs)}.`,
      fix: `Look at the log of the workers; ${slotstream} doctor checks the store.`,
    };
  if (failed > 0)
    return {
      ...item,
      state: 'attention',
      sentence: `${counted(failed, 'batch', 'batches')} failed.`,
      fix: `A running worker retries them: ${slotstream} work`,
    };
  return {
    ...item,
    state: 'ok',
    sentence: `The queue answers; ${waiting === 0 ? 'no batch is' : counted(waiting, 'batch is', 'batches are')} waiting.`,
  };
}

/** All processes see the same queue: the newest report counts. */
export function queueOf(alive: readonly ProcessRow[]) {
  const newest = alive
    .filter((each) => each.queue === 'answering')
    .toSorted((a, b) => (a.seen_at < b.seen_at ? 1 : -1))[0];
  return {
    waiting: newest?.queue_waiting ?? 0,
    active: newest?.queue_active ?? 0,
    failed: newest?.queue_failed ?? 0,
    oldestAt: newest?.queue_oldest_at ?? undefined,
    activeSince: newest?.active_oldest_at ?? undefined,
  };
}

/** Of the slowest worker. */
export function lagOf(alive: readonly ProcessRow[]): { readonly p50Ms: number; readonly p99Ms: number } | undefined {
  const measured = alive.flatMap(({ lag_p50_ms: p50Ms, lag_p99_ms: p99Ms }) =>
    p50Ms === null || p99Ms === null ? [] : [{ p50Ms, p99Ms }],
  );
  return measured.toSorted((a, b) => b.p50Ms - a.p50Ms)[0];
}

function lag(alive: readonly ProcessRow[]): HealthItem {
  const id = 'lag';
  const measured = lagOf(alive);
  if (measured === undefined)
    return { id, state: 'ok', sentence: 'No delivery became a row within the last 10 minutes.' };
  const { p50Ms, p99Ms } = measured;
  const [usual, longest] = [duration(p50Ms), duration(p99Ms)];
  if (p50Ms > maxDelaySeconds * 1000)
    return {
      id,
      state: 'problem',
      sentence: `Deliveries become rows ${usual} after their event.`,
      fix: `Run more workers: ${slotstream} work; and check the clocks: ${slotstream} doctor`,
    };
  if (p99Ms > maxDelaySeconds * 1000)
    return {
      id,
      state: 'attention',
      sentence: `Some deliveries are ${longest} late (usually ${usual}).`,
      fix: `The late ones were retried, or a clock is wrong: ${slotstream} doctor`,
    };
  return { id, state: 'ok', sentence: `Deliveries become rows after ${usual} (99 %: ${longest}).` };
}

function spool(alive: readonly ProcessRow[]): HealthItem {
  const id = 'spool';
  const full = alive.filter(({ journal_full: isFull }) => isFull);
  if (full.length > 0)
    return {
      id,
      state: 'problem',
      sentence: `The journal of ${full.map(processName).join(', ')} is full, so deliveries are rejected.`,
      fix: `Run more workers (${slotstream} work), or raise JOURNAL_MAX_MB.`,
    };
  const spooled = sumOf(alive, 'spool_deliveries');
  if (spooled > 0)
    return {
      id,
      state: 'attention',
      sentence: `${counted(spooled, 'delivery waits', 'deliveries wait')} on disk for the queue.`,
      fix: 'They are sent to the queue as soon as it answers.',
    };
  const losses = sumOf(alive, 'queue_losses');
  if (losses > 0)
    return {
      id,
      state: 'attention',
      sentence: `The queue lost jobs ${losses === 1 ? 'once' : `${losses} times`} within the last 10 minutes; they were enqueued again from the journal.`,
      fix: 'Find out why Redis lost data: see docs/durability.md.',
    };
  const journaled = sumOf(alive, 'journal_batches');
  const journal =
    journaled > 0 ? ` The journal has copies of ${counted(journaled, 'batch', 'batches')} in the queue.` : '';
  return { id, state: 'ok', sentence: `No delivery waits on disk.${journal}` };
}

function disk(alive: readonly ProcessRow[]): HealthItem {
  const id = 'disk';
  const low = lowDisksText(alive);
  if (low === '') return { id, state: 'ok', sentence: 'The disks have room.' };
  return {
    id,
    state: 'attention',
    sentence: `Little free disk space: ${low}.`,
    fix: 'Free disk space. Below MIN_FREE_DISK_MB they accept nothing more.',
  };
}

function running(processes: readonly ProcessRow[], nowMs: number): HealthItem {
  const item = { id: 'processes', link: '/mirror' };
  const alive = processes.filter((each) => !isMissing(each, nowMs));
  const missing = processes.find((each) => isMissing(each, nowMs));
  if (alive.length > 0 && alive.every(({ role }) => role === 'receive'))
    return {
      ...item,
      state: 'attention',
      sentence: 'No worker reports here: deliveries are accepted, but not applied as far as this process knows.',
      fix: `${slotstream} work`,
    };
  if (missing !== undefined)
    return {
      ...item,
      state: 'attention',
      sentence: `${processName(missing)} has not reported since ${timeText(missing.seen_at)}: it was killed, or cannot reach the database.`,
      fix: 'Start it again, if it is not meant to be gone. An hour after its last report it is no longer listed.',
    };
  if (alive.length === 0) return { ...item, state: 'ok', sentence: 'No process reports.' };
  return { ...item, state: 'ok', sentence: `Running: ${alive.map(processName).join(', ')}.` };
}
