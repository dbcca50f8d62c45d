// The checks that follow from what the processes report about themselves. A receiver, which has no tables, shows these too.
import { slotstream } from '#src/base/command.ts';
import { counted } from '#src/base/number-text.ts';
import { timeText } from '#src/base/time.ts';
import { diskText, isMissing, machineOf, namesOf, processName } from '#src/store/process-reports.ts';
import { schemaVersion } from '#src/store/migrations.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import { ageText, type HealthCheck } from './health-check.ts';
import { diskCheck, diskLogCheck, lagCheck, lossCheck, maxDelayMs, signatureCheck } from './delivery-health.ts';

/** In batches; each holds up to 256 deliveries. More than that wait longer than they should. */
const manyWaiting = 100;

export interface ProcessInput {
  readonly nowMs: number;
  /** Every process that reports, also those that ended without a word. */
  readonly processes: readonly ProcessRow[];
  /** Through the database, the processes know of each other. `unknown`: this one has no connection to it. */
  readonly database: 'answering' | 'not answering' | 'unknown';
  /** Why it does not answer, where that is known. */
  readonly outage?: Pick<HealthCheck, 'sentence' | 'fix'> | undefined;
  /** Whether the service has an address to deliver to. */
  readonly isCalled: boolean;
  /** What the queue itself answered, where no process did. */
  readonly queue?: { readonly waiting: number; readonly failed: number } | 'not answering' | undefined;
}

export const aliveOf = ({ processes, nowMs }: Pick<ProcessInput, 'processes' | 'nowMs'>): readonly ProcessRow[] =>
  processes.filter((each) => !isMissing(each, nowMs));

/** The newest: after `kill -9`, a container starts with the same name and number again. */
export const rowOf = (
  rows: readonly ProcessRow[],
  { host, pid }: Pick<ProcessRow, 'host' | 'pid'>,
): ProcessRow | undefined =>
  rows
    .filter((row) => row.host === host && row.pid === pid)
    .toSorted((one, other) => (one.started_at < other.started_at ? 1 : -1))[0];

export function processHealth(input: ProcessInput): readonly HealthCheck[] {
  const { database, outage } = input;
  const storeDown = { ...databaseDown, ...outage };
  const alive = aliveOf(input);
  if (alive.length === 0)
    return [
      database === 'not answering' ? storeDown : running(input),
      ...(input.queue === undefined ? [] : [queue(input)]),
    ];
  return [
    ...(database === 'unknown' ? [] : [database === 'answering' ? running(input) : storeDown]),
    readiness(alive),
    signatureCheck(alive),
    queue(input),
    lagCheck(alive),
    diskLogCheck(alive),
    lossCheck(alive),
    diskCheck(alive),
  ];
}

/** The other processes report through the database: what is known of them is old. */
const databaseDown: HealthCheck = {
  id: 'store',
  state: 'problem',
  sentence: 'The database does not answer.',
  fix: 'Check that the database at DATABASE_URL runs and is reachable. Nothing is lost: accepted deliveries wait in the queue.',
};

function running(input: ProcessInput): HealthCheck {
  const { processes, isCalled } = input;
  const item = { id: 'processes', page: '/mirror' };
  if (processes.length === 0)
    return { ...item, state: 'warning', sentence: 'No process runs.', fix: `${slotstream} start` };
  const [alive, missing] = [aliveOf(input), missingOf(input)];
  const lastOf = (role: string): string => {
    const ended = missing.filter((each) => each.role === role);
    return ended.length === 0 ? '' : ` No report any more: ${namesOf(ended)}.`;
  };
  if (alive.every(({ role }) => role === 'receive')) {
    const { waiting } = queueOf(alive, input);
    const count = waiting === 0 ? '' : ` (${counted(waiting, 'batch', 'batches')})`;
    const sentence = `No worker runs: deliveries wait in the queue${count}.${lastOf('work')}`;
    return { ...item, state: 'problem', sentence, fix: `${slotstream} work` };
  }
  if (isCalled && alive.every(({ role }) => role === 'work')) {
    const sentence = `No receiver runs: the service reaches no process, and gives up after a day.${lastOf('receive')}`;
    const fix = `${slotstream} receive. If one runs on another machine, set DATABASE_URL there too, so that it reports.`;
    return { ...item, state: 'problem', sentence, fix };
  }
  // This process would have refused a newer schema than its own.
  const old = alive.filter((row) => row.role !== 'receive' && machineOf(row).schema < schemaVersion());
  if (old.length > 0)
    return {
      ...item,
      state: 'problem',
      sentence: `${old.map((row) => `${processName(row)} is of version ${row.version}`).join(', ')}: older than the database, into which it must not write.`,
      fix: 'Stop it, install the version of the other processes there, and start it again.',
    };
  const [first] = missing;
  if (first !== undefined)
    return {
      ...item,
      state: 'warning',
      sentence: `${namesOf(missing)} ${missing.length === 1 ? 'has' : 'have'} not reported since ${timeText(first.seen_at)}: killed, or without a connection to the database.`,
      fix: 'Start it again, if it is not meant to be gone. An hour after its last report it is no longer listed.',
    };
  return { ...item, state: 'ok', sentence: `Running: ${namesOf(alive)}.` };
}

/** All but those that ended without a word and were replaced. */
export function listedOf(input: Pick<ProcessInput, 'processes' | 'nowMs'>): readonly ProcessRow[] {
  const missing = missingOf(input);
  return input.processes.filter((each) => !isMissing(each, input.nowMs) || missing.includes(each));
}

/** Those that ended without a word, except where another of that role started since: each of these replaces one. */
function missingOf({ processes, nowMs }: Pick<ProcessInput, 'processes' | 'nowMs'>): readonly ProcessRow[] {
  const started = processes.toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1));
  const missing = processes.filter((each) => isMissing(each, nowMs));
  return missing
    .toSorted((a, b) => (a.seen_at < b.seen_at ? -1 : 1))
    .filter(({ id, role, seen_at: seen }) => {
      const at = started.findIndex((other) => other.id !== id && other.role === role && other.started_at >= seen);
      if (at >= 0) started.splice(at, 1);
      return at < 0;
    });
}

const reasons: Readonly<Record<string, readonly [why: string, fix: string]>> = {
  disk: ['its disk is almost full', 'Free disk space on its machine, or lower MIN_FREE_DISK_MB.'],
  queue: ['the queue does not answer', 'Check that the queue at QUEUE_URL runs and is reachable.'],
  disk_log: ['its disk log cannot be written', 'Look at its log.'],
  worker: ['no batch has ended for a minute', 'Look at its log, and restart it.'],
};

/** What the database, the queue and a full disk log do to a process has checks of its own. */
function readiness(alive: readonly ProcessRow[]): HealthCheck {
  const item = { id: 'readiness', page: '/mirror' };
  const unready = alive.flatMap((row) => {
    const { refuses, down, disks } = machineOf(row);
    const isStuck = down.includes('worker') && !down.includes('store');
    if (row.journal_full || !(refuses || isStuck)) return [];
    // Without room for it, a queue that answers counts as down.
    const isCause = (name: string) => down.includes(name) && (name !== 'queue' || row.queue !== 'answering');
    const causes = Object.entries(reasons).flatMap(([name, texts]) => (isCause(name) ? [texts] : []));
    const low = disks.filter(({ is_low: isLow }) => isLow);
    const free = low.length > 0 ? ` (${diskText(low)} free)` : '';
    const why = causes.map(([cause]) => cause).join(', ') || 'it is stopping';
    const what = refuses ? 'refuses deliveries' : 'applies nothing';
    return [{ sentence: `${processName(row)} ${what}: ${why}${free}.`, fixes: causes.map(([, fix]) => fix) }];
  });
  if (unready.length === 0) return { ...item, state: 'ok', sentence: 'Every process that reports does its work.' };
  return {
    ...item,
    state: 'problem',
    sentence: unready.map(({ sentence }) => sentence).join(' '),
    fix: [...new Set(unready.flatMap(({ fixes }) => fixes))].join(' ') || 'Look at its log.',
  };
}

function queue(input: ProcessInput): HealthCheck {
  const item = { id: 'queue', page: '/queues' };
  const { nowMs, database } = input;
  const alive = aliveOf(input);
  const cutOff = alive.filter((each) => each.queue === 'not answering');
  if (cutOff.length > 0 || input.queue === 'not answering')
    return {
      ...item,
      state: 'problem',
      sentence: `The queue does not answer${cutOff.length < alive.length ? ` ${namesOf(cutOff)}` : ''}.`,
      fix: 'Nothing accepted is lost. Check that the queue at QUEUE_URL runs, is reachable and has room.',
    };
  const { waiting, failed, oldestAt } = queueOf(alive, input);
  const batches = counted(waiting, 'batch is', 'batches are');
  // More workers do not help while the database is away.
  const canWork = database !== 'not answering' && alive.some(({ role }) => role !== 'receive');
  if (waiting > manyWaiting && canWork)
    return {
      ...item,
      state: 'warning',
      sentence: `${batches} waiting.`,
      fix: `Run more workers: ${slotstream} work`,
    };
  if (oldestAt !== undefined && nowMs - Date.parse(oldestAt) > maxDelayMs && canWork)
    return {
      ...item,
      state: 'warning',
      sentence: `The oldest batch has waited for ${ageText(oldestAt, nowMs)}.`,
      fix: `Look at the log of the workers; ${slotstream} doctor checks the store.`,
    };
  if (failed > 0 && canWork)
    return {
      ...item,
      state: 'warning',
      sentence: `${counted(failed, 'batch', 'batches')} failed.`,
      fix: `A running worker retries them: ${slotstream} work`,
    };
  return { ...item, state: 'ok', sentence: `The queue answers; ${waiting === 0 ? 'no batch is' : batches} waiting.` };
}

/** All processes see the same queue: the newest report counts. */
export function queueOf(alive: readonly ProcessRow[], { queue: answer }: Pick<ProcessInput, 'queue'> = {}) {
  const asked = answer === 'not answering' ? undefined : answer;
  const newest = alive
    .filter((each) => each.queue === 'answering')
    .toSorted((a, b) => (a.seen_at < b.seen_at ? 1 : -1))[0];
  return {
    waiting: newest?.queue_waiting ?? asked?.waiting ?? 0,
    active: newest?.queue_active ?? 0,
    failed: newest?.queue_failed ?? asked?.failed ?? 0,
    oldestAt: newest?.queue_oldest_at ?? undefined,
    activeSince: newest?.active_oldest_at ?? undefined,
  };
}
