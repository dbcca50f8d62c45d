// How changes of each table are tracked: which column holds the time of a row's last change, and how a log entry leads to the
// rows that it touched.
import { readApiRecord } from '#schemas/api-record.ts';
import { readDelivery } from '#schemas/delivery.ts';
import type { LogEntry } from '#src/store/log/read.ts';
import type { TableName } from '#src/store/schema/tables.ts';
import { embeddings, type EmbeddedRecord } from '#workers/fold/projections/touches.ts';

export interface ChangeTracking {
  /** The first of these columns with a value is the time of the row's last change. */
  readonly changed?: readonly [string, ...string[]];
  /** The time of what may happen after that: a delete, an unmark. */
  readonly ended?: string;
  /** The table whose rows own these rows; they are replaced whenever their parent changes. */
  readonly parent?: { readonly table: ExportedTable; readonly key: string };
  /** How an incremental run finds changed rows: by log position, by the subjects of log entries, or not at all, with the reason. */
  readonly follows: 'positions' | 'subjects' | { readonly unsupported: string };
  /** The records of another table that embed rows of this one: their entries touch it too. */
  readonly embedded?: EmbeddedRecord;
  /** Kinds of entries after which any row may differ. */
  readonly changedWholeBy?: readonly string[];
}

const changed: ChangeTracking['changed'] = ['updated_at', 'created_at', 'as_of'];
const mirrored: ChangeTracking = { changed, follows: 'subjects' };
const deletable: ChangeTracking = { ...mirrored, ended: 'deleted_at' };
function embeddedTable(name: EmbeddedRecord['table']): ChangeTracking {
  const embedded = embeddings.find(({ table }) => table === name);
  return { ...mirrored, ...(embedded && { embedded }) };
}
const childOf = (table: ExportedTable, key: string): ChangeTracking => ({
  parent: { table, key },
  follows: 'subjects',
});

/** Tables of the program's own state, of its operators and of its readers, which are not exported: views show the bookings. */
type Internal =
  | 'booking_invitees'
  | 'mirror_settings'
  | 'key_values'
  | 'sync_checkpoints'
  | 'feed_consumers'
  | 'processes'
  | 'admin_actions';

export type ExportedTable = Exclude<TableName, Internal>;

export const changeTracking: Readonly<Record<ExportedTable, ChangeTracking>> = {
  event_log: { changed: ['received_at'], follows: 'positions' },
  contacts: deletable,
  contact_emails: childOf('contacts', 'contact_uri'),
  contact_phone_numbers: childOf('contacts', 'contact_uri'),
  custom_field_definitions: deletable,
  invitees: mirrored,
  no_shows: { ...childOf('invitees', 'invitee_uri'), changed: ['marked_at'], ended: 'unmarked_at' },
  scheduled_events: embeddedTable('scheduled_events'),
  event_types: deletable,
  meeting_recaps: deletable,
  routing_form_submissions: mirrored,
  users: embeddedTable('users'),
  organization_memberships: deletable,
  routing_forms: deletable,
  webhook_subscriptions: {
    changed: ['updated_at', 'created_at'],
    follows: { unsupported: 'subscriptions are read from the service, not from the log' },
  },
  contacts_wide_columns: { follows: { unsupported: 'the log does not record the columns of a view' } },
  time_zones: { follows: { unsupported: 'the log does not record the data of time zones' } },
  alerts: { changed: ['updated_at', 'created_at'], follows: { unsupported: 'the log does not record alerts' } },
};

/** The views of the items of lists. */
const listViews = {
  contact_custom_fields: childOf('contacts', 'contact_uri'),
  invitee_answers: childOf('invitees', 'invitee_uri'),
  routing_form_answers: childOf('routing_form_submissions', 'submission_uri'),
};

/**
 * `contacts_wide` has one row per contact, and the items of a list belong to the row that has the list. A row of any other view depends on
 * many entries, none of which names it.
 */
export function changeTrackingOfView(name: string, since: string | undefined): ChangeTracking {
  const list = Object.entries(listViews).find(([view]) => view === name)?.[1];
  if (list !== undefined) return list;
  const times: Pick<ChangeTracking, 'changed'> = since === undefined ? {} : { changed: [since] };
  if (name === 'contacts_wide')
    return {
      ...times,
      follows: 'subjects',
      changedWholeBy: ['custom_field_definition.read', 'custom_field_definition.gone'],
    };
  return { ...times, follows: { unsupported: 'each row of this view depends on many log entries' } };
}

/** The payload of an entry as the fold parses it; undefined when it cannot be parsed or its body was pruned. */
export function payloadOf({
  body,
  encoding,
  source,
}: { readonly [Column in 'body' | 'encoding' | 'source']: LogEntry[Column] | string }):
  | Readonly<Record<string, unknown>>
  | undefined {
  if (body === null || encoding !== null) return undefined;
  const read = source === 'webhook' ? readDelivery(body) : readApiRecord(body);
  return read.state === 'known' ? read.payload : undefined;
}
