// What every table and every column means, as it is shown: docs/tables.md (`npm run tables`) and the comments in PostgreSQL come from here.
import { isRequired, type Column, type DeclaredTable } from './declaration.ts';
import { declaredTables } from './tables.ts';

export interface DescribedColumn extends Column {
  readonly name: string;
  /** With its values. */
  readonly about: string;
}

export interface DescribedTable extends Pick<DeclaredTable, 'name' | 'about' | 'key'> {
  readonly columns: readonly DescribedColumn[];
}

/** Every table and every column, in the order of their declarations. */
export const describedTables = (
  declared: readonly DeclaredTable[] = Object.values(declaredTables),
): readonly DescribedTable[] =>
  declared.map((table) => ({
    ...table,
    columns: Object.entries(table.columns).map(([name, column]) => ({
      ...column,
      name,
      required: isRequired(table, name),
      about: withValues(column),
    })),
  }));

function withValues({ about, oneOf, isOpen }: Column): string {
  if (oneOf === undefined) return about;
  const words = oneOf.map((word) => `\`${word}\``);
  const list = isOpen
    ? `${words.join(', ')}, or a value that is new`
    : words.join(', ').replace(/, ([^,]*)$/, ' or $1');
  const [what, ...more] = about.split('; ');
  return [`${what}: ${list}`, ...more].join('; ');
}
