// What the rows must be, said a second time and differently: all facts at once, the greatest version of each field, nothing
// stored on the way. It shares no code with the fold.
import type { Fact } from '../harness/data/delivery-histories.ts';
import { before, normal, type Json, type NormalFact, type Record_ } from '../harness/data/normal-facts.ts';
import { noShowOf } from './no-show.ts';
import { beyondColumns, childRows, fieldColumns, meetingColumns, tableOf, type OracleTable } from './columns.ts';

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

/** What lists alone show exists again when it is listed again. */
const listed: readonly string[] = ['custom_field_definitions', 'organization_memberships', 'routing_forms'];

export function expectedRows(facts: readonly Fact[], eraseOnDelete: boolean): Record<string, Record_[]> {
  const sound = facts.filter((fact) => fact.sound).map(normal);
  const spoken = sound.flatMap(speak);
  const deletes = Map.groupBy(sound.flatMap(deletion), ({ table, uri }) => `${table} ${uri}`);
  const bySubject = Map.groupBy(sound, ({ payload }) => payload['uri']);
  const byRow = Map.groupBy(spoken, ({ table, uri }) => `${table} ${uri}`);
  const tables: Record<string, Record_[]> = {};
  const named = sound.flatMap(meetingNamedIn).map((uri) => `scheduled_events ${uri}`);
  for (const id of new Set([...byRow.keys(), ...deletes.keys(), ...named])) {
    const [table, uri] = id.split(' ') as [OracleTable, string];
    const first = deletes.get(id)?.toSorted((a, b) => (before(orderOf(a), orderOf(b)) ? -1 : 1))[0];
    const deletedAt = first?.at ?? null;
    const forgotten = table === 'contacts' && deletedAt !== null && (eraseOnDelete || first?.source === 'operator');
    const row = rowOf(table, uri, forgotten ? [] : (byRow.get(id) ?? []));
    if ('deleted_source' in row) Object.assign(row, { deleted_at: deletedAt, deleted_source: first?.source ?? null });
    row['as_of'] ??= deletedAt;
    const marks = table === 'invitees' ? noShowRows(uri, bySubject.get(uri) ?? []) : { columns: {}, rows: [] };
    (tables[table] ??= []).push({ ...row, ...marks.columns });
    for (const [child, rows] of [...childRows(table, uri, row), ['no_shows', marks.rows] as const])
      if (rows.length > 0) (tables[child] ??= []).push(...rows);
  }
  return sorted(tables);
}

/** A meeting that an invitee names has a row, also when nothing describes it. */
function meetingNamedIn({ event, payload }: NormalFact): string[] {
  const named = event !== 'person.erased' && tableOf(event) === 'invitees' ? payload['event'] : undefined;
  return typeof named === 'string' ? [named] : [];
}

function noShowRows(invitee_uri: string, facts: readonly NormalFact[]): { columns: Record_; rows: Record_[] } {
  const { open, closed } = noShowOf(facts);
  return {
    columns: {
      no_show: open as Json,
      no_show_uri: open?.uri ?? null,
      no_show_at: open?.created_at ?? null,
      // Nothing that the service sends is an answer.
      attendance_confirmed_at: null,
      attendance_confirmed_by: null,
      attendance_entry: null,
    },
    rows: [...closed, ...(open ? [{ ...open, unmarked_at: null }] : [])].map(({ uri, created_at, unmarked_at }) => ({
      invitee_uri,
      no_show_uri: uri,
      marked_at: created_at,
      unmarked_at,
    })),
  };
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

function speak({ event, observed, tie, payload }: NormalFact): Spoken[] {
  if (event === 'person.erased') return [];
  const table = tableOf(event);
  const uri = payload['uri'] as string;
  const rank = event.endsWith('.read') ? 0 : event.endsWith('.gone') ? 3 : (ranks[event] ?? 2);
  const versionOf = (record: Record_, lead = 0) => {
    const updated = String(record['updated_at'] ?? '');
    return [lead, updated.slice(0, 23), observed, rank, updated, tie];
  };
  if (event.endsWith('.gone') && listed.includes(table))
    return [{ table, uri, observed, version: versionOf(payload), record: { deleted_at: observed } }];
  if (event.endsWith('.gone') || event === 'contact.deleted' || event === 'meeting_recap.deleted') return [];
  if (table === 'meeting_recaps') {
    const version = [observed, rank, String(payload['updated_at'] ?? ''), tie];
    const { speakers = null, ...recap } = payload;
    const meeting = Object.entries((payload['event'] ?? {}) as Record_).flatMap(([key, value]) =>
      key in meetingColumns ? [[meetingColumns[key as keyof typeof meetingColumns], value] as const] : [],
    );
    const record = event.startsWith('meeting_recap_transcript.')
      ? { speakers }
      : { ...recap, ...Object.fromEntries(meeting), extra: beyondColumns(table, payload) };
    return [{ table, uri, observed, version, record }];
  }
  if (table === 'event_types') {
    const { deleted_at: _, ...record } = payload;
    const extra = Object.keys(record).length > 1 ? { extra: beyondColumns(table, record) } : {};
    return [{ table, uri, observed, version: versionOf(record), record: { ...record, ...extra } }];
  }
  if (table === 'organization_memberships' && typeof payload['user'] === 'object' && payload['user'] !== null) {
    const person = payload['user'] as Record_;
    const own = { ...payload, deleted_at: null, extra: beyondColumns(table, payload) };
    const theirs = { ...person, extra: beyondColumns('users', person) };
    return [
      { table, uri, observed, version: versionOf(payload), record: own },
      { table: 'users', uri: person['uri'] as string, observed, version: versionOf(person), record: theirs },
    ];
  }
  if (table !== 'invitees') {
    // Addresses that are no list do not fit, so they are beside the columns.
    const { emails, ...others } = payload;
    const fitting = typeof emails === 'string' ? others : payload;
    const extra =
      typeof emails === 'string' ? { ...beyondColumns(table, others), emails } : beyondColumns(table, payload);
    return [{ table, uri, observed, version: versionOf(payload), record: { ...fitting, deleted_at: null, extra } }];
  }

  const { scheduled_event: meeting, ...rest } = payload;
  const named = (meeting as Record_ | null | undefined)?.['uri'];
  const invitee: Record_ = { ...rest, ...(rest['event'] == null && named !== undefined && { event: named }) };
  const canceled = event === 'invitee.canceled' || invitee['status'] === 'canceled' || invitee['canceled'] === true;
  const record = { ...invitee, ...(canceled && { status: 'canceled' }), extra: beyondColumns(table, invitee) };
  const spoken: Spoken[] = [{ table, uri, observed, version: versionOf(invitee, canceled ? 1 : 0), record }];
  if (meeting == null) return spoken;
  const own = meeting as Record_;
  return [
    ...spoken,
    {
      table: 'scheduled_events',
      uri: own['uri'] as string,
      observed,
      version: versionOf(own),
      record: { ...own, extra: beyondColumns('scheduled_events', own) },
    },
  ];
}

interface Deletion {
  readonly table: OracleTable;
  readonly uri: string;
  readonly at: string;
  readonly source: 'operator' | 'webhook' | 'reconcile';
}

/** An operator's erasure counts before a delivered deletion, and that before one found by reconcile; then the earliest. */
const orderOf = ({ source, at }: Deletion) => [['operator', 'webhook', 'reconcile'].indexOf(source), at];

function deletion({ event, observed, payload }: NormalFact): Deletion[] {
  const sentDeletion = payload['deleted_at'] as string | null | undefined;
  if (event === 'person.erased')
    return [{ table: 'contacts', uri: payload['uri'] as string, at: observed, source: 'operator' }];
  const table = tableOf(event);
  if (listed.includes(table)) return [];
  const says = /\.(deleted|gone)$/.test(event) && event !== 'invitee_no_show.deleted';
  if (!says && (table !== 'event_types' || sentDeletion == null)) return [];
  const source = /\.(read|gone)$/.test(event) ? 'reconcile' : 'webhook';
  return [{ table, uri: payload['uri'] as string, at: sentDeletion ?? observed, source }];
}

const keyColumns = [
  'contact_uri',
  'invitee_uri',
  'submission_uri',
  'uri',
  'email',
  'phone_number',
  'field_uri',
  'item',
  'marked_at',
  'no_show_uri',
];

function sorted(tables: Record<string, Record_[]>): Record<string, Record_[]> {
  const keyOf = (table: string, row: Record_) =>
    JSON.stringify(
      keyColumns
        .filter((column) => column in row && (table === 'no_shows' || !('uri' in row) || column === 'uri'))
        .map((column) => row[column]),
    );
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => {
      const keyed = rows.map((row) => [keyOf(table, row), row] as const);
      return [table, keyed.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)];
    }),
  );
}
