// What each store can say and do about the views that stand in it.
import type { Kysely } from 'kysely';
import type { Database } from '#src/store/tables.ts';
import type { Sql } from '#src/store/sql-dialect.ts';

/** A view as it should stand. */
export interface WantedView {
  readonly name: string;
  readonly about: string;
  readonly select: Sql;
}

export interface Standing {
  /** True when it was made by us, so that it is ours to replace. */
  readonly ours: boolean;
  /** Equal to that of the wanted view when nothing needs doing. */
  readonly mark: string;
}

export interface ViewInstaller {
  /** The columns of a view that exists; empty where there is none of that name. */
  columnsOf(db: Kysely<Database>, name: string): Promise<ReadonlySet<string>>;
  /** What stands under these names, in one query. */
  standing(db: Kysely<Database>, names: readonly string[]): Promise<ReadonlyMap<string, Standing>>;
  markOf(db: Kysely<Database>, view: WantedView): string;
  make(db: Kysely<Database>, view: WantedView): Promise<void>;
  /** Answers what stood in the way, after which the former view is still there; or undefined. */
  replace(db: Kysely<Database>, view: WantedView): Promise<unknown>;
}
