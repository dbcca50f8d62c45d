// What can be exported: every table of the mirror and every view. Finds one by its name, its columns by theirs, and the rows
// that changed since a time.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { SlotstreamError } from '#src/base/errors.ts';
import type { ColumnKind, TableShape } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { tables } from '#src/store/schema/tables.ts';
import { shapeOfView, viewNames } from '#src/store/views/views.ts';
import { changeTracking, changeTrackingOfView, type ChangeTracking, type ExportedTable } from './change-tracking.ts';
import { suggestName } from '#src/base/did-you-mean.ts';
import type { Column } from './format.ts';

export interface Source {
  readonly name: string;
  readonly isView: boolean;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, ColumnKind>>;
  readonly tracking: ChangeTracking;
}

export const sourceNames: readonly string[] = [...Object.keys(changeTracking), ...viewNames()].toSorted();

const isTable = (name: string): name is ExportedTable => Object.hasOwn(changeTracking, name);

export function tableSource(name: ExportedTable): Source {
  const { key, columns }: TableShape = tables[name];
  return { name, isView: false, key, columns, tracking: changeTracking[name] };
}

export async function findSource(store: Store, name: string): Promise<Source> {
  if (isTable(name)) return tableSource(name);
  const shape = await shapeOfView(store, name);
  if (shape !== undefined) return { name, isView: true, ...shape, tracking: changeTrackingOfView(name, shape.since) };
  throw new SlotstreamError('usage', `There is no table or view called ${JSON.stringify(name)} to export.`, {
    hint: suggestName(sourceNames, { typed: name, opening: 'There are' }),
  });
}

export const columnsOf = ({ columns }: Pick<Source, 'columns'>): Column[] =>
  Object.entries(columns).map(([name, kind]) => ({ name, kind }));

/** The chosen columns in the chosen order; all columns where none was chosen. */
export function chooseColumns(source: Source, chosen: readonly string[] | undefined): readonly Column[] {
  const all = columnsOf(source);
  if (chosen === undefined) return all;
  const twice = chosen.find((name, index) => chosen.indexOf(name) !== index);
  const columns = chosen.map((name) => {
    const column = all.find((one) => one.name === name);
    if (column !== undefined) return column;
    throw new SlotstreamError('usage', `${source.name} has no column called ${JSON.stringify(name)}.`, {
      hint: suggestName(Object.keys(source.columns), { typed: name, opening: 'It has' }),
    });
  });
  if (twice !== undefined)
    throw new SlotstreamError('usage', `The column ${twice} was given twice.`, { hint: 'Name each column once.' });
  return columns;
}

/** The condition of `--since`: rows whose own time is at or after `at` (UTC, six fractional digits). */
export function changedSince(source: Source, at: string): RawBuilder<SqlBool> {
  const { changed, ended, parent } = source.tracking;
  if (changed !== undefined) {
    const conditions = [isSince(source, changed, at), ...(ended === undefined ? [] : [isSince(source, [ended], at)])];
    return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
  }
  if (parent === undefined)
    throw new SlotstreamError('usage', `The rows of ${source.name} have no time, so --since cannot select any.`, {
      hint: 'Export it without --since: that writes all rows.',
    });
  const changedParents = changedSince(tableSource(parent.table), at);
  return sql<SqlBool>`${sql.id(parent.key)} in (select uri from ${sql.table(parent.table)} where ${changedParents})`;
}

/** The time of a row's last change; undefined where rows have none. */
export const timeOf = ({ tracking }: Source): RawBuilder<unknown> | undefined =>
  tracking.changed && firstOf(tracking.changed);

const firstOf = (names: readonly [string, ...string[]]): RawBuilder<unknown> =>
  names.length === 1 ? sql.id(names[0]) : sql`coalesce(${sql.join(names.map((name) => sql.id(name)))})`;

function isSince({ columns }: Source, names: readonly [string, ...string[]], at: string): RawBuilder<SqlBool> {
  const [first] = names;
  return sql<SqlBool>`${firstOf(names)} >= ${columns[first] === 'date' ? at.slice(0, 10) : at}`;
}
