// The conditions by which the database narrows a contact search down: they may let contacts through that do not match, and never
// leave out one that does.
import { sql, type SqlBool } from 'kysely';
import type { Store, StoreEngine } from '#src/store/contract.ts';
import type {
  FilterValue,
  ColumnFilter,
  ListFilter,
  ContactFilters,
  TextsOf,
} from '#src/store/contact-search/contact-match.ts';
import { keysetOf, type KeysetPosition, type SortOrder } from '#src/store/keyset.ts';
import { likePattern, type Condition, type CaseRule } from '#src/store/contact-search/contact-index.ts';

export interface ContactCandidates {
  /** The contacts with these addresses and phone numbers; undefined when the search has none. */
  readonly listed: Condition | undefined;
  /** For rows that are scanned. */
  readonly likely: Condition;
  /** The URIs of all later contacts that may match, through an index; undefined when no index helps or there are more than `most`. */
  candidates(start: ScanStart, sample: readonly TextsOf[], most: number): Promise<readonly string[] | undefined>;
  /** How many rows to scan at once: many alternatives make each row cost more. */
  affordable(rows: number): number;
}

/** Where a scan begins, and its direction. */
export interface ScanStart {
  readonly way: SortOrder;
  readonly from: KeysetPosition | undefined;
}

/** With more alternatives than this, the comparison is done here and not by the database. */
const mostPatterns = 50;

export async function narrowing(store: Store, { lists, columns }: ContactFilters): Promise<ContactCandidates> {
  const { contactIndex } = store.engine;
  const folding = await contactIndex.folding(store.db);
  const conditions = columns.flatMap((filter) => likely(store.engine, filter, folding));
  const alternatives = columns.reduce((sum, { segments }) => sum + segments.length, 0);
  return {
    listed: lists.length === 0 ? undefined : all(lists.map(listed)),
    likely: all(conditions),
    async candidates({ way, from }, sample, most) {
      const { order, ascending } = way;
      const { beyond, orderBy } = keysetOf(store.engine, 'found', { order: 'key', ascending });
      const condition = conditions.length === 0 ? undefined : all(conditions);
      const query = await contactIndex.candidates(store.db, { filters: columns, condition, sample, order, most });
      if (query === undefined) return undefined;
      const { rows } = await sql<{ uri: string; ahead: number | boolean | null }>`select uri, ${beyond(from)} as ahead
        from (${query}) as found order by ${orderBy}`.execute(store.db);
      return rows.length > most ? undefined : rows.filter(({ ahead }) => Boolean(ahead)).map(({ uri }) => uri);
    },
    affordable: (rows) => Math.ceil(rows / Math.max(1, alternatives / 4)),
  };
}

const all = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`;

const lookups = {
  email: { table: 'contact_emails', column: 'email' },
  phone_number: { table: 'contact_phone_numbers', column: 'phone_number' },
} as const satisfies Record<ListFilter, object>;

function listed({ name, segments }: FilterValue<ListFilter>): Condition {
  const { table, column } = lookups[name];
  return sql<SqlBool>`contacts.uri in (select contact_uri from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(segments)}))`;
}

function likely(
  { contactIndex }: StoreEngine,
  { name, kind, segments }: FilterValue<ColumnFilter>,
  folding: CaseRule,
): readonly Condition[] {
  const column = sql.ref(name);
  if (kind === 'exact') return contactIndex.equals(column, segments);
  if (segments.length > mostPatterns) return [];
  const patterns = segments.map((segment) => contactIndex.like(column, likePattern(segment, folding)));
  return [sql<SqlBool>`(${sql.join(patterns, sql` or `)})`];
}
