// Which rows a log entry touches: the row of its subject, and the rows of the records that the subject's record embeds. This is
// the one answer to that question; the fold, row history, incremental export, alerts and privacy all use it.
import type { RecordKind } from '#schemas/records.ts';
import { isObject, isUri, type JsonObject } from '#schemas/wire.ts';
import { attendanceFamily } from './attendance.ts';
import type { Fact, MirrorTable } from './contract.ts';

export const tableOfKind = {
  contact: 'contacts',
  custom_field_definition: 'custom_field_definitions',
  event_type: 'event_types',
  invitee: 'invitees',
  invitee_no_show: 'invitees',
  meeting_recap: 'meeting_recaps',
  meeting_recap_transcript: 'meeting_recaps',
  organization_membership: 'organization_memberships',
  routing_form: 'routing_forms',
  routing_form_submission: 'routing_form_submissions',
  scheduled_event: 'scheduled_events',
  user: 'users',
} as const satisfies Readonly<Record<RecordKind, MirrorTable>>;

const isKind = (text: string): text is RecordKind => Object.hasOwn(tableOfKind, text);

/** The table of the subject's row: `attendance.confirmed` is about an invitee. Undefined for an unknown kind of event. */
export function tableOfEvent(event: string | null): MirrorTable | undefined {
  const [kind = ''] = (event ?? '').split('.', 1);
  if (kind === attendanceFamily) return 'invitees';
  return isKind(kind) ? tableOfKind[kind] : undefined;
}

export interface EmbeddedRecord {
  readonly within: 'invitees' | 'organization_memberships';
  /** The key of the payload under which the record is embedded. */
  readonly key: 'scheduled_event' | 'user';
  readonly table: 'scheduled_events' | 'users';
  /** The column of the embedding row that holds the URI of the embedded record. */
  readonly column: 'event_uri' | 'user_uri';
}

export const embeddings: readonly EmbeddedRecord[] = [
  { within: 'invitees', key: 'scheduled_event', table: 'scheduled_events', column: 'event_uri' },
  { within: 'organization_memberships', key: 'user', table: 'users', column: 'user_uri' },
];

export function embeddedRecord(
  payload: JsonObject | null,
  { key }: Pick<EmbeddedRecord, 'key'>,
): JsonObject | undefined {
  const record = payload?.[key];
  return isObject(record) ? record : undefined;
}

/** The URI of the embedded record; undefined where the payload embeds none. */
export function embeddedUri(payload: JsonObject | null, embedding: Pick<EmbeddedRecord, 'key'>): string | undefined {
  const uri = embeddedRecord(payload, embedding)?.['uri'];
  return isUri(uri) ? uri : undefined;
}

export interface RowKey {
  readonly table: MirrorTable;
  readonly uri: string;
}

/** The rows that a fact touches; the subject's row comes first. */
export function rowsTouchedBy({ subject, assignments }: Fact): readonly RowKey[] {
  return [subject, ...assignments];
}

/** Those, and the row of a meeting that it only names: the rows that must be there to fold it. */
export function rowsNeededBy(fact: Fact): readonly RowKey[] {
  const touched = rowsTouchedBy(fact);
  return fact.meeting === undefined ? touched : [...touched, { table: 'scheduled_events', uri: fact.meeting }];
}
