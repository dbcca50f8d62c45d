// Child rows, derived from one column of a parent row and replaced whenever that column changes. Only what is found by its own value, or
// computed, is stored as rows; other lists have a view (`src/store/views/*.sql`).
import type { Json } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { ColumnName, TableName } from '#src/store/schema/tables.ts';
import type { MirrorTable } from './contract.ts';
import { partOf } from './field-mapping.ts';
import { factsOf, noShowPeriods } from './no-show.ts';

export interface ChildTable {
  readonly parent: MirrorTable;
  readonly from: string;
  readonly table: TableName;
  readonly parentKey: ColumnName<TableName>;
  rows(parentUri: string, value: Json): StoredRow[];
}

/** PostgreSQL rejects index entries over 2,704 bytes. A longer value stays readable in the list of the parent row only. */
const longestKey = 1_000;

export const childTables: readonly ChildTable[] = [
  {
    parent: 'contacts',
    from: 'emails',
    table: 'contact_emails',
    parentKey: 'contact_uri',
    rows: (contact_uri, emails) =>
      distinct(emails, 'email').map((entry) => ({
        contact_uri,
        email: partOf(entry, 'email'),
        is_primary: partOf(entry, 'is_primary') === true,
      })),
  },
  {
    parent: 'contacts',
    from: 'phone_numbers',
    table: 'contact_phone_numbers',
    parentKey: 'contact_uri',
    rows: (contact_uri, numbers) =>
      distinct(numbers, 'phone_number').map((entry) => ({
        contact_uri,
        phone_number: partOf(entry, 'phone_number'),
        is_primary: partOf(entry, 'is_primary') === true,
      })),
  },
  {
    parent: 'invitees',
    from: 'no_show_facts',
    table: 'no_shows',
    parentKey: 'invitee_uri',
    rows: (invitee_uri, facts) =>
      noShowPeriods(factsOf(facts)).map(({ uri, marked_at, unmarked_at }) => ({
        invitee_uri,
        no_show_uri: uri,
        marked_at,
        unmarked_at,
      })),
  },
];

const sources = new Set(childTables.map(({ from }) => from));

export const hasChildRows = (column: string): boolean => sources.has(column);

const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);

/** One entry per key; the last one wins, as it would in an object. */
function distinct(list: Json, key: string): Json[] {
  const byKey = new Map<string, Json>();
  for (const entry of listOf(list)) {
    const value = partOf(entry, key);
    if (typeof value === 'string' && Buffer.byteLength(value) <= longestKey) byKey.set(value, entry);
  }
  return [...byKey.values()];
}
