// What the rows must be, said a second time and differently: all facts at once, the greatest version of each field, nothing
// stored on the way. It shares no code with the fold.
import { createHash } from 'node:crypto';
import type { Fact } from '../harness/histories.ts';
import { noShowOf } from './no-show-oracle.ts';
import { childRows, fieldColumns, tableOf, type OracleTable } from './oracle-columns.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type Record_ = { [key: string]: Json };

/** A fact about one row, as the oracle sees it. */
export interface Spoken {
  readonly table: OracleTable;
  readonly uri: string;
  readonly version: readonly (string | number)[];
  readonly observed: string;
  readonly record: Record_;
}

const ranks: Record<string, number> = {
  'invitee.canceled': 3,
  'event_type.deleted': 3,
  'invitee.created': 1,
  'event_type.created': 1,
  'contact.created': 1,
  'meeting_recap.created': 1,
  'routing_form_submission.created': 1,
};

export function expectedRows(facts: readonly Fact[], eraseOnDelete: boolean): unknown {
  const sound = facts.filter((fact) => fact.sound).map(normal);
  const spoken = sound.flatMap(speak);
  const deletes = Map.groupBy(sound.flatMap(deletion), ({ table, uri }) => `${table} ${uri}`);
  const byRow = Map.groupBy(spoken, ({ table, uri }) => `${table} ${uri}`);
  const tables: Record<string, Record_[]> = {};
  for (const id of new Set([...byRow.keys(), ...deletes.keys()])) {
    const [table, uri] = id.split(' ') as [OracleTable, string];
    const deletedAt = deletes.get(id)?.map(({ at }) => at).toSorted()[0] ?? null;
    const forgotten = table === 'contacts' && deletedAt !== null && eraseOnDelete;
    const row = rowOf(table, uri, forgotten ? [] : (byRow.get(id) ?? []));
    if ('deleted_at' in row) Object.assign(row, { deleted_at: deletedAt, deleted_source: deletedAt && 'webhook' });
    row['as_of'] ??= deletedAt;
    const { open = null, ...noShow } = table === 'invitees' ? noShowOf(sound.filter(({ payload }) => payload['uri'] === uri)) : {};
    (tables[table] ??= []).push({ ...row, ...noShow });
    for (const [child, rows] of childRows(table, uri, row)) if (rows.length > 0) (tables[child] ??= []).push(...rows);
    if (open) (tables['no_shows'] ??= []).push({ invitee_uri: uri, no_show_uri: open.uri, marked_at: open.created_at, unmarked_at: null });
  }
  return sorted(tables);
}

function rowOf(table: OracleTable, uri: string, spoken: readonly Spoken[]): Record_ {
  const ordered = spoken.toSorted((a, b) => (before(a.version, b.version) ? -1 : 1));
  const newest = ordered.at(-1);
  const row: Record_ = { uri };
  const lagging: string[] = [];
  for (const [field, columns] of Object.entries(fieldColumns[table])) {
    const says = ordered.findLast(({ record }) => record[field] !== undefined);
    Object.assign(row, columns(says?.record[field] ?? null));
    if (says === undefined || before(says.version, newest?.version ?? [])) lagging.push(field);
  }
  return { ...row, as_of: newest?.observed ?? null, lagging: newest && lagging.length > 0 ? lagging.toSorted() : null };
}

/** Payloads flat, times in UTC with six digits, amounts as numbers. */
interface NormalFact {
  readonly event: string;
  readonly observed: string;
  readonly tie: string;
  readonly payload: Record_;
}

function normal({ event, created_at, payload }: Fact): NormalFact {
  const { contact, recap, ...rest } = tidy(payload) as { contact?: Record_; recap?: Record_ } & Record_;
  const flat: Record_ = contact ?? (recap ? { ...rest, ...recap } : rest);
  if (event.startsWith('meeting_recap.') && typeof flat['event'] === 'string') flat['event'] = { uri: flat['event'] };
  const tie = createHash('sha256').update(JSON.stringify(sortKeys(payload))).digest('hex').slice(0, 16);
  return { event, observed: instant(created_at), tie, payload: flat };
}

function speak({ event, observed, tie, payload }: NormalFact): Spoken[] {
  const table = tableOf(event);
  const uri = payload['uri'] as string;
  const rank = ranks[event] ?? 2;
  const versionOf = (record: Record_, lead = 0) => {
    const updated = String(record['updated_at'] ?? '');
    return [lead, updated.slice(0, 23), observed, rank, updated, tie];
  };
  if (event === 'contact.deleted' || event === 'meeting_recap.deleted') return [];
  if (table === 'meeting_recaps') {
    const version = [observed, rank, String(payload['updated_at'] ?? ''), tie];
    return [{ table, uri, observed, version, record: { ...payload, body: payload } }];
  }
  if (table === 'event_types') {
    const { deleted_at: _, ...record } = payload;
    const body = Object.keys(record).length > 1 ? { body: record } : {};
    return [{ table, uri, observed, version: versionOf(record), record: { ...record, ...body } }];
  }
  if (table !== 'invitees') return [{ table, uri, observed, version: versionOf(payload), record: { ...payload, body: payload } }];

  const { scheduled_event: meeting, ...invitee } = payload;
  const canceled = event === 'invitee.canceled' || invitee['status'] === 'canceled' || invitee['canceled'] === true;
  const record = { ...invitee, ...(canceled && { status: 'canceled' }), body: invitee };
  const spoken: Spoken[] = [{ table, uri, observed, version: versionOf(invitee, canceled ? 1 : 0), record }];
  if (meeting == null) return spoken;
  const own = meeting as Record_;
  return [
    ...spoken,
    { table: 'scheduled_events', uri: own['uri'] as string, observed, version: versionOf(own), record: { ...own, body: own } },
  ];
}

function deletion({ event, observed, payload }: NormalFact): { table: OracleTable; uri: string; at: string }[] {
  const told = payload['deleted_at'] as string | null | undefined;
  const table = tableOf(event);
  const says = /^(contact|meeting_recap|event_type)\.deleted$/.test(event) || (table === 'event_types' && told != null);
  return says ? [{ table, uri: payload['uri'] as string, at: told ?? observed }] : [];
}

/** Compares tuples from the left; ISO text of one width compares as time does. */
export function before(a: readonly (string | number)[], b: readonly (string | number)[]): boolean {
  const place = a.findIndex((part, index) => part !== b[index]);
  return place >= 0 && (a[place] as string) < (b[place] as string);
}

function tidy(value: unknown, key = ''): Json {
  if (Array.isArray(value)) return value.map((entry) => tidy(entry));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, tidy(part, name)]));
  }
  if (typeof value !== 'string') return value as Json;
  if (key === 'amount') return Number(value);
  return /_(at|date|time)$/.test(key) ? instant(value) : value;
}

function instant(text: string): string {
  const [, seconds, fraction = '', zone = ''] = /^(.{19})(?:\.(\d+))?(.*)$/.exec(text) ?? [];
  const utc = new Date(`${seconds}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`).toISOString().slice(0, 19);
  return `${utc}.${fraction.padEnd(6, '0')}Z`;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, part]) => [key, sortKeys(part)]));
}

const keyColumns = ['contact_uri', 'invitee_uri', 'submission_uri', 'uri', 'email', 'phone_number', 'field_uri', 'item', 'marked_at', 'no_show_uri'];

function sorted(tables: Record<string, Record_[]>): Record<string, Record_[]> {
  const keyOf = (table: string, row: Record_) =>
    JSON.stringify(keyColumns.filter((column) => column in row && (table === 'no_shows' || !('uri' in row) || column === 'uri')).map((column) => row[column]));
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [table, rows.toSorted((a, b) => (keyOf(table, a) < keyOf(table, b) ? -1 : 1))]),
  );
}
