// One page of the contacts that match a search (A17): every filter by at least one of its segments. Exact filters compare character by
// character; partial ones find the segment anywhere in the text, in any case, as the database compares letters.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { contactFilters, type ContactListQuery } from '#schemas/contact-request.ts';
import type { Store, StoreEngine } from '#src/store/contract.ts';
import {
  keysetOf,
  pageOf,
  type KeysetPosition,
  type Page,
  type PageRequest,
  type SortOrder,
} from '#src/store/keyset.ts';

type FilterName = keyof typeof contactFilters;

export interface ContactQuery {
  readonly search: Partial<Pick<ContactListQuery, FilterName>>;
  readonly order: 'created_at' | 'updated_at';
  readonly page: PageRequest;
}

export function findContacts(
  { db, engine }: Store,
  { search, order, page }: ContactQuery,
): Promise<Page<KeysetPosition>> {
  const filters = Object.keys(contactFilters).flatMap((name) => conditionOf(engine, search, name as FilterName));
  const select = async (way: SortOrder, where: RawBuilder<SqlBool>, need: number) => {
    const { rows } = await sql<KeysetPosition>`select ${sql.ref(`contact_search.${order}`)} as key, contact_search.uri
      from contact_search where ${sql.join([where, ...filters], sql` and `)}
      order by ${keysetOf(engine, 'contact_search', way).orderBy} limit ${need}`.execute(db);
    return rows;
  };
  return pageOf(
    {
      order,
      seek: (way, from, need) => select(way, keysetOf(engine, 'contact_search', way).beyond(from), need),
      async isStillAt({ key, uri }) {
        const isThere = sql<SqlBool>`contact_search.uri = ${uri} and ${sql.ref(`contact_search.${order}`)} = ${engine.dialect.time(key)}`;
        return (await select({ order, ascending: true }, isThere, 1)).length > 0;
      },
    },
    page,
  );
}

const lists = {
  email: { table: 'contact_emails', column: 'email' },
  phone_number: { table: 'contact_phone_numbers', column: 'phone_number' },
} as const;

function conditionOf(engine: StoreEngine, search: ContactQuery['search'], name: FilterName): RawBuilder<SqlBool>[] {
  const given = search[name] ?? [];
  if (given.length === 0) return [];
  // No text contains NUL (A7), and engines truncate or reject such a parameter.
  const segments = [...new Set(given)].filter((segment) => !segment.includes('\0'));
  if (segments.length === 0) return [sql`false`];
  if (name === 'email' || name === 'phone_number') {
    const { table, column } = lists[name];
    return [
      sql`contact_search.uri in (select contact_uri from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(segments)}))`,
    ];
  }
  return [
    contactFilters[name] === 'partial'
      ? engine.contactSearch.contains(name, segments)
      : sql`${sql.ref(`contact_search.${name}`)} in (${sql.join(segments)})`,
  ];
}
