// What a store engine must do, and the store that the rest of the program uses: transactions over the same tables.
import type { Kysely, QueryResult, RawBuilder, SqlBool } from 'kysely';
import type { SlotstreamError } from '#src/base/errors.ts';
import type { Codec, ColumnKind } from './columns.ts';
import type { SharedSettings } from './shared-settings.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Database, TableName } from './schema/tables.ts';
import type { ViewInstaller } from '#src/store/views/view-installer.ts';

/** Rows of a query, each a list of cells. */
export type RowPage = readonly (readonly unknown[])[];

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** What an engine can lock: the log, the views, or one key of the program's own state. */
export type Lock = 'log' | 'views' | { readonly key: string };

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Never null. */
  readonly required: boolean;
}

/** Columns that are left out become null. */
export type WritableRow = Readonly<Record<string, unknown>>;

export interface Insert {
  /** Unique among all statements. */
  readonly id: string;
  readonly table: string;
  /** Both the statement and the order of its values follow this list. */
  readonly columns: readonly Column[];
  /** What happens to a row whose key exists; without it, the statement fails. */
  readonly conflict?: () => RawBuilder<unknown>;
}

export interface Narrowing {
  readonly order: string;
  readonly condition: RawBuilder<SqlBool>;
  /** The segments of each column that the condition compares by `contains`. */
  readonly segments: readonly (readonly string[])[];
}

/** How an engine finds contacts by parts of their texts. */
export interface ContactSearch {
  /** Whether this column of `contacts` contains one of these segments, in any case. */
  contains(column: string, segments: readonly string[]): RawBuilder<SqlBool>;
  /** The same condition on contacts, in the form in which a page in this order is found soonest. */
  narrowed(db: Kysely<Database>, query: Narrowing): Promise<RawBuilder<SqlBool>>;
  /** The statements that make a missing index possible, for an operator to run; empty where none is missing. */
  missing(db: Kysely<Database>): Promise<readonly string[]>;
}

/** The pattern of `like` for a part of a text. */
export const likePattern = (part: string): string => `%${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

export interface Connections {
  readonly used: number;
  readonly most: number;
}

/** Everything in which SQLite and PostgreSQL differ; the code above it is written once. */
export interface StoreEngine extends Codec {
  readonly name: 'sqlite' | 'postgres';
  readonly db: Kysely<Database>;
  readonly dialect: SqlDialect;
  readonly views: ViewInstaller;
  readonly contactSearch: ContactSearch;
  /** Inserts many rows (`insert-rows.ts`). Returns how many were written. */
  insert(unit: Unit, rows: readonly WritableRow[], insert: Insert): Promise<number>;
  run<Row>(db: Kysely<Database>, statement: Statement): Promise<QueryResult<Row>>;
  /** Whether several statements of this transaction can be sent at once; the server runs them in their order (`in-order.ts`). */
  pipelines(db: Kysely<Database>): boolean;
  readonly takesLists: boolean;
  /** Settings of the database server that make a commit less than durable, as `fsync = off`. */
  unsafeSettings(): Promise<readonly string[]>;
  /** Of the server, by all its clients; undefined where there is no server. */
  connections(): Promise<Connections | undefined>;
  /** The connection's temporary schema, in which a rebuild creates its tables. */
  readonly shadowSchema: string;
  /** Creates empty copies of tables in the temporary schema, with no index but the key. */
  makeShadow(db: Kysely<Database>, names: readonly TableName[]): Promise<void>;
  /** Is called when the copies are filled, before they are compared with the live tables. */
  finishShadow(db: Kysely<Database>, names: readonly TableName[]): Promise<void>;
  dropShadow(db: Kysely<Database>, names: readonly TableName[]): Promise<void>;
  /** Runs `work`, which writes to the temporary schema only. Writers of the live tables do not wait for it. */
  writeShadow<Result>(db: Kysely<Database>, work: () => Promise<Result>): Promise<Result>;
  /** Locks these tables against other writers until the transaction ends. */
  lockTables(db: Kysely<Database>, names: readonly TableName[]): Promise<void>;
  /** That of the tables. */
  readonly schema: string;
  /** True when several transactions may write at once, so that rows must be locked before they are read for a change. */
  readonly manyWriters: boolean;
  /** Holds a lock until the transaction ends (`locks.ts`). */
  lock(db: Kysely<Database>, lock: Lock): Promise<void>;
  /** True when a connection pooler is in front of the server, so that a connection keeps neither settings nor temporary tables. */
  isPooled(): boolean;
  /** From now on, a server that is silent for this long while a statement runs counts as gone: the statement fails as transient. */
  limitSilence(ms: number): void;
  /**
   * For a transaction that finds rows by their keys: until it ends, the server may use the plan of a statement again, and avoids scans
   * of whole tables.
   */
  keepPlans(db: Kysely<Database>): Promise<unknown>;
  /** Is called first in every transaction. What it returns is disposed of when the transaction has done its work. */
  begin(db: Kysely<Database>): Promise<Disposable>;
  /** Whether there are tables of this version. Fails where there is a mirror of another form, or in another schema. */
  hasMirror(): Promise<boolean>;
  migrate(): Promise<void>;
  /** Records in the transaction that personal data was removed, so that `scrub` removes its copies. */
  noteRedaction(db: Kysely<Database>): Promise<void>;
  /** Removes copies of deleted data from the engine's files: from the journal at once, from the pages after a day. */
  scrub(nowMs: number): Promise<void>;
  /** The rows of a query, as of its beginning, page by page, on a connection of its own. */
  stream(statement: Statement): AsyncGenerator<RowPage>;
  ping(): Promise<void>;
  /** How far the clock of the database is ahead of this process's. */
  clockAheadMs(): Promise<number>;
  close(): Promise<void>;
}

/** A unit of work: a transaction, and the engine that encodes its columns. */
export interface Unit {
  readonly db: Kysely<Database>;
  readonly engine: StoreEngine;
  /** The schema of the tables, where a rebuild uses its own. */
  readonly schema?: string;
}

/** What is enough to read: the store itself, a transaction, or connections that only read (`reading/reading.ts`). */
export type Readable = Pick<Unit, 'db' | 'engine'>;

/** The same, with the settings of the mirror. */
export type ReadableMirror = Readable & Pick<Store, 'settings'>;

export interface Store extends AsyncDisposable {
  readonly engine: StoreEngine;
  readonly db: Kysely<Database>;
  /** Those of the mirror, as they were last read. */
  readonly settings: SharedSettings;
  /** Runs `work` in one transaction. After a busy store, a deadlock or a serialization failure it is run again. */
  transaction<Result>(work: (unit: Unit) => Promise<Result>): Promise<Result>;
  /** Updates the SQL views to the definitions of custom fields; never fails. Returns what could not be updated. */
  refreshViews(): Promise<readonly SlotstreamError[]>;
  close(): Promise<void>;
}
