// What can be exported: every table of the mirror, and every view. Finds one by its name, and its columns by theirs.
import { SlotstreamError } from '#src/base/errors.ts';
import type { ColumnKind, TableShape } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { tables } from '#src/store/tables.ts';
import { shapeOfView, viewNames } from '#src/store/views/views.ts';
import type { Column } from './format.ts';
import { lineageOfView, lineages, type Lineage } from './change-tracking.ts';
import { offering } from './did-you-mean.ts';

export interface Source {
  readonly name: string;
  readonly isView: boolean;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, ColumnKind>>;
  readonly lineage: Lineage;
}

const tableNames = Object.keys(lineages) as (keyof typeof lineages)[];
const isTable = (name: string): name is keyof typeof lineages => Object.hasOwn(lineages, name);

export function tableSource(name: keyof typeof lineages): Source {
  const { key, columns } = tables[name] as TableShape;
  return { name, isView: false, key, columns, lineage: lineages[name] };
}

/** The table that a child table hangs on. */
export function parentOf({ lineage: { parent } }: Source): Source | undefined {
  return parent && isTable(parent.table) ? tableSource(parent.table) : undefined;
}

export async function findSource(store: Store, name: string): Promise<Source> {
  if (isTable(name)) return tableSource(name);
  const shape = await shapeOfView(store, name);
  if (shape !== undefined) return { name, isView: true, ...shape, lineage: lineageOfView(name, shape.since) };
  throw new SlotstreamError('usage', `There is no table or view called ${JSON.stringify(name)} to export.`, {
    hint: offering([...tableNames, ...viewNames], { typed: name, opening: 'There are' }),
  });
}

/** The chosen columns in the chosen order; all of them where nothing was chosen. */
export function chooseColumns(source: Source, chosen: readonly string[] | undefined): readonly Column[] {
  const all = Object.keys(source.columns);
  for (const name of chosen ?? []) {
    if (Object.hasOwn(source.columns, name)) continue;
    throw new SlotstreamError('usage', `${source.name} has no column called ${JSON.stringify(name)}.`, {
      hint: offering(all, { typed: name, opening: 'It has' }),
    });
  }
  const twice = chosen?.find((name, index) => chosen.indexOf(name) !== index);
  if (twice !== undefined)
    throw new SlotstreamError('usage', `The column ${twice} was asked for twice.`, { hint: 'Name each column once.' });
  return (chosen ?? all).map((name) => ({ name, kind: source.columns[name] as ColumnKind }));
}
