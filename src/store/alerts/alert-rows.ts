// The outbox of alerts: one row is one message to one channel. No person stands in it; what it says is made from the rows of the
// mirror when it leaves.
//
//   fact         with rule, channel and subject its identity: `id` is made of them
//   follows      of a follow-up: the alert it takes back
//   due_at       when it may leave at the earliest; next_at  when to look at it next
//   claimed_at   when it was last taken to be sent, until it is known what became of that
//   sent_at      when somebody was told, last
//   episode      how often it has become so after having been taken back; part of the key that the other side sees
//   digest       the message it leaves with, where that is not its own
//   detail       of a condition: what it found, in a few words and numbers
import { sql } from 'kysely';
import type { Store, Unit } from '#src/store/contract.ts';
import { decodeRow, deleteRows, insertRows, writeColumns } from '#src/store/rows.ts';
import { chunks } from '#src/store/prepared-sql.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import { columnsOf } from '#src/store/tables.ts';

const alertStates = ['pending', 'sent', 'retracted', 'failed'] as const;
export type AlertState = (typeof alertStates)[number];

export interface Alert {
  readonly id: string;
  readonly rule: string;
  readonly channel: string;
  readonly subjectUri: string;
  readonly fact: string;
  readonly follows: string | null;
  readonly state: AlertState;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly episode: number;
  readonly digest: string | null;
  readonly detail: string | null;
  readonly occurredAt: string;
  readonly dueAt: string;
  readonly nextAt: string;
  readonly claimedAt: string | null;
  readonly sentAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type NewAlert = Pick<Alert, 'id' | 'rule' | 'channel' | 'subjectUri' | 'fact' | 'occurredAt' | 'dueAt'> &
  Partial<Pick<Alert, 'follows' | 'episode' | 'detail'>>;

/** The same for every attempt, another when it is said anew: whoever gets it twice can tell. */
export const messageIdOf = ({ id, episode }: Pick<Alert, 'id' | 'episode'>): string =>
  episode === 1 ? id : `${id}-${episode}`;

export const followUpOf = (id: string): string => `${id}-retraction`;

/** What waits and is to be looked at by now, the longest first. */
export async function dueAlerts(
  from: Store | Unit,
  { now, limit, channel }: { readonly now: string; readonly limit: number; readonly channel?: string },
): Promise<readonly Alert[]> {
  const rows = await from.db
    .selectFrom('alerts')
    .selectAll()
    // To the letter the condition of the index.
    .where(sql<boolean>`state = 'pending'`)
    .where('next_at', '<=', from.engine.encode('time', now))
    .$if(channel !== undefined, (query) => query.where('channel', '=', channel ?? ''))
    .orderBy('next_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => alertOf(from, row));
}

/** All that wait for one of these digests and are to be looked at by now. */
export async function digestsDue(
  from: Store | Unit,
  { now, digests }: { readonly now: string; readonly digests: readonly string[] },
): Promise<readonly Alert[]> {
  const found: Alert[] = [];
  for (const chunk of chunks([...new Set(digests)].sort())) {
    const rows = await from.db
      .selectFrom('alerts')
      .selectAll()
      .where(sql<boolean>`state = 'pending'`)
      .where('next_at', '<=', from.engine.encode('time', now))
      .where('digest', 'in', chunk)
      .execute();
    found.push(...rows.map((row) => alertOf(from, row)));
  }
  return found;
}

export function readAlerts(from: Store | Unit, ids: readonly string[]): Promise<readonly Alert[]> {
  return alertsWhere(from, { column: 'id', values: ids });
}

/** Every alert of these subjects. */
export function alertsAbout(from: Store | Unit, subjects: readonly string[]): Promise<readonly Alert[]> {
  return alertsWhere(from, { column: 'subject_uri', values: subjects });
}

/** As `readAlerts`, held to the end of the transaction where many write at once. */
export function holdAlerts(unit: Unit, ids: readonly string[]): Promise<readonly Alert[]> {
  return alertsWhere(unit, { column: 'id', values: ids, hold: true });
}

export function holdAlertsAbout(unit: Unit, subjects: readonly string[]): Promise<readonly Alert[]> {
  return alertsWhere(unit, { column: 'subject_uri', values: subjects, hold: true });
}

interface Asked {
  readonly column: 'id' | 'subject_uri';
  readonly values: readonly string[];
  readonly hold?: true;
}

async function alertsWhere(from: Store | Unit, { column, values, hold }: Asked): Promise<readonly Alert[]> {
  const found: Alert[] = [];
  for (const chunk of chunks([...new Set(values)].sort())) {
    // In one order, so that two who hold the same rows never wait for each other in a ring.
    const query = from.db.selectFrom('alerts').selectAll().where(column, 'in', chunk).orderBy('id');
    const rows = await (hold && from.engine.manyWriters ? query.forUpdate() : query).execute();
    found.push(...rows.map((row) => alertOf(from, row)));
  }
  return found;
}

/** New ones: whoever adds them holds what keeps others from adding the same. */
export function addAlerts(unit: Unit, alerts: readonly NewAlert[], now: string): Promise<void> {
  const rows = alerts.map(({ id, rule, channel, fact, subjectUri, occurredAt, dueAt, ...more }) => ({
    id,
    rule,
    channel,
    fact,
    subject_uri: subjectUri,
    state: 'pending',
    attempts: 0,
    last_error: null,
    follows: more.follows ?? null,
    episode: more.episode ?? 1,
    detail: more.detail ?? null,
    digest: null,
    occurred_at: occurredAt,
    due_at: dueAt,
    next_at: dueAt,
    claimed_at: null,
    sent_at: null,
    created_at: now,
    updated_at: now,
  }));
  return insertRows(unit, 'alerts', rows);
}

/** They are said anew when due. Of what was said before, the follow-up goes, so that another one can leave. */
export async function renewAlerts(
  unit: Unit,
  alerts: readonly (Pick<Alert, 'id' | 'sentAt' | 'episode'> & { readonly dueAt: string })[],
  now: string,
): Promise<void> {
  await removeAlerts(
    unit,
    alerts.map(({ id }) => followUpOf(id)),
  );
  const rows = alerts.map(({ id, sentAt, episode, dueAt }) => ({
    // What was never said keeps its key: it may be on its way.
    id,
    state: 'pending',
    attempts: 0,
    last_error: null,
    episode: sentAt === null ? episode : episode + 1,
    digest: null,
    due_at: dueAt,
    next_at: dueAt,
    sent_at: null,
    updated_at: now,
  }));
  await writeColumns(unit, 'alerts', {
    columns: columnsOf('alerts', 'state attempts last_error episode digest due_at next_at sent_at updated_at'),
    rows,
  });
}

/** Nobody is told. Were they on their way, `markSent` sees to it that they are taken back. */
export function silenceAlerts(unit: Unit, ids: readonly string[], now: string): Promise<void> {
  const rows = ids.map((id) => ({ id, state: 'retracted', updated_at: now }));
  return writeColumns(unit, 'alerts', { columns: ['state', 'updated_at'], rows });
}

/** They were said: a follow-up for each. */
export async function retractAlerts(unit: Unit, alerts: readonly Alert[], now: string): Promise<void> {
  const ids = alerts.map(({ id }) => id);
  await silenceAlerts(unit, ids, now);
  await removeAlerts(unit, ids.map(followUpOf));
  const followUps = alerts.map(({ id, rule, channel, subjectUri, fact, episode, detail }) => ({
    id: followUpOf(id),
    follows: id,
    rule,
    channel,
    subjectUri,
    fact,
    episode,
    detail,
    occurredAt: now,
    dueAt: now,
  }));
  await addAlerts(unit, followUps, now);
}

/** What they said is so again before anybody was told otherwise. */
export async function upholdAlerts(unit: Unit, ids: readonly string[], now: string): Promise<void> {
  await removeAlerts(unit, ids.map(followUpOf));
  const rows = ids.map((id) => ({ id, state: 'sent', updated_at: now }));
  await writeColumns(unit, 'alerts', { columns: ['state', 'updated_at'], rows });
}

export function removeAlerts(unit: Unit, ids: readonly string[]): Promise<void> {
  return deleteRows(unit, 'alerts', 'id', ids);
}

export function alertOf({ engine }: Pick<Unit, 'engine'>, stored: StoredColumns): Alert {
  const row = decodeRow(engine, 'alerts', stored);
  return {
    id: row.id,
    rule: row.rule,
    channel: row.channel,
    subjectUri: row.subject_uri,
    fact: row.fact,
    follows: row.follows,
    state: stateOf(row.state),
    attempts: row.attempts,
    lastError: row.last_error,
    episode: row.episode,
    digest: row.digest,
    detail: row.detail,
    occurredAt: row.occurred_at,
    dueAt: row.due_at,
    nextAt: row.next_at,
    claimedAt: row.claimed_at,
    sentAt: row.sent_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function stateOf(stored: string): AlertState {
  const state = alertStates.find((each) => each === stored);
  if (state === undefined) throw new Error(`An alert has the unknown state "${stored}".`);
  return state;
}
