// The outbox of alerts: one row is one message to one channel. A row holds no personal data; the text is built from the mirror's rows
// when the message is sent.
//
//   fact         with rule, channel and subject the identity of the alert: `id` is a hash of the four
//   follows      set on a retraction: the alert it retracts
//   due_at       the earliest time to send it; next_at: when the poller looks at it next
//   claimed_at   when a worker last claimed it for sending, until the outcome of that send is recorded
//   sent_at      when it was last sent
//   episode      counts how often the fact became true again after a retraction; part of the idempotency key the recipient sees
//   digest       the id of the digest it is sent with; null when it is sent alone
//   detail       for a condition: what was found, in a few words and numbers
import { sql } from 'kysely';
import type { Store, Unit } from '#src/store/contract.ts';
import { decodeRow, deleteRows, insertRows, writeColumns } from '#src/store/rows.ts';
import { chunks } from '#src/store/prepared-sql.ts';
import { columnsOf, type TableRow } from '#src/store/tables.ts';

export const alertStates = ['pending', 'sent', 'retracted', 'failed'] as const;
export type AlertState = (typeof alertStates)[number];

export type Alert = Readonly<Omit<TableRow<'alerts'>, 'state'>> & { readonly state: AlertState };

export type NewAlert = Pick<Alert, 'id' | 'rule' | 'channel' | 'subject_uri' | 'fact' | 'occurred_at' | 'due_at'> &
  Partial<Pick<Alert, 'follows' | 'episode' | 'detail'>>;

/** The idempotency key: the same for every attempt of one episode, so that a recipient can drop a duplicate. */
export const messageIdOf = ({ id, episode }: Pick<Alert, 'id' | 'episode'>): string =>
  episode === 1 ? id : `${id}-${episode}`;

export const retractionIdOf = (id: string): string => `${id}-retraction`;

/** Exactly the condition of the partial index. */
const pendingAt = (from: Store | Unit, now: string) =>
  from.db
    .selectFrom('alerts')
    .selectAll()
    .where(sql<boolean>`state = 'pending'`)
    .where('next_at', '<=', now);

/** Pending alerts whose `next_at` has come, oldest first. */
export async function dueAlerts(
  from: Store | Unit,
  { now, limit, channel }: { readonly now: string; readonly limit: number; readonly channel?: string },
): Promise<readonly Alert[]> {
  const rows = await pendingAt(from, now)
    .$if(channel !== undefined, (query) => query.where('channel', '=', channel ?? ''))
    .orderBy('next_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => alertOf(decodeRow(from.engine, 'alerts', row)));
}

/** Every pending alert of these digests whose `next_at` has come. */
export async function dueDigestAlerts(
  from: Store | Unit,
  { now, digests }: { readonly now: string; readonly digests: readonly string[] },
): Promise<readonly Alert[]> {
  const found: Alert[] = [];
  for (const chunk of chunks([...new Set(digests)].sort())) {
    const rows = await pendingAt(from, now).where('digest', 'in', chunk).execute();
    found.push(...rows.map((row) => alertOf(decodeRow(from.engine, 'alerts', row))));
  }
  return found;
}

export function readAlerts(from: Store | Unit, ids: readonly string[]): Promise<readonly Alert[]> {
  return alertsWhere(from, { column: 'id', values: ids });
}

/** Every alert about these subjects, retractions included. */
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
    episode: 1,
    ...alert,
    state: 'pending',
    attempts: 0,
    next_at: alert.due_at,
    created_at: now,
    updated_at: now,
  }));
  return insertRows(unit, 'alerts', rows);
}

/** Makes closed alerts pending again and deletes their retractions, so that a later one can be sent. */
export async function reopenAlerts(
  unit: Unit,
  alerts: readonly (Pick<Alert, 'id' | 'sent_at' | 'episode'> & { readonly due_at: string })[],
  now: string,
): Promise<void> {
  await deleteAlerts(
    unit,
    alerts.map(({ id }) => retractionIdOf(id)),
  );
  const rows = alerts.map(({ id, sent_at, episode, due_at }) => ({
    // An alert that was never marked as sent keeps its idempotency key: a send may be under way.
    id,
    state: 'pending',
    attempts: 0,
    last_error: null,
    episode: sent_at === null ? episode : episode + 1,
    digest: null,
    due_at,
    next_at: due_at,
    sent_at: null,
    updated_at: now,
  }));
  await writeColumns(unit, 'alerts', {
    columns: columnsOf('alerts', 'state attempts last_error episode digest due_at next_at sent_at updated_at'),
    rows,
  });
}

/** Closes alerts without a message. If a send is under way, `markSent` enqueues the retraction. */
export function closeAlerts(unit: Unit, ids: readonly string[], now: string): Promise<void> {
  const rows = ids.map((id) => ({ id, state: 'retracted', updated_at: now }));
  return writeColumns(unit, 'alerts', { columns: ['state', 'updated_at'], rows });
}

/** Closes alerts that were sent and enqueues a retraction for each. */
export async function retractAlerts(unit: Unit, alerts: readonly Alert[], now: string): Promise<void> {
  const ids = alerts.map(({ id }) => id);
  await closeAlerts(unit, ids, now);
  await deleteAlerts(unit, ids.map(retractionIdOf));
  const retractions = alerts.map(({ id, rule, channel, subject_uri, fact, episode, detail }) => ({
    id: retractionIdOf(id),
    follows: id,
    rule,
    channel,
    subject_uri,
    fact,
    episode,
    detail,
    occurred_at: now,
    due_at: now,
  }));
  await insertAlerts(unit, retractions, now);
}

/** Drops retractions that were not sent, because the facts are true again: the alerts count as sent. */
export async function cancelRetractions(unit: Unit, ids: readonly string[], now: string): Promise<void> {
  await deleteAlerts(unit, ids.map(retractionIdOf));
  const rows = ids.map((id) => ({ id, state: 'sent', updated_at: now }));
  await writeColumns(unit, 'alerts', { columns: ['state', 'updated_at'], rows });
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
