// What each database can be asked to leave out before a contact is held against a search: always less than all that does not fit,
// never anything that does.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Store, StoreEngine } from '#src/store/contract.ts';
import type { Asked, ColumnFilter, ListFilter, Searched, TextsOf } from './contact-match.ts';
import { foundByWords, isReady, placesOf } from './contact-fts.ts';
import { keysetOf, type Place, type Way } from './keyset.ts';
import { likePattern, type Folding } from './like-pattern.ts';
import { wordQuery } from './trigrams.ts';

type Condition = RawBuilder<SqlBool>;

export interface Narrowing {
  /** The contacts with the addresses and numbers asked for; undefined when none were. */
  readonly listed: Condition | undefined;
  /** For rows that are walked past. */
  readonly likely: Condition;
  /** The URIs of all beyond that place that may fit, through an index; undefined when none helps, or when more than `most` fit. */
  candidates(stretch: Stretch, sample: readonly TextsOf[], most: number): Promise<readonly string[] | undefined>;
  /** How many rows to walk past at once: many alternatives make each row cost more. */
  affordable(rows: number): number;
}

/** On from a place, one way. */
export interface Stretch {
  readonly way: Way;
  readonly from: Place | undefined;
}

/** Beyond this many alternatives they are all looked for here, and not by the database. */
const mostPatterns = 50;

export async function narrowing(store: Store, { lists, columns }: Searched): Promise<Narrowing> {
  const folding = await foldingOf(store);
  const conditions = columns.flatMap((filter) => likely(store.engine, filter, folding));
  const alternatives = columns.reduce((sum, { segments }) => sum + segments.length, 0);
  return {
    listed: lists.length === 0 ? undefined : all(lists.map(listed)),
    likely: all(conditions),
    async candidates({ way, from }, sample, most) {
      const { order, ascending } = way;
      const { beyond, orderBy } = keysetOf(store.engine, 'found', { order: 'key', ascending });
      const sorted = async (question: RawBuilder<unknown>) => {
        const { rows } = await sql<{ uri: string; ahead: number | boolean | null }>`select uri, ${beyond(from)} as ahead
          from (${question}) as found order by ${orderBy}`.execute(store.db);
        return rows.length > most ? undefined : rows.filter(({ ahead }) => Boolean(ahead)).map(({ uri }) => uri);
      };
      if (store.engine.name !== 'sqlite')
        return conditions.length === 0 ? undefined : sorted(byPlan(conditions, order, most));
      if (!(await isReady(store))) return undefined;
      const queries = (['quick', 'thorough'] as const).map((how) => wordQuery(columns, sample, how));
      for (const query of new Set(queries)) {
        // Counted first: to look so many up takes longer than to find them.
        const ids = query === undefined ? undefined : await foundByWords(store, query, most + 1);
        if (ids !== undefined && ids.length <= most) return sorted(placesOf(ids, order));
      }
      return undefined;
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

function listed({ name, segments }: Asked<ListFilter>): Condition {
  const { table, column } = lookups[name];
  return sql<SqlBool>`contacts.uri in (select contact_uri from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(segments)}))`;
}

function likely(engine: StoreEngine, filter: Asked<ColumnFilter>, folding: Folding): readonly Condition[] {
  const { name, kind, segments } = filter;
  const column = sql.ref(name);
  if (kind === 'exact') {
    const exact = sql<SqlBool>`${column} in (${sql.join(segments)})`;
    // By its index, which holds the beginning only.
    const begins = segments.map((segment) => sql`left(${segment}, 100)`);
    return engine.name === 'sqlite' ? [exact] : [exact, sql<SqlBool>`left(${column}, 100) in (${sql.join(begins)})`];
  }
  if (segments.length > mostPatterns) return [];
  const patterns = segments.map((segment) => likePattern(segment, folding));
  const like = (pattern: string): Condition =>
    engine.name === 'sqlite'
      ? sql<SqlBool>`${column} like ${pattern} escape '\\'`
      : sql<SqlBool>`translate(${column}, U&'\\212A\\0130', 'ki') ilike ${pattern}`;
  return [sql<SqlBool>`(${sql.join(patterns.map(like), sql` or `)})`];
}

/** PostgreSQL knows by its statistics which of its indexes helps. */
const byPlan = (conditions: readonly Condition[], order: string, most: number): RawBuilder<unknown> =>
  sql`select ${sql.ref(order)} as key, uri from contacts where deleted_at is null and ${all(conditions)} limit ${most + 1}`;

const foldings = new WeakMap<StoreEngine, Folding>();

/** Which letters PostgreSQL finds the same in another case hangs on the locale of the database. */
async function foldingOf({ engine, db }: Store): Promise<Folding> {
  if (engine.name === 'sqlite') return { beyondAscii: false, asciiIsSafe: false };
  const known = foldings.get(engine);
  if (known !== undefined) return known;
  const { rows } = await sql<{ folds: boolean }>`select lower('ÄΔЖ') = 'äδж' as folds`.execute(db);
  const folding = { beyondAscii: rows[0]?.folds === true, asciiIsSafe: true };
  foldings.set(engine, folding);
  return folding;
}
