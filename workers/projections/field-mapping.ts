// Builds facts from payloads: how the keys of a record become fields, and the two things a fact does to a row, assign and delete.
import type { Json } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { Assignment, Fact, Fields, MirrorTable, Tombstone } from './contract.ts';

/** Fields that fill the column of their own name. */
export function columns(_table: MirrorTable, names: string): Fields {
  return Object.fromEntries(names.split(' ').map((name) => [name, (value: Json) => ({ [name]: value })]));
}

/** A field whose parts are spread over columns beside the whole: `spread('payment', { payment_amount: 'amount' })`. */
export function spread(column: string, parts: Readonly<Record<string, string>>): (value: Json) => StoredRow {
  const spreads = Object.entries(parts);
  return (value) => {
    const row: StoredRow = { [column]: value };
    for (const [to, from] of spreads) row[to] = partOf(value, from);
    return row;
  };
}

/** A property of a JSON object; null where the value is no object or lacks it. */
export function partOf(value: Json | undefined, key: string): Json {
  return isJsonObject(value) ? (value[key] ?? null) : null;
}

function isJsonObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The campaign tags of invitees and form submissions. */
export const trackingFields: Fields = {
  tracking: spread('tracking', {
    utm_campaign: 'utm_campaign',
    utm_source: 'utm_source',
    utm_medium: 'utm_medium',
    utm_content: 'utm_content',
    utm_term: 'utm_term',
    salesforce_uuid: 'salesforce_uuid',
  }),
};

export interface AssignedRecord {
  readonly uri: string;
  readonly version: string;
  readonly record: Readonly<Record<string, unknown>>;
}

/** Assigns the fields that a record has: present keys assign, absent keys do not. */
export function assignmentTo(
  table: MirrorTable,
  definition: Fields,
  { uri, version, record }: AssignedRecord,
): Assignment {
  const fields: Record<string, StoredRow> = {};
  for (const name in definition) {
    const value = record[name];
    if (value !== undefined) fields[name] = (definition[name] as Fields[string])(value as Json);
  }
  return { table, uri, version, fields, definition };
}

interface DeleteInput {
  readonly observed: string;
  readonly payload: { readonly uri: string; readonly deleted_at?: string | null | undefined };
}

/** A delete that a webhook reports. */
export const deletedFrom =
  (table: Tombstone['table']) =>
  ({ payload: { uri, deleted_at: deletedAt }, observed }: DeleteInput): Fact =>
    tombstoneOf({ table, uri, deletedAt: deletedAt ?? observed, source: 'webhook' });

/** A delete that reconcile finds: the service answers 404 for the record's own URI. */
export const notFoundIn =
  (table: Tombstone['table']) =>
  ({ payload: { uri }, observed }: DeleteInput): Fact =>
    tombstoneOf({ table, uri, deletedAt: observed, source: 'reconcile' });

const tombstoneOf = (tombstone: Tombstone): Fact => ({
  subject: { table: tombstone.table, uri: tombstone.uri },
  assignments: [],
  tombstone,
});
