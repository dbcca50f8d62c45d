// One page of the contacts that match a search (A17): every filter by at least one of its segments. Exact filters compare character by
// character; partial ones find the segment anywhere in the text, in any case, as the database compares letters.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { contactFilters, ContactListQuery } from '#schemas/contact-request.ts';
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
  const filters = conditionsOf(engine, search);
  const select = async (way: SortOrder, where: RawBuilder<SqlBool>, need: number) => {
    const { rows } = await sql<KeysetPosition>`select ${sql.ref(`contact_search.${order}`)} as key, contact_search.uri
      from ${sql.table('contact_search')} where ${sql.join([where, ...filters], sql` and `)}
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

const lists = { email: 'contact_emails', phone_number: 'contact_phone_numbers' } as const;

function conditionsOf(engine: StoreEngine, search: ContactQuery['search']): readonly RawBuilder<SqlBool>[] {
  const met = (name: FilterName, condition: (segments: readonly string[]) => RawBuilder<SqlBool>) => {
    const given = search[name] ?? [];
    // No text contains NUL (A7), and engines truncate or reject such a parameter.
    const segments = [...new Set(given)].filter((segment) => !segment.includes('\0'));
    if (segments.length === 0) return given.length === 0 ? [] : [sql<SqlBool>`1 = 0`];
    return [condition(segments)];
  };
  const isAmong = (column: string, segments: readonly string[]) =>
    sql<SqlBool>`${sql.ref(column)} in (${sql.join(segments)})`;
  return [
    ...(['email', 'phone_number'] as const).flatMap((name) =>
      met(name, (segments) => {
        const found = sql`select contact_uri from ${sql.table(lists[name])} where ${isAmong(name, segments)}`;
        return sql`contact_search.uri in (${found})`;
      }),
    ),
    ...(['timezone', 'country', 'state'] as const).flatMap((name) =>
      met(name, (segments) => isAmong(`contact_search.${name}`, segments)),
    ),
    ...(['name', 'job_title', 'company', 'city'] as const).flatMap((name) =>
      met(name, (segments) => engine.contactSearch.contains(name, segments)),
    ),
  ];
}
