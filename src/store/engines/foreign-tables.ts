// A database that has tables of another program under our names.
import { SlotstreamError } from '#src/base/errors.ts';
import { tables } from '#src/store/schema/tables.ts';
import { viewsFor } from '#src/store/views/views.ts';

export const ownNames = (): readonly string[] => [
  'kysely_migration',
  ...Object.keys(tables),
  ...viewsFor([]).map(({ name }) => name),
];

export function refuseForeignTables(names: readonly string[], hint: string, where = 'The database'): void {
  if (names.length === 0) return;
  const found = names.map((name) => `"${name}"`).join(', ');
  throw new SlotstreamError(
    'store_unavailable',
    `${where} has ${names.length === 1 ? 'a table' : 'the tables'} ${found} that Slotstream did not make.`,
    { hint },
  );
}
