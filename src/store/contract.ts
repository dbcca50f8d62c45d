// What a store engine must do, and what the rest of the program gets: one transaction at a time over the same tables.
import type { Kysely } from 'kysely';
import type { Codec } from './columns.ts';
import type { RowPage } from './row-stream.ts';
import type { ContactIndex } from '#src/store/search/contact-index.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Database, TableName } from './tables.ts';
import type { ViewInstaller } from '#src/store/views/view-installer.ts';

/** A query as an engine takes it: what Kysely compiles. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** What an engine can lock: the log, the views, or one key of the program's own state. */
export type Lock = 'log' | 'views' | { readonly key: string };

/** The part in which SQLite and PostgreSQL differ; everything above it is written once. */
export interface StoreEngine extends Codec {
  readonly name: 'sqlite' | 'postgres';
  readonly db: Kysely<Database>;
  readonly dialect: SqlDialect;
  readonly views: ViewInstaller;
  readonly contactIndex: ContactIndex;
  /** How many batches are worth folding at the same time. */
  readonly concurrentBatches: number;
  /** Where copies of deleted data remain after `scrub`, and until when, as a sentence for operators. */
  readonly residue: string;
  /** Settings of the database server that make a commit less than durable, as `fsync = off`. */
  unsafeSettings(): Promise<readonly string[]>;
  /** Where a rebuild makes its tables beside the live ones: the connection's temporary schema. */
  readonly shadowSchema: string;
  /** Makes an empty copy of a table there. */
  makeShadow(db: Kysely<Database>, table: TableName): Promise<void>;
  /** Keeps every other writer of these tables out until the transaction ends. */
  lockTables(db: Kysely<Database>, names: readonly TableName[]): Promise<void>;
  /** The schema in which the live tables are. */
  liveSchema(db: Kysely<Database>): Promise<string>;
  /** True when several transactions write at once, so that rows must exist to be locked, and be locked to be read. */
  readonly manyWriters: boolean;
  /** Holds a lock until the transaction ends (`locks.ts`). */
  lock(db: Kysely<Database>, lock: Lock): Promise<void>;
  migrate(): Promise<void>;
  /** Notes in the transaction that somebody was forgotten, so that `scrub` has something to do. */
  noteForgotten(db: Kysely<Database>): Promise<void>;
  /** Removes what forgetting left behind in files: the journal at once, copies within pages after a day. A no-op where the engine keeps no files of its own. */
  scrub(nowMs: number): Promise<void>;
  /** The rows of a query, any number of them, as they stood when it began: a page at a time, on a connection of its own. */
  stream(statement: Statement): AsyncGenerator<RowPage>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** One unit of work: a transaction, and the engine that knows how its columns are stored. */
export interface Unit {
  readonly db: Kysely<Database>;
  readonly engine: StoreEngine;
  /** Set while a rebuild works on tables of its own. */
  readonly schema?: string;
}

export interface Store extends AsyncDisposable {
  readonly engine: StoreEngine;
  readonly db: Kysely<Database>;
  /** Runs `work` in one transaction; a busy store, a deadlock or a serialization failure is tried again. */
  transaction<Result>(work: (unit: Unit) => Promise<Result>): Promise<Result>;
  /** Brings the SQL views up to date with the definitions of custom fields; never fails. */
  refreshViews(): Promise<void>;
  close(): Promise<void>;
}
