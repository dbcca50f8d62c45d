// What can be asked for: a table or view as its declaration has it. What no one may read is left out here, so that it exists nowhere behind.
import type { ColumnKind } from '#src/store/columns.ts';
import type { Readable } from '#src/store/contract.ts';
import type { Content, DeclaredTable } from '#src/store/schema/declaration.ts';
import { describedTables, type DescribedTable } from '#src/store/schema/dictionary.ts';
import { declaredTables } from '#src/store/schema/tables.ts';
import type { LookUp, View } from '#src/store/views/view.ts';
import { readFieldColumns, viewsFor } from '#src/store/views/views.ts';

export interface RelationColumn {
  readonly kind: ColumnKind;
  readonly about: string;
  readonly holds: Exclude<Content, 'secret'>;
  /** Never null. */
  readonly isRequired: boolean;
  /** Only who may change things may read it. */
  readonly isForAdmins: boolean;
  /** `table.column` with the same value. */
  readonly joins: string | undefined;
  /** All values there are, besides null. */
  readonly oneOf: readonly string[] | undefined;
}

export interface Relation {
  readonly name: string;
  readonly isView: boolean;
  readonly isForAdmins: boolean;
  readonly about: string;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, RelationColumn>>;
  /** The columns by which an index orders the rows. */
  readonly fast: readonly string[];
  readonly lookUp: LookUp | undefined;
}

const declared: Readonly<Record<string, DeclaredTable>> = declaredTables;

const ofTables: readonly Relation[] = describedTables().flatMap((table) => {
  const { readable = 'never', fast = [] } = declared[table.name] ?? {};
  return readable === 'never' ? [] : [relationOfTable(table, { isForAdmins: readable === 'admin', fast })];
});

function relationOfTable(
  { name, about, key, columns }: DescribedTable,
  given: Pick<Relation, 'isForAdmins' | 'fast'>,
): Relation {
  const readable = columns.flatMap((column): (readonly [string, RelationColumn])[] => {
    const { holds, joins, oneOf, isOpen } = column;
    if (holds === 'secret' || column.readable === 'never') return [];
    const { kind, about: meaning, required: isRequired } = column;
    const known = isOpen ? undefined : oneOf;
    const isForAdmins = column.readable === 'admin';
    return [[column.name, { kind, about: meaning, holds, isRequired, isForAdmins, joins, oneOf: known }]];
  });
  return { name, isView: false, about, key, columns: Object.fromEntries(readable), lookUp: undefined, ...given };
}

function relationOfView({ name, about, key, fast, lookUp, columns }: View): Relation {
  const readable = Object.entries(columns).map(
    ([column, { kind, about: meaning, holds, joins, oneOf }]): readonly [string, RelationColumn] => [
      column,
      {
        kind,
        about: meaning,
        holds: holds ?? 'plain',
        isRequired: key.includes(column),
        isForAdmins: false,
        joins,
        oneOf,
      },
    ],
  );
  return { name, isView: true, isForAdmins: false, about, key, columns: Object.fromEntries(readable), fast, lookUp };
}

/** As every mirror has them: `contacts_wide` without the columns of custom fields. */
export const commonRelations = (): readonly Relation[] => [...ofTables, ...viewsFor([]).map(relationOfView)];

/** The tables, then the views that this mirror has. */
export async function readRelations({ db, engine }: Readable): Promise<readonly Relation[]> {
  const views = viewsFor(await readFieldColumns({ db }));
  const installed = await engine.views.existing(
    db,
    views.map(({ name }) => name),
  );
  return [...ofTables, ...views.filter(({ name }) => installed.has(name)).map(relationOfView)];
}

/** Undefined where there is none of this name, or the view is not installed. */
export async function findRelation(store: Readable, name: string): Promise<Relation | undefined> {
  const table = ofTables.find((each) => each.name === name);
  if (table !== undefined || !viewsFor([]).some((view) => view.name === name)) return table;
  const view = viewsFor(await readFieldColumns(store)).find((each) => each.name === name);
  // A view that could not be replaced lacks the newest columns.
  const existing = await store.engine.views.columnsOf(store.db, name);
  if (view === undefined || existing.size === 0) return undefined;
  const columns = Object.entries(view.columns).filter(([column]) => existing.has(column));
  return relationOfView({ ...view, columns: Object.fromEntries(columns) });
}

/** One that the program itself asks. */
export async function relationNamed(store: Readable, name: string): Promise<Relation> {
  const relation = await findRelation(store, name);
  if (relation === undefined) throw new TypeError(`${name} is not read.`);
  return relation;
}
