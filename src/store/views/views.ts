// The views: those of the files in this folder, and `contacts_wide`.
import { join } from 'node:path';
import { installationFolder } from '#src/base/command.ts';
import type { ColumnKind } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { contactsWide } from './contacts-wide.ts';
import type { FieldColumn } from './custom-columns.ts';
import { readViews, type View, type ViewColumn } from './view.ts';

export interface ViewShape {
  readonly columns: Readonly<Record<string, ColumnKind>>;
  readonly key: readonly string[];
  readonly since: string | undefined;
}

let ofFiles: readonly View[] | undefined;
/** Read when they are first asked for: most commands need none. */
const fileViews = (): readonly View[] => (ofFiles ??= readViews(join(installationFolder, 'src/store/views')));

/** By name. `views`: those of files. */
export const viewsFor = (columns: readonly FieldColumn[], views = fileViews()): readonly View[] =>
  [...views, contactsWide(columns)].toSorted((a, b) => (a.name < b.name ? -1 : 1));

export const viewNames = (): readonly string[] => viewsFor([]).map(({ name }) => name);

/** The columns of a view, without those of custom fields. */
export function viewColumns(name: string): Readonly<Record<string, ViewColumn>> {
  const view = viewsFor([]).find((each) => each.name === name);
  if (view === undefined) throw new Error(`There is no view ${name}.`);
  return view.columns;
}

export function readFieldColumns({ db }: Pick<Store, 'db'>): Promise<readonly FieldColumn[]> {
  return db.selectFrom('contacts_wide_columns').selectAll().orderBy('position').execute();
}

/** The shape of a view in the store; undefined where there is none of that name. */
export async function shapeOfView(store: Pick<Store, 'db' | 'engine'>, name: string): Promise<ViewShape | undefined> {
  if (!viewNames().includes(name)) return undefined;
  const view = viewsFor(await readFieldColumns(store)).find((each) => each.name === name);
  if (view === undefined) return undefined;
  // A view that could not be replaced lacks the newest columns, and one of another origin has others.
  const existing = await store.engine.views.columnsOf(store.db, name);
  const columns = Object.entries(view.columns).filter(([column]) => existing.has(column));
  return {
    columns: Object.fromEntries(columns.map(([column, { kind }]) => [column, kind])),
    key: view.key,
    since: view.since,
  };
}
