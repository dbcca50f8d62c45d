// The outbox of alerts: one row is one alert to one channel, and its retraction. A row holds no personal data; the text is built from the
// mirror's rows when a message is sent.
//
//   fact         with rule, channel and subject the identity of the alert: `id` is a hash of the four
//   due_at       the earliest time to send its message; next_at: when the poller looks at it next
//   claimed_at   when a worker last claimed it for sending, until the outcome of that send is recorded
//   sent_at      when the alert was last sent; null while the recipient has not got it, as far as is known
//   episode      counts how often the fact became true again after a retraction; part of the idempotency key the recipient sees
//   digest       the id of the digest its message is sent with; null when it is sent alone
//   detail       for a condition: what was found, in a few words and numbers
import { sql } from 'kysely';
import { instantOf } from '#src/base/time.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { decodeRow, deleteRows, insertRows, writeColumns } from '#src/store/rows.ts';
import { chunks } from '#src/store/prepared-sql.ts';
import { alertStates } from '#src/store/schema/own-state.ts';
import { columnsOf, type TableRow } from '#src/store/schema/tables.ts';

export type Alert = Readonly<TableRow<'alerts'>>;
export type AlertState = Alert['state'];

export type NewAlert = Pick<Alert, 'id' | 'rule' | 'channel' | 'subject_uri' | 'fact' | 'occurred_at' | 'due_at'> &
  Partial<Pick<Alert, 'detail'>>;

/** Longer than one send and the recording of its outcome; short enough that a killed process delays its alerts only briefly. */
export const claimMs = 20_000;

const keyOf = (id: string, episode: number): string => (episode === 1 ? id : `${id}-${episode}`);

type MessageAlert = Pick<Alert, 'id' | 'episode' | 'state'>;

/** Whether the message that the alert waits to send is its retraction. */
export const isRetraction = ({ state }: Pick<Alert, 'state'>): boolean => state === 'retracting';

/** The idempotency key: the same for every attempt of one episode, so that a recipient can drop a duplicate. */
export const messageIdOf = (alert: MessageAlert): string =>
  keyOf(isRetraction(alert) ? `${alert.id}-retraction` : alert.id, alert.episode);

/** The key of the message that a retraction retracts. */
export const retractedIdOf = (alert: MessageAlert): string | undefined =>
  isRetraction(alert) ? keyOf(alert.id, alert.episode) : undefined;

/** Exactly the condition of the partial index. */
export const isWaiting = sql<boolean>`state in ('pending', 'retracting')`;

const waitingAt = (from: Store | Unit, now: string) =>
  from.db.selectFrom('alerts').selectAll().where(isWaiting).where('next_at', '<=', now);

/** Alerts with a message to send whose `next_at` has come, oldest first. */
export async function dueAlerts(
  from: Store | Unit,
  { now, limit, channel }: { readonly now: string; readonly limit: number; readonly channel?: string },
): Promise<readonly Alert[]> {
  const rows = await waitingAt(from, now)
    .$if(channel !== undefined, (query) => query.where('channel', '=', channel ?? ''))
    .orderBy('next_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => alertOf(decodeRow(from.engine, 'alerts', row)));
}

/** Every alert of these digests whose `next_at` has come. */
export async function dueDigestAlerts(
  from: Store | Unit,
  { now, digests }: { readonly now: string; readonly digests: readonly string[] },
): Promise<readonly Alert[]> {
  const found: Alert[] = [];
  for (const chunk of chunks([...new Set(digests)].sort())) {
    const rows = await waitingAt(from, now).where('digest', 'in', chunk).execute();
    found.push(...rows.map((row) => alertOf(decodeRow(from.engine, 'alerts', row))));
  }
  return found;
}

export function readAlerts(from: Store | Unit, ids: readonly string[]): Promise<readonly Alert[]> {
  return alertsWhere(from, { column: 'id', values: ids });
}

/** Every alert about these subjects. */
export function alertsAbout(from: Store | Unit, subjects: readonly string[]): Promise<readonly Alert[]> {
  return alertsWhere(from, { column: 'subject_uri', values: subjects });
}

/** What alerts of these rules about facts since then are about. */
export async function alertedSubjects(
  { db }: Store,
  rules: readonly string[],
  since: string,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('alerts')
    .select('subject_uri')
    .where('rule', 'in', rules)
    .where('occurred_at', '>=', since)
    .execute();
  return rows.map(({ subject_uri: uri }) => uri);
}

/** Like `readAlerts`, and locks the rows until the end of the transaction on engines with concurrent writers. */
export function lockAlerts(unit: Unit, ids: readonly string[]): Promise<readonly Alert[]> {
  return alertsWhere(unit, { column: 'id', values: ids, lock: true });
}

export function lockAlertsAbout(unit: Unit, subjects: readonly string[]): Promise<readonly Alert[]> {
  return alertsWhere(unit, { column: 'subject_uri', values: subjects, lock: true });
}

interface Lookup {
  readonly column: 'id' | 'subject_uri';
  readonly values: readonly string[];
  readonly lock?: true;
}

async function alertsWhere(from: Store | Unit, { column, values, lock }: Lookup): Promise<readonly Alert[]> {
  const found: Alert[] = [];
  for (const chunk of chunks([...new Set(values)].sort())) {
    // Always in the same order, to avoid deadlocks.
    const query = from.db.selectFrom('alerts').selectAll().where(column, 'in', chunk).orderBy('id');
    const rows = await (lock && from.engine.manyWriters ? query.forUpdate() : query).execute();
    found.push(...rows.map((row) => alertOf(decodeRow(from.engine, 'alerts', row))));
  }
  return found;
}

/** Inserts new alerts. The caller holds a lock that keeps others from inserting the same ones. */
export function insertAlerts(unit: Unit, alerts: readonly NewAlert[], now: string): Promise<void> {
  const rows = alerts.map((alert) => ({
    ...alert,
    episode: 1,
    state: 'pending' as const,
    attempts: 0,
    next_at: alert.due_at,
    created_at: now,
    updated_at: now,
  }));
  return insertRows(unit, 'alerts', rows);
}

/** A message of these rows may be under way until then. */
const settledAt = ({ claimed_at: at }: Pick<Alert, 'claimed_at'>): string =>
  at === null ? '' : instantOf(Date.parse(at) + claimMs);

const later = (one: string, other: string): string => (one > other ? one : other);

const renewed = columnsOf(
  'alerts',
  'state attempts last_error episode digest due_at next_at claimed_at sent_at updated_at',
);

/** Makes alerts pending that are over: the fact is true again. The next message waits for the outcome of one that is under way. */
export function reopenAlerts(
  unit: Unit,
  alerts: readonly (Pick<Alert, 'id' | 'sent_at' | 'episode' | 'claimed_at'> & { readonly due_at: string })[],
  now: string,
): Promise<void> {
  const rows = alerts.map(({ id, sent_at, episode, claimed_at, due_at }) => ({
    id,
    state: 'pending' as const,
    attempts: 0,
    last_error: null,
    // An alert that was never marked as sent has the same idempotency key as before: its send may be under way.
    episode: sent_at === null ? episode : episode + 1,
    digest: null,
    due_at,
    next_at: later(due_at, settledAt({ claimed_at })),
    claimed_at: sent_at === null ? claimed_at : null,
    sent_at: null,
    updated_at: now,
  }));
  return writeColumns(unit, 'alerts', { columns: renewed, rows });
}

/** Closes alerts without a message: none was sent. */
export function closeAlerts(unit: Unit, ids: readonly string[], now: string): Promise<void> {
  const rows = ids.map((id) => ({ id, state: 'retracted' as const, updated_at: now }));
  return writeColumns(unit, 'alerts', { columns: ['state', 'updated_at'], rows });
}

/** Lets alerts send a retraction: they were sent, or a send is under way, whose outcome comes first. */
export function retractAlerts(
  unit: Unit,
  alerts: readonly Pick<Alert, 'id' | 'sent_at' | 'episode' | 'claimed_at'>[],
  now: string,
): Promise<void> {
  const rows = alerts.map(({ id, sent_at, episode, claimed_at }) => ({
    id,
    state: 'retracting' as const,
    attempts: 0,
    last_error: null,
    episode,
    digest: null,
    due_at: now,
    next_at: later(now, settledAt({ claimed_at })),
    claimed_at,
    sent_at,
    updated_at: now,
  }));
  return writeColumns(unit, 'alerts', { columns: renewed, rows });
}

/** Drops retractions that were not sent, because the facts are true again: the alerts count as sent. */
export function cancelRetractions(unit: Unit, ids: readonly string[], now: string): Promise<void> {
  const rows = ids.map((id) => ({ id, state: 'sent' as const, updated_at: now }));
  return writeColumns(unit, 'alerts', { columns: ['state', 'updated_at'], rows });
}

export function deleteAlerts(unit: Unit, ids: readonly string[]): Promise<void> {
  return deleteRows(unit, 'alerts', 'id', ids);
}

export function alertOf(row: TableRow<'alerts'>): Alert {
  return { ...row, state: alertStateOf(row.state) };
}

export function alertStateOf(stored: string): AlertState {
  const state = alertStates.find((each) => each === stored);
  if (state === undefined) throw new Error(`An alert has the unknown state "${stored}".`);
  return state;
}
