// Where the rows of each table come from: which of their times tell that they changed, and how entries of the log are
// followed to the rows they touched.
import { readApiRecord } from '#schemas/api-record.ts';
import { readDelivery } from '#schemas/delivery.ts';
import type { LogEntry } from '#src/store/log/read.ts';
import type { TableName } from '#src/store/tables.ts';
import { embeddings, type Embedding } from '#workers/projections/touches.ts';

export interface Lineage {
  /** The first of these that has a value tells when the row last changed. */
  readonly changed?: readonly string[];
  /** What may come after that: a delete, an unmark. */
  readonly ended?: string;
  /** Made anew whenever the parent changes. */
  readonly parent?: { readonly table: TableName; readonly key: string };
  /** How an incremental run finds rows: places of the log, subjects of its entries, or not at all (then the reason why). */
  readonly follows: 'places' | 'subjects' | { readonly not: string };
  /** Records of other tables that embed this one: their entries touch it too. */
  readonly embedded?: Embedding;
  /** Kinds of reads after which any row may look different. */
  readonly remadeBy?: readonly string[];
}

const changed = ['updated_at', 'created_at', 'as_of'];
const mirrored: Lineage = { changed, follows: 'subjects' };
const deletable: Lineage = { ...mirrored, ended: 'deleted_at' };
function embeddedTable(name: Embedding['table']): Lineage {
  const embedded = embeddings.find(({ table }) => table === name);
  return { ...mirrored, ...(embedded && { embedded }) };
}
const childOf = (table: TableName, key: string): Lineage => ({ parent: { table, key }, follows: 'subjects' });

/** No mirror of anything: what this program remembers for itself. */
type Internal = 'key_values' | 'sync_checkpoints' | 'feed_consumers';

export const lineages: Readonly<Record<Exclude<TableName, Internal>, Lineage>> = {
  event_log: { changed: ['received_at'], follows: 'places' },
  contacts: deletable,
  contact_emails: childOf('contacts', 'contact_uri'),
  contact_phone_numbers: childOf('contacts', 'contact_uri'),
  contact_custom_fields: childOf('contacts', 'contact_uri'),
  custom_field_definitions: mirrored,
  invitees: mirrored,
  invitee_answers: childOf('invitees', 'invitee_uri'),
  no_shows: { ...childOf('invitees', 'invitee_uri'), changed: ['marked_at'], ended: 'unmarked_at' },
  scheduled_events: embeddedTable('scheduled_events'),
  event_types: deletable,
  meeting_recaps: deletable,
  routing_form_submissions: mirrored,
  routing_form_answers: childOf('routing_form_submissions', 'submission_uri'),
  users: embeddedTable('users'),
  organization_memberships: mirrored,
  routing_forms: mirrored,
  webhook_subscriptions: {
    changed: ['updated_at', 'created_at'],
    follows: { not: 'subscriptions are looked up at the service, not told by the log' },
  },
  alerts: { changed: ['updated_at', 'created_at'], follows: { not: 'alerts are not told by the log' } },
};

/** `contacts_wide` has a row for each contact; a row of any other view follows from many entries, none of which names it. */
export function lineageOfView(name: string, since: string | undefined): Lineage {
  const times = since === undefined ? {} : { changed: [since] };
  if (name === 'contacts_wide') return { ...times, follows: 'subjects', remadeBy: ['custom_field_definition.read'] };
  return { ...times, follows: { not: 'a row of this view follows from many entries of the log' } };
}

/** What an entry says, as the fold reads it; undefined when it says nothing, or nothing any more. */
export function payloadOf({
  body,
  encoding,
  source,
}: Pick<LogEntry, 'body' | 'encoding' | 'source'>): Readonly<Record<string, unknown>> | undefined {
  if (body === null || encoding !== null) return undefined;
  const read = source === 'webhook' ? readDelivery(body) : readApiRecord(body);
  return read.state === 'known' ? read.payload : undefined;
}
