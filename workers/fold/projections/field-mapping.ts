// Builds facts from payloads: how the keys of a record become fields, and the two things a fact does to a row, assign and delete.
import { oddValuesOf } from '#schemas/odd-values.ts';
import { wordsOf, type Json, type Words, type WordsAmong } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { ColumnName } from '#src/store/schema/tables.ts';
import type { Assignment, Fact, Field, Fields, MirrorTable, Tombstone } from './contract.ts';
import { ranks, versionOf, type Rank, type Version } from './version.ts';

/** The keys that a payload's schema declares; the service may send more. */
export type DeclaredKeys<Payload> = keyof { [Key in keyof Payload as string extends Key ? never : Key]: unknown };

/**
 * Fields that fill the column of their own name: `columnsFrom<Contact>()('contacts', 'name city')`. The compiler checks each name
 * against the table and against the payload.
 */
export const columnsFrom =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the payload to check against
  <Payload>() =>
    <Table extends MirrorTable, const Text extends string>(
      _table: Table,
      names: Text & WordsAmong<Text, ColumnName<Table> & (DeclaredKeys<Payload> | 'extra')>,
    ): { readonly [Name in Words<Text>]: Field<Table> } =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one field per word, as `Words` splits the type
      Object.fromEntries(wordsOf<string>(names).map((name) => [name, name])) as never;

/** A field whose parts are spread over columns beside the whole: `spread('invitees', 'payment', { payment_terms: 'terms' })`. */
export function spread<Table extends MirrorTable>(
  _table: Table,
  column: ColumnName<Table>,
  parts: { readonly [Column in ColumnName<Table>]?: string },
): (value: Json) => StoredRow {
  const spreads = Object.entries<string | undefined>(parts);
  return (value) => {
    const row: StoredRow = { [column]: value };
    for (const [to, from] of spreads) if (from !== undefined) row[to] = partOf(value, from);
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

export const trackingFields = {
  tracking: spread<'invitees' | 'routing_form_submissions'>('invitees', 'tracking', {
    utm_campaign: 'utm_campaign',
    utm_source: 'utm_source',
    utm_medium: 'utm_medium',
    utm_content: 'utm_content',
    utm_term: 'utm_term',
    salesforce_uuid: 'salesforce_uuid',
  }),
} as const;

export interface AssignedRecord {
  readonly uri: string;
  readonly version: Version;
  readonly record: Readonly<Record<string, unknown>>;
}

/** Assigns the fields that a record has: present keys assign, absent keys do not. */
export function assignmentTo(
  table: MirrorTable,
  definition: Fields,
  { uri, version, record }: AssignedRecord,
): Assignment {
  const fields: Record<string, Json> = {};
  for (const name in definition) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a payload is parsed JSON
    const value = record[name] as Json | undefined;
    if (value !== undefined) fields[name] = value;
  }
  return { table, uri, version, fields, definition };
}

export function columnsOfField(definition: Fields, field: string, value: Json): StoredRow {
  const columns = definition[field];
  if (typeof columns === 'function') return columns(value);
  return columns === undefined ? {} : { [columns]: value };
}

export function columnsOf({ fields, definition }: Pick<Assignment, 'fields' | 'definition'>): StoredRow {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]) => Object.entries(columnsOfField(definition, field, value))),
  );
}

interface RecordInput {
  readonly observed: string;
  readonly tie: string;
  readonly payload: { readonly uri: string; readonly updated_at?: string | null | undefined };
}

/** What a record holds beyond the columns of its table. */
export type ExtraOf = (record: Readonly<Record<string, unknown>>) => { readonly [key: string]: Json } | null;

/**
 * The keys of a record that no column holds, and the values that did not fit, for the column `extra`; null when there are none.
 * `otherwise` names keys that are no fields and are known all the same: a projection reads them, or their record has a row of its own.
 */
export function extraBeside(names: readonly string[], ...otherwise: readonly string[]): ExtraOf {
  // A key that is called `extra` itself is unknown, too.
  const known = new Set(['uri', ...names.filter((name) => name !== 'extra'), ...otherwise]);
  return (record) => {
    let extra: [string, Json][] | undefined;
    for (const key in record) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a payload is parsed JSON
      const value = record[key] as Json | undefined;
      if (!known.has(key) && value !== undefined) (extra ??= []).push([key, value]);
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a payload is parsed JSON
    const odd = oddValuesOf(record) as { readonly [key: string]: Json } | undefined;
    return extra === undefined && odd === undefined ? null : { ...Object.fromEntries(extra ?? []), ...odd };
  };
}

/**
 * The projection of records: each assigns the fields it has, and `extra` in any case, so that a field the service drops leaves it. Where
 * `deleted_at` is a field, a record that is read exists.
 */
export const recordsTo =
  (table: MirrorTable, definition: Fields, extraOf: ExtraOf = extraBeside(Object.keys(definition))) =>
  (rank: Rank) =>
  ({ payload, observed, tie }: RecordInput): Fact => {
    const { uri } = payload;
    const version = versionOf({ updatedAt: payload.updated_at, observed, rank, tie });
    const record = { ...payload, deleted_at: null, extra: extraOf(payload) };
    return { subject: { table, uri }, assignments: [assignmentTo(table, definition, { uri, version, record })] };
  };

/** A delete that reconcile finds, of a record that may exist again: `deleted_at` is a field like any other. */
export const notListedIn =
  (table: MirrorTable, definition: Fields) =>
  ({ payload: { uri, updated_at: updatedAt }, observed, tie }: RecordInput): Fact => {
    const version = versionOf({ updatedAt, observed, rank: ranks.final, tie });
    const assigned = { uri, version, record: { deleted_at: observed } };
    return { subject: { table, uri }, assignments: [assignmentTo(table, definition, assigned)] };
  };

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
