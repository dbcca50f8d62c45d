// One record of each kind of the service, from the declarations: every column that the service fills has a value, also one that is added
// tomorrow. `written` is what people wrote, or what says who they are.
import type { RecordKind } from '#schemas/records.ts';
import type { Json } from '#src/store/columns.ts';
import type { Column, DeclaredTable } from '#src/store/schema/declaration.ts';
import { declaredTables } from '#src/store/schema/tables.ts';
import type { MirrorTable } from '#workers/fold/projections/contract.ts';

const base = 'https://api.example.test';

export const recordUris = {
  contacts: `${base}/contacts/1`,
  custom_field_definitions: `${base}/contact_custom_fields/1`,
  event_types: `${base}/event_types/1`,
  invitees: `${base}/scheduled_events/1/invitees/1`,
  meeting_recaps: `${base}/meeting_recaps/1`,
  organization_memberships: `${base}/organization_memberships/1`,
  routing_form_submissions: `${base}/routing_form_submissions/1`,
  routing_forms: `${base}/routing_forms/1`,
  scheduled_events: `${base}/scheduled_events/1`,
  users: `${base}/users/1`,
} as const satisfies Record<MirrorTable, string>;

export const kindOf = {
  contacts: 'contact',
  custom_field_definitions: 'custom_field_definition',
  event_types: 'event_type',
  invitees: 'invitee',
  meeting_recaps: 'meeting_recap',
  organization_memberships: 'organization_membership',
  routing_form_submissions: 'routing_form_submission',
  routing_forms: 'routing_form',
  scheduled_events: 'scheduled_event',
  users: 'user',
} as const satisfies Record<MirrorTable, RecordKind>;

/** Columns that no field of a record fills, and what does. */
export const filledOtherwise: Readonly<Record<string, string>> = {
  as_of: 'the fold',
  version: 'the fold',
  lagging: 'the fold',
  extra: 'fields that have no column',
  deleted_at: 'a delete',
  deleted_source: 'a delete',
  'contacts.primary_email': '`emails`',
  'invitees.no_show_facts': 'marks and answers',
  'invitees.attendance_confirmed_at': 'an answer',
  'invitees.attendance_confirmed_by': 'an answer',
  'invitees.attendance_entry': 'an answer',
  'meeting_recaps.speakers': 'the transcript',
};

export const isFilledOtherwise = (table: string, name: string): boolean =>
  name in filledOtherwise || `${table}.${name}` in filledOtherwise;

/** Who is in the records. */
export interface People {
  /** The one who booked, and the user who is the host. */
  readonly address: string;
  readonly hostAddress: string;
  /** Stands in every text. */
  readonly written: string;
}

export const createdAt = '2025-04-14T11:00:00.000000Z';

/** The lists and objects that the service sends. */
const objects = ({ address, hostAddress, written }: People): Readonly<Record<string, Json>> => ({
  'contacts.emails': [{ email: address, is_primary: true }],
  'contacts.phone_numbers': [{ phone_number: written, is_primary: true }],
  'contacts.custom_fields': [{ uri: recordUris.custom_field_definitions, label: 'Field', value: written }],
  'custom_field_definitions.options': [{ uuid: 'option', label: written }],
  'scheduled_events.location': { type: 'outbound_call', location: written },
  'scheduled_events.hosts': [{ user: recordUris.users, user_email: hostAddress, user_name: written }],
  'scheduled_events.guests': [{ email: address }],
  'scheduled_events.invitees_counter': { total: 1, active: 1, limit: 1 },
  'scheduled_events.cancellation': { canceled_by: written, reason: written, canceler_type: 'invitee' },
  'invitees.questions_and_answers': [{ question: 'Why?', answer: written, position: 0 }],
  'invitees.tracking': {},
  'invitees.payment': { amount: 1 },
  'invitees.no_show': {},
  'invitees.reconfirmation': {},
  'invitees.cancellation': {},
  'event_types.profile': { type: 'User', name: written },
  'event_types.custom_questions': [{ name: written, position: 0 }],
  'event_types.locations': [{ kind: 'physical', location: written }],
  'meeting_recaps.event_location': { type: 'outbound_call', location: written },
  'meeting_recaps.attendees': [{ user_name: written, user_email: address, host: false }],
  'routing_forms.questions': [{ uuid: 'question', name: written, type: 'name' }],
  'routing_form_submissions.questions_and_answers': [{ question: 'Who?', answer: written }],
  'routing_form_submissions.tracking': {},
  'routing_form_submissions.result': { value: { headline: written, body: written } },
});

/** Where a record names another one. */
const named: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(recordUris).map(([table, uri]) => [`${table}.uri`, uri])),
  'invitees.event_uri': recordUris.scheduled_events,
  'invitees.routing_form_submission': recordUris.routing_form_submissions,
  'scheduled_events.event_type': recordUris.event_types,
  'event_types.owner_uri': recordUris.users,
  'meeting_recaps.event_uri': recordUris.scheduled_events,
  'organization_memberships.user_uri': recordUris.users,
  'routing_form_submissions.routing_form': recordUris.routing_forms,
  'routing_form_submissions.submitter': recordUris.invitees,
};

/** What the record of a table has for one of its columns. */
export function sentValue(table: MirrorTable, name: string, column: Column, people: People): Json {
  const place = `${table}.${name}`;
  const object = objects(people)[place];
  if (object !== undefined) return object;
  if (column.kind === 'json') throw new Error(`Add a value of ${place} to declared-records.ts.`);
  if (column.kind === 'time') return createdAt;
  if (column.kind === 'flag') return true;
  if (column.kind === 'integer' || column.kind === 'number') return 1;
  if (column.isUri) return named[place] ?? `${base}/others/${table}-${name}`;
  if (column.oneOf !== undefined) return column.oneOf.at(-1) ?? '';
  if (name === 'email') return table === 'users' ? people.hostAddress : people.address;
  return column.holds === 'person' || column.holds === 'text' ? people.written : `plain-${name}`;
}

/** The record as the service sends it. */
export function recordOf(table: MirrorTable, people: People): { readonly uri: string; readonly [field: string]: Json } {
  const record: Record<string, Json> = { planted_beyond: people.written };
  const declared: DeclaredTable = declaredTables[table];
  for (const [name, column] of Object.entries(declared.columns))
    if (!isFilledOtherwise(table, name))
      setAt(record, (column.sentAs ?? name).split('.'), sentValue(table, name, column, people));
  return { ...record, uri: recordUris[table] };
}

function setAt(record: Record<string, Json>, [first = '', ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    record[first] = value;
    return;
  }
  const inner = { ...(record[first] as Record<string, Json> | undefined) };
  setAt(inner, rest, value);
  record[first] = inner;
}
