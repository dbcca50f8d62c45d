// Records the outcome of sends. The rules may have closed or reopened an alert while its message was being sent, and another process may
// have claimed it since.
import type { Store, Unit } from '#src/store/contract.ts';
import { isRetraction, lockAlerts, reopenAlerts, retractAlerts, type Alert } from './alert-rows.ts';
import type { ClaimedAlert } from './claims.ts';
import { writeColumns } from '#src/store/rows.ts';

interface Outcome<Sent extends Alert> {
  /** The row as it is now, in the episode of the message. */
  readonly row: Alert;
  /** The row as it was when its message was built. */
  readonly sent: Sent;
}

async function lockOutcomes<Sent extends Alert>(
  unit: Unit,
  alerts: readonly Sent[],
): Promise<readonly Outcome<Sent>[]> {
  const locked = await lockAlerts(
    unit,
    alerts.map(({ id }) => id),
  );
  const rows = new Map(locked.map((row) => [row.id, row]));
  return alerts.flatMap((sent) => {
    const row = rows.get(sent.id);
    return row?.episode === sent.episode ? [{ row, sent }] : [];
  });
}

/** Records that these messages arrived. The recipient drops a repetition, and so does this. */
export async function markSent(unit: Unit, alerts: readonly Alert[], now: string): Promise<void> {
  const outcomes = await lockOutcomes(unit, alerts);
  const retractions = outcomes.filter(({ sent }) => isRetraction(sent)).map(({ row }) => row);
  const arrived = outcomes.filter(({ row, sent }) => !isRetraction(sent) && row.sent_at === null).map(({ row }) => row);
  const isOver = ({ state }: Alert): boolean => state === 'retracting' || state === 'retracted';
  const finished = [
    ...arrived.map((row) => ({ ...row, state: 'sent' as const, sent_at: now })),
    ...retractions.filter(({ state }) => state !== 'sent').map((row) => ({ ...row, state: 'retracted' as const })),
  ];
  await writeColumns(unit, 'alerts', {
    columns: ['state', 'attempts', 'last_error', 'claimed_at', 'sent_at', 'updated_at'],
    rows: finished.map(({ id, state, attempts, sent_at }) => ({
      id,
      state,
      attempts: attempts + 1,
      last_error: null,
      claimed_at: null,
      sent_at,
      updated_at: now,
    })),
  });
  // It ended while it was being sent.
  const wronglySent = arrived.filter(isOver).map((row) => ({ ...row, claimed_at: null, sent_at: now }));
  await retractAlerts(unit, wronglySent, now);
  // The fact became true again while the retraction was being sent.
  const wronglyRetracted = retractions.filter(({ state }) => state === 'sent');
  await reopenAlerts(
    unit,
    wronglyRetracted.map((row) => ({ ...row, due_at: now })),
    now,
  );
}

export interface Failure {
  readonly now: string;
  /** When to try again; undefined when the message is given up. */
  readonly next_at: string | undefined;
  /** What the recipient answered, without secrets and personal data; undefined when nothing was sent. */
  readonly error?: string;
  /** The message may have arrived all the same. */
  readonly outcomeUnknown?: boolean;
}

/** Records that these messages did not arrive, and gives their claims back. */
export async function markFailed(unit: Unit, alerts: readonly ClaimedAlert[], failure: Failure): Promise<void> {
  const { now, error, next_at, outcomeUnknown = false } = failure;
  const outcomes = await lockOutcomes(unit, alerts);
  // Another process has claimed it since this claim expired, or has recorded an outcome, which must stay.
  const own = outcomes.filter(({ row, sent }) => row.claimed_at === sent.claimed_at);
  const rows = own.map(({ row, sent: { state, earlierClaim = null } }) => {
    // While the outcome of this or an earlier attempt is unknown the claim stays: the message may have arrived.
    const claimed_at = outcomeUnknown ? row.claimed_at : earlierClaim;
    const isOver = state === 'pending' && isRetraction(row);
    const ended = claimed_at === null ? 'retracted' : row.state;
    return {
      id: row.id,
      state: isOver ? ended : next_at === undefined && row.state === state ? 'failed' : row.state,
      attempts: row.attempts + (error === undefined || isOver ? 0 : 1),
      last_error: error ?? row.last_error,
      claimed_at,
      next_at: isOver ? now : (next_at ?? row.next_at),
      updated_at: error === undefined ? row.updated_at : now,
    };
  });
  const columns = ['state', 'attempts', 'last_error', 'claimed_at', 'next_at', 'updated_at'] as const;
  await writeColumns(unit, 'alerts', { columns, rows });
}

export interface Postponement {
  readonly id: string;
  /** When the poller looks at it next. */
  readonly next_at: string;
  /** The digest it is sent with; absent: unchanged. */
  readonly digest?: string;
}

/** Defers alerts that wait, or puts them into a digest. The caller has locked the rows. */
export async function postpone(unit: Unit, postponed: readonly Postponement[]): Promise<void> {
  const deferred = postponed.filter(({ digest }) => digest === undefined);
  const times = deferred.map(({ id, next_at }) => ({ id, next_at }));
  await writeColumns(unit, 'alerts', { columns: ['next_at'], rows: times });
  const gathered = postponed.flatMap(({ id, next_at, digest }) =>
    digest === undefined ? [] : [{ id, next_at, digest }],
  );
  await writeColumns(unit, 'alerts', { columns: ['next_at', 'digest'], rows: gathered });
}

/** Lets failed alerts send their message again, starting with the first attempt. Returns their ids. */
export async function resend(unit: Unit, ids: readonly string[], now: string): Promise<readonly string[]> {
  const failed = (await lockAlerts(unit, ids)).filter(({ state }) => state === 'failed');
  const rows = failed.map(({ id, sent_at }) => ({
    id,
    state: sent_at === null ? ('pending' as const) : ('retracting' as const),
    attempts: 0,
    digest: null,
    next_at: now,
    updated_at: now,
  }));
  const columns = ['state', 'attempts', 'digest', 'next_at', 'updated_at'] as const;
  await writeColumns(unit, 'alerts', { columns, rows });
  return failed.map(({ id }) => id);
}

/** The ids of all alerts that were given up. */
export async function failedAlerts(from: Store | Unit): Promise<readonly string[]> {
  const rows = await from.db.selectFrom('alerts').select('id').where('state', '=', 'failed').execute();
  return rows.map(({ id }) => id);
}
