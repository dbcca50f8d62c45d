// The dictionary: what every table and every column means. docs/tables.md (`npm run tables`) and the comments in PostgreSQL come from it.
import type { ColumnKind, TableShape } from '#src/store/columns.ts';
import { tables, type TableName } from '#src/store/tables.ts';
import { bookingTables } from './booking-tables.ts';
import type { Meaning, TableMeanings } from './meaning.ts';
import { ownTables } from './own-tables.ts';
import { peopleTables } from './people-tables.ts';

/** A new table or column needs its meaning in one of the files imported here; then run `npm run tables`. */
const meanings: TableMeanings = { ...peopleTables, ...bookingTables, ...ownTables };

export interface DescribedColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly required: boolean;
  readonly about: string;
  readonly joins: string | undefined;
}

export interface DescribedTable {
  readonly name: TableName;
  readonly about: string;
  readonly key: readonly string[];
  readonly columns: readonly DescribedColumn[];
}

/** Every table, in the order of the dictionary; its columns in the order of their meanings. */
export function describedTables(): readonly DescribedTable[] {
  return Object.entries<{ readonly about: string; readonly columns: Readonly<Record<string, Meaning>> }>(meanings).map(
    ([table, { about, columns }]) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of `TableMeanings` are the names of the tables
      const name = table as TableName;
      const shape: TableShape = tables[name];
      return {
        name,
        about,
        key: shape.key,
        columns: Object.entries(columns).map(([column, meaning]) => ({
          name: column,
          kind: shape.columns[column] ?? 'text',
          required: shape.required.includes(column),
          ...(typeof meaning === 'string' ? { about: meaning, joins: undefined } : meaning),
        })),
      };
    },
  );
}
