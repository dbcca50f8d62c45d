// What a view is: its name, what each column means, what identifies a row, and its select, written once for both stores.
import type { RawBuilder } from 'kysely';
import type { ColumnKind, StoredColumns } from '#src/store/columns.ts';
import type { StoreEngine } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { SqlDialect } from '#src/store/sql-dialect.ts';

export interface ViewColumn {
  readonly kind: ColumnKind;
  /** A phrase, without a full stop. */
  readonly about: string;
}

export interface View {
  readonly name: string;
  /** One sentence. */
  readonly about: string;
  /** In the order of the select. New ones go to the end: PostgreSQL then replaces the view beneath views that use it. */
  readonly columns: Readonly<Record<string, ViewColumn>>;
  /** What orders and identifies a row; never null. */
  readonly key: readonly string[];
  /** The column in which a row says when it came about, where it has one. */
  readonly since: string | undefined;
  /** Takes no parameters: it becomes the text of a view. Days and months are those of the zone of reports. */
  select(dialect: SqlDialect, reportZone: string): RawBuilder<unknown>;
}

const column =
  (kind: ColumnKind) =>
  (about: string): ViewColumn => ({ kind, about });

export const text = column('text');
export const time = column('time');
export const date = column('date');
export const json = column('json');
export const flag = column('flag');
export const integer = column('integer');
export const number = column('number');

export const decodeViewRow = (
  engine: StoreEngine,
  columns: readonly (readonly [name: string, column: ViewColumn])[],
  stored: StoredColumns,
): StoredRow =>
  Object.fromEntries(columns.map(([name, { kind }]) => [name, engine.decode(kind, stored[name] ?? null)]));
