// What a projection is: a pure function from one message of the service to a fact, which assigns versioned values to rows. It never
// reads a row, so the order in which facts arrive cannot matter; `merge.ts` lets the greatest version of each field win.
import type { FactKind, FactPayload } from '#schemas/records.ts';
import type { Json } from '#src/store/columns.ts';
import type { ColumnName } from '#src/store/schema/tables.ts';
import type { Version } from './version.ts';

/** The tables whose rows are folded from facts, in alphabetical order, which is also the order in which rows are locked. */
export const mirrorTables = [
  'contacts',
  'custom_field_definitions',
  'event_types',
  'invitees',
  'meeting_recaps',
  'organization_memberships',
  'routing_form_submissions',
  'routing_forms',
  'scheduled_events',
  'users',
] as const;
export type MirrorTable = (typeof mirrorTables)[number];

/** A field is the unit that has a version: it fills one column, or the several columns it is spread over. */
export type Fields<Table extends MirrorTable = MirrorTable> = Readonly<Record<string, Field<Table>>>;
export type Field<Table extends MirrorTable> = ColumnName<Table> | Spread<Table>;
export type Spread<Table extends MirrorTable> = (value: Json) => Partial<Record<ColumnName<Table>, Json>>;

export interface ProjectionInput<Kind extends FactKind = FactKind> {
  readonly event: Kind;
  readonly observed: string;
  readonly tie: string;
  readonly payload: FactPayload<Kind>;
}

export interface Assignment {
  readonly table: MirrorTable;
  readonly uri: string;
  readonly version: Version;
  /** Field → its value. An absent field is not assigned; null assigns null. */
  readonly fields: Readonly<Record<string, Json>>;
  readonly definition: Fields;
}

/**
 * A delete is final. An operator's erasure takes precedence over a delete that a webhook reported, and that over one that reconcile
 * found; within one source the earliest counts.
 */
export interface Tombstone {
  readonly table: 'contacts' | 'event_types' | 'meeting_recaps';
  readonly uri: string;
  readonly deletedAt: string;
  readonly source: 'operator' | 'webhook' | 'reconcile';
}

export type Mark = { readonly uri: string; readonly created_at: string };

/** Who says that an invitee came; undone by a later answer with `came` false. `entry` is the identity of the log entry. */
export type Answer = {
  readonly at: string;
  readonly entry: string;
  readonly by: string;
  readonly came: boolean;
};

/** What a fact says about an invitee's no-show; the state is derived from all such facts together (`no-show.ts`). */
export type NoShowFact =
  | { readonly kind: 'mark'; readonly at: string; readonly mark: Mark }
  | { readonly kind: 'removal'; readonly at: string; readonly uri: string }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'unmark'; readonly at: string }
  | { readonly kind: 'snapshot'; readonly at: string; readonly order: string; readonly mark: Mark | null };

export interface Fact {
  readonly subject: { readonly table: MirrorTable; readonly uri: string };
  readonly assignments: readonly Assignment[];
  readonly tombstone?: Tombstone;
  readonly noShow?: NoShowFact;
  /** The URI of a meeting that it names and does not describe: that has a row all the same, whatever becomes of the fact. */
  readonly meeting?: string;
}

export type Projection<Kind extends FactKind> = (input: ProjectionInput<Kind>) => Fact;
