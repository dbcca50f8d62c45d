// The checks of what processes report about the way of a delivery: signatures, delay, disk log, disks and clocks.
import { slotstream } from '#src/base/command.ts';
import { counted, duration } from '#src/base/number-text.ts';
import { diskText, machineOf, namesOf, processName, sumOf } from '#src/store/process-reports.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import type { Finding, HealthCheck } from './health-check.ts';

/** From an event to its row. */
export const maxDelayMs = 300_000;
const maxSkewMs = 60_000;

export function signatureCheck(alive: readonly ProcessRow[]): HealthCheck {
  const id = 'signatures';
  const [accepted, refused] = [sumOf(alive, 'accepted'), sumOf(alive, 'refused')];
  const stale = staleCheck(alive);
  if (stale !== undefined) return { id, ...stale };
  if (refused > accepted)
    return {
      id,
      state: 'warning',
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

/** With a wrong clock, signatures look stale and correctly signed deliveries are rejected. */
export function staleCheck(alive: readonly ProcessRow[]): Finding | undefined {
  const rejecting = alive.filter(({ refused_stale: stale }) => (stale ?? 0) > 0);
  if (rejecting.length === 0) return undefined;
  const stale = sumOf(rejecting, 'refused_stale');
  return {
    state: 'problem',
    sentence: `${counted(stale, 'correctly signed delivery was', 'correctly signed deliveries were')} rejected as too old within the last 10 minutes by ${namesOf(rejecting)}.`,
    fix: 'Check the clock of that machine (or raise SIGNATURE_TOLERANCE_SECONDS).',
  };
}

/** Of the slowest worker. */
export function lagOf(alive: readonly ProcessRow[]): { readonly p50Ms: number; readonly p99Ms: number } | undefined {
  const measured = alive.flatMap(({ lag_p50_ms: p50Ms, lag_p99_ms: p99Ms }) =>
    p50Ms === null || p99Ms === null ? [] : [{ p50Ms, p99Ms }],
  );
  return measured.toSorted((a, b) => b.p50Ms - a.p50Ms)[0];
}

export function lagCheck(alive: readonly ProcessRow[], aboveMs = maxDelayMs): HealthCheck {
  const id = 'lag';
  const measured = lagOf(alive);
  if (measured === undefined)
    return { id, state: 'ok', sentence: 'No delivery became a row within the last 10 minutes.' };
  const { p50Ms, p99Ms } = measured;
  const [usual, longest] = [duration(p50Ms), duration(p99Ms)];
  if (p50Ms > aboveMs)
    return {
      id,
      state: 'problem',
      sentence: `Deliveries become rows ${usual} after their event.`,
      fix: `Run more workers: ${slotstream} work; and check the clocks: ${slotstream} doctor`,
    };
  if (p99Ms > aboveMs)
    return {
      id,
      state: 'warning',
      sentence: `Some deliveries are ${longest} late (usually ${usual}).`,
      fix: `The late ones were retried, or a clock is wrong: ${slotstream} doctor`,
    };
  return { id, state: 'ok', sentence: `Deliveries become rows after ${usual} (99 %: ${longest}).` };
}

export function fullDiskLogs(alive: readonly ProcessRow[]): Finding {
  const full = alive.filter(({ journal_full: isFull }) => isFull);
  if (full.length === 0) return { state: 'ok', sentence: 'The disk log has room.' };
  return {
    state: 'problem',
    sentence: `The disk log of ${namesOf(full)} is full and takes no deliveries.`,
    fix: `Check the queue, run more workers (${slotstream} work), or raise DISK_LOG_MAX_MB.`,
  };
}

/** After a restart, what is on disk waits for a moment, and for no queue that is away. */
function reportsWaiting({ queue, spool_deliveries: waiting, spool_since: since, seen_at: seen }: ProcessRow): boolean {
  const isBrief = since !== null && Date.parse(seen) - Date.parse(since) < 1_000;
  return (waiting ?? 0) > 0 && (queue === 'not answering' || !isBrief);
}

export function waitingOnDisk(alive: readonly ProcessRow[]): Finding {
  const holding = alive.filter(reportsWaiting);
  if (holding.length === 0) return { state: 'ok', sentence: 'No delivery waits on disk.' };
  const waiting = sumOf(holding, 'spool_deliveries');
  return {
    state: 'warning',
    sentence: `${counted(waiting, 'delivery waits', 'deliveries wait')} on the disk of ${namesOf(holding)} for the queue.`,
    fix: 'They are sent to the queue as soon as it answers.',
  };
}

/** A full disk log says more than deliveries that wait in one. */
export function diskLogCheck(alive: readonly ProcessRow[]): HealthCheck {
  const full = fullDiskLogs(alive);
  return { id: 'disk_log', ...(full.state === 'ok' ? waitingOnDisk(alive) : full) };
}

/** A Redis that forgets needs a look, although nothing is lost. */
export function lossCheck(alive: readonly ProcessRow[]): HealthCheck {
  const id = 'losses';
  const losses = sumOf(alive, 'queue_losses');
  if (losses > 0)
    return {
      id,
      state: 'warning',
      sentence: `The queue lost jobs ${losses === 1 ? 'once' : `${losses} times`} within the last 10 minutes; they were enqueued again from the disk log.`,
      fix: 'Find out why Redis lost data: see docs/durability.md.',
    };
  return { id, state: 'ok', sentence: 'The queue lost nothing.' };
}

export function diskCheck(alive: readonly ProcessRow[]): HealthCheck {
  const id = 'disk';
  const low = alive.flatMap((row) => {
    const disks = machineOf(row).disks.filter(({ is_low: isLow }) => isLow);
    return disks.length === 0 ? [] : [`${processName(row)}: ${diskText(disks)}`];
  });
  if (low.length === 0) return { id, state: 'ok', sentence: 'The disks have room.' };
  return {
    id,
    state: 'warning',
    sentence: `Little free disk space: ${low.join('; ')}.`,
    fix: 'Free disk space. Below MIN_FREE_DISK_MB, receivers accept nothing more.',
  };
}

/** By the clock of the database; that of the service is compared by the workers, which call it. */
export function clockCheck(
  alive: readonly ProcessRow[],
  service: { readonly aheadSeconds: number; readonly by: string } | undefined,
  aboveMs = maxSkewMs,
): HealthCheck {
  const id = 'clock';
  const isOff = (seconds: number): boolean => Math.abs(seconds) * 1000 > aboveMs;
  const off = alive.map((row) => ({ name: processName(row), seconds: machineOf(row).clock_ahead_seconds }));
  const texts = [
    ...(service && isOff(service.aheadSeconds)
      ? [`The clock of ${service.by} is ${skewText(service.aheadSeconds)} the service's.`]
      : []),
    ...off
      .filter(({ seconds }) => isOff(seconds))
      .map(({ name, seconds }) => `The clock of ${name} is ${skewText(seconds)} the database's.`),
  ];
  if (texts.length > 0)
    return { id, state: 'warning', sentence: texts.join(' '), fix: 'Set the clock of that machine by NTP.' };
  return {
    id,
    state: 'ok',
    sentence: service ? 'The clocks agree.' : 'The clocks agree; that of the service was not compared lately.',
  };
}

const skewText = (seconds: number): string =>
  `${duration(Math.abs(seconds) * 1000)} ${seconds > 0 ? 'ahead of' : 'behind'}`;
