// Every table, as the rest of the program reads it. A column is declared once, in the file of its table.
import { wordsOf, type Words, type WordsAmong } from '#src/store/columns.ts';
import { bookingInvitees, eventTypes, invitees, meetingRecaps, noShows, scheduledEvents } from './bookings.ts';
import { shapeOf, type DeclaredRow, type DeclaredTable, type ShapeOf, type StoredRowOf } from './declaration.ts';
import { eventLog, feedConsumers } from './log.ts';
import {
  adminActions,
  alerts,
  keyValues,
  mirrorSettings,
  processes,
  syncCheckpoints,
  timeZones,
  webhookSubscriptions,
} from './own-state.ts';
import {
  contactEmails,
  contactPhoneNumbers,
  contacts,
  contactsWideColumns,
  customFieldDefinitions,
  organizationMemberships,
  users,
} from './people.ts';
import { routingForms, routingFormSubmissions } from './routing.ts';

/** In the order of docs/tables.md. */
export const declaredTables = {
  contacts,
  contact_emails: contactEmails,
  contact_phone_numbers: contactPhoneNumbers,
  custom_field_definitions: customFieldDefinitions,
  users,
  organization_memberships: organizationMemberships,
  scheduled_events: scheduledEvents,
  invitees,
  no_shows: noShows,
  event_types: eventTypes,
  meeting_recaps: meetingRecaps,
  routing_forms: routingForms,
  routing_form_submissions: routingFormSubmissions,
  event_log: eventLog,
  webhook_subscriptions: webhookSubscriptions,
  alerts,
  booking_invitees: bookingInvitees,
  contacts_wide_columns: contactsWideColumns,
  time_zones: timeZones,
  mirror_settings: mirrorSettings,
  key_values: keyValues,
  sync_checkpoints: syncCheckpoints,
  processes,
  admin_actions: adminActions,
  feed_consumers: feedConsumers,
} as const satisfies { readonly [Name in string]: DeclaredTable & { readonly name: Name } };

type DeclaredTables = typeof declaredTables;
export type TableName = keyof DeclaredTables;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each table has its own shape
export const tables = Object.fromEntries(
  Object.entries(declaredTables).map(([name, declared]) => [name, shapeOf(declared)]),
) as { readonly [Name in TableName]: ShapeOf<DeclaredTables[Name]> };

export const utmColumns = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'] as const;

/** A row as the program uses it. Of a union of tables: the columns they have in common. */
export type TableRow<Name extends TableName> = DeclaredRow<DeclaredTables[Name]>;
/** Any column of the table; of a union of tables, any column of any of them. */
export type ColumnName<Name extends TableName> = Name extends TableName ? keyof TableRow<Name> & string : never;
export type KeyName<Name extends TableName> = DeclaredTables[Name]['key'][number] & keyof TableRow<Name>;
/** A row to be written: its key, and any other columns; those left out become null. */
export type NewRow<Name extends TableName> = Pick<TableRow<Name>, KeyName<Name>> & {
  [Column in keyof TableRow<Name>]?: TableRow<Name>[Column] | undefined;
};

/** The tables as Kysely sees them: columns in the form in which the engine stores them (`StoreEngine.encode`). */
export type Database = { [Name in TableName]: StoredRowOf<DeclaredTables[Name]> };

/** Columns of a table, checked by the compiler: `columnsOf('contacts', 'name timezone')`. */
export function columnsOf<Name extends TableName, const Text extends string>(
  _table: Name,
  names: Text & WordsAmong<Text, ColumnName<Name>>,
): readonly Words<Text>[] {
  return wordsOf<Text>(names);
}
