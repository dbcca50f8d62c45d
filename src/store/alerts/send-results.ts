// Records the outcome of sends. The rules may have closed or reopened an alert while its message was being sent: it was sent all the
// same, and the row must show that.
import type { Store, Unit } from '#src/store/contract.ts';
import { closeAlerts, lockAlerts, reopenAlerts, retractAlerts, retractionIdOf, type Alert } from './alert-rows.ts';
import { lockClaims } from './claims.ts';
import { writeColumns } from '#src/store/rows.ts';

/** `sent`: the rows as they were before they were claimed. */
export async function markSent(unit: Unit, sent: readonly Alert[], now: string): Promise<void> {
  // Together with the rows that this may insert, delete or reopen: one lock order for all, to avoid deadlocks.
  const related = sent.map(({ id, follows }) => follows ?? retractionIdOf(id));
  const locked = await lockById(unit, [...sent.map(({ id }) => id), ...related]);
  const current = sent.flatMap((one) => {
    const row = locked.get(one.id);
    // A row of another episode, or one that is marked already, means that this send was a repetition.
    return row?.episode === one.episode && row.sent_at === null ? [row] : [];
  });
  const rows = current.map(({ id, state, attempts }) => ({
    id,
    state: state === 'retracted' ? state : 'sent',
    attempts: attempts + 1,
    last_error: null,
    claimed_at: null,
    sent_at: now,
    updated_at: now,
  }));
  await writeColumns(unit, 'alerts', {
    columns: ['state', 'attempts', 'last_error', 'claimed_at', 'sent_at', 'updated_at'],
    rows,
  });
  // Closed while its message was being sent.
  await retractAlerts(
    unit,
    current.filter(({ state }) => state === 'retracted'),
    now,
  );
  // A retraction was sent although it had been canceled meanwhile: the fact is true, so its alert is sent once more.
  const wronglyRetracted = sent.flatMap(({ id, follows, episode }) => {
    const retracted = follows === null || locked.has(id) ? undefined : locked.get(follows);
    return retracted?.state === 'sent' && retracted.episode === episode ? [{ ...retracted, due_at: now }] : [];
  });
  await reopenAlerts(unit, wronglyRetracted, now);
}

/**
 * Closes alerts whose fact is no longer true and gives back their claim, because they were not sent. Leaves alone what is not pending
 * any more. `alerts`: the rows as they were before they were claimed.
 */
export async function closeUnsent(unit: Unit, alerts: readonly Alert[], now: string): Promise<void> {
  const claims = await lockClaims(unit, alerts);
  const rows = claims.map(({ before: { id, claimed_at } }) => ({ id, claimed_at }));
  await writeColumns(unit, 'alerts', { columns: ['claimed_at'], rows });
  const pending = claims.filter(({ row }) => row.state === 'pending').map(({ row }) => row.id);
  await closeAlerts(unit, pending, now);
}

export interface Failure {
  readonly now: string;
  /** What the recipient answered, without secrets and personal data. */
  readonly error: string;
  /** When to try again; undefined when the alert is given up. */
  readonly next_at: string | undefined;
  /** The message may have arrived all the same. */
  readonly outcomeUnknown?: boolean;
}

/** `tried`: the rows as they were before they were claimed. */
export async function markFailed(
  unit: Unit,
  tried: readonly Alert[],
  { now, error, next_at, outcomeUnknown = false }: Failure,
): Promise<void> {
  const rows = (await lockClaims(unit, tried)).map(({ row, before }) => ({
    id: row.id,
    state: next_at === undefined && row.state === 'pending' ? 'failed' : row.state,
    attempts: row.attempts + 1,
    last_error: error,
    // While the outcome of this or an earlier attempt is unknown the claim stays, so that closing the alert sends a retraction.
    claimed_at: outcomeUnknown ? row.claimed_at : before.claimed_at,
    next_at: next_at ?? row.next_at,
    updated_at: now,
  }));
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

/** Defers pending alerts, or puts them into a digest. The caller has locked the rows. */
export async function postpone(unit: Unit, postponed: readonly Postponement[]): Promise<void> {
  const deferred = postponed.filter(({ digest }) => digest === undefined);
  const times = deferred.map(({ id, next_at }) => ({ id, next_at }));
  await writeColumns(unit, 'alerts', { columns: ['next_at'], rows: times });
  const gathered = postponed.flatMap(({ id, next_at, digest }) =>
    digest === undefined ? [] : [{ id, next_at, digest }],
  );
  await writeColumns(unit, 'alerts', { columns: ['next_at', 'digest'], rows: gathered });
}

/** Makes failed alerts pending again, starting with the first attempt. Returns their ids. */
export async function resend(unit: Unit, ids: readonly string[], now: string): Promise<readonly string[]> {
  const failed = (await lockAlerts(unit, ids)).filter(({ state }) => state === 'failed');
  const rows = failed.map(({ id }) => ({
    id,
    state: 'pending',
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

async function lockById(unit: Unit, ids: readonly string[]): Promise<ReadonlyMap<string, Alert>> {
  return new Map((await lockAlerts(unit, ids)).map((row) => [row.id, row]));
}
