// What an engine must do to install views.
import type { Kysely } from 'kysely';
import type { Database } from '#src/store/schema/tables.ts';

/** A view as this version wants it. */
export interface DesiredView {
  readonly name: string;
  readonly about: string;
  readonly columns: Readonly<Record<string, string>>;
  /** What follows `create view … as`. */
  readonly text: string;
  /** The other views that it reads, directly or through another. */
  readonly uses: ReadonlySet<string>;
}

export interface ExistingView {
  /** True when Slotstream created it, so that it may be replaced. */
  readonly isOurs: boolean;
  /** Equal to the mark of the desired view when it is up to date. */
  readonly mark: string;
}

export interface ViewInstaller {
  /** The columns of a view that exists; empty where there is none of that name. */
  columnsOf(db: Kysely<Database>, name: string): Promise<ReadonlySet<string>>;
  /** What exists under these names, in one query. */
  existing(db: Kysely<Database>, names: readonly string[]): Promise<ReadonlyMap<string, ExistingView>>;
  markOf(view: DesiredView): string;
  create(db: Kysely<Database>, view: DesiredView): Promise<void>;
  /**
   * `users`: our views that read it, directly or through another, in the order in which they are created. They are made again where it has
   * to be dropped. Returns the error that prevented it, after which the former views still exist; undefined after a success.
   */
  replace(db: Kysely<Database>, view: DesiredView, users: readonly DesiredView[]): Promise<unknown>;
}
