// What became of sending alerts. Whoever settles what is so may have changed it while a message was on its way: then it has been
// said all the same, and the row must show that.
import type { Store, Unit } from '#src/store/contract.ts';
import { holdAlerts, readAlerts, renewAlerts, retractAlerts, type Alert } from './alert-rows.ts';
import { writeColumns } from '#src/store/rows.ts';

/** `sent`: the rows as they were read before they were sent. */
export async function markSent(unit: Unit, sent: readonly Alert[], now: string): Promise<void> {
  const held = await heldOf(unit, sent);
  const known = sent.flatMap((one) => {
    const row = held.get(one.id);
    // Of another episode it was said before, and this is a repetition.
    return row?.episode === one.episode && row.sentAt === null ? [row] : [];
  });
  const rows = known.map(({ id, state, attempts }) => ({
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
  // Over while it was on its way.
  await retractAlerts(
    unit,
    known.filter(({ state }) => state === 'retracted'),
    now,
  );
  await sayAnew(unit, sent, { held, now });
}

/** A follow-up that left although it was not wanted any more: what it took back stands, and is said once more. */
async function sayAnew(
  unit: Unit,
  sent: readonly Alert[],
  { held, now }: { readonly held: ReadonlyMap<string, Alert>; readonly now: string },
): Promise<void> {
  const gone = sent.filter(({ id, follows }) => follows !== null && !held.has(id));
  const episodes = new Map(gone.map(({ follows, episode }) => [follows, episode]));
  const followed = await holdAlerts(
    unit,
    gone.flatMap(({ follows }) => follows ?? []),
  );
  const wrong = followed.filter(({ id, state, episode }) => state === 'sent' && episodes.get(id) === episode);
  await renewAlerts(
    unit,
    wrong.map((alert) => ({ ...alert, dueAt: now })),
    now,
  );
}

export interface Failure {
  readonly now: string;
  /** What the other side said, without secrets and people. */
  readonly error: string;
  /** When to try again; undefined: given up. */
  readonly nextAt: string | undefined;
  /** Perhaps it was said all the same. */
  readonly unsure?: boolean;
}

/** `tried`: the rows as they were read before they were claimed. */
export async function markFailed(
  unit: Unit,
  tried: readonly Alert[],
  { now, error, nextAt, unsure = false }: Failure,
): Promise<void> {
  const held = await heldOf(unit, tried);
  const rows = tried.flatMap(({ id, episode, claimedAt: before }) => {
    const row = held.get(id);
    if (row?.episode !== episode || row.state === 'sent') return [];
    const given = nextAt === undefined && row.state === 'pending';
    return [
      {
        id,
        state: given ? 'failed' : row.state,
        attempts: row.attempts + 1,
        last_error: error,
        // As long as nobody knows better, it may have been said, now or at an earlier attempt: when it is over, it is taken back.
        claimed_at: unsure ? row.claimedAt : before,
        next_at: nextAt ?? row.nextAt,
        updated_at: now,
      },
    ];
  });
  const columns = ['state', 'attempts', 'last_error', 'claimed_at', 'next_at', 'updated_at'] as const;
  await writeColumns(unit, 'alerts', { columns, rows });
}

export interface Postponed {
  readonly id: string;
  /** When to look at it next. */
  readonly nextAt: string;
  /** The message it leaves with, where that is not its own; absent: as it was. */
  readonly digest?: string | null;
}

/** Neither sent nor failed: not now. Leaves alone what is not waiting any more. */
export async function postpone(unit: Unit, postponed: readonly Postponed[]): Promise<void> {
  const held = new Map(
    (
      await holdAlerts(
        unit,
        postponed.map(({ id }) => id),
      )
    ).map((row) => [row.id, row]),
  );
  const rows = postponed.flatMap(({ id, nextAt, digest }) => {
    const row = held.get(id);
    if (row?.state !== 'pending') return [];
    return [{ id, next_at: nextAt, digest: digest === undefined ? row.digest : digest }];
  });
  await writeColumns(unit, 'alerts', { columns: ['next_at', 'digest'], rows });
}

/** Those given up are tried again, from the first attempt on. Answers which. */
export async function resend(unit: Unit, ids: readonly string[], now: string): Promise<readonly string[]> {
  const failed = (await holdAlerts(unit, ids)).filter(({ state }) => state === 'failed');
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

/** All that were given up. */
export async function failedAlerts(from: Store | Unit): Promise<readonly Alert[]> {
  const rows = await from.db.selectFrom('alerts').select('id').where('state', '=', 'failed').execute();
  return readAlerts(
    from,
    rows.map(({ id }) => id),
  );
}

async function heldOf(unit: Unit, alerts: readonly Alert[]): Promise<Map<string, Alert>> {
  const held = await holdAlerts(
    unit,
    alerts.map(({ id }) => id),
  );
  return new Map(held.map((row) => [row.id, row]));
}
