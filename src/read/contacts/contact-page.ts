// The contacts that a search matches (A17): every filter by at least one of its segments. Exact filters compare character by character;
// partial ones find the segment anywhere in the text, in any case.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { contactFilters, ContactListQuery } from '#schemas/contact-request.ts';
import type { Readable, StoreEngine } from '#src/store/contract.ts';
import type { Page, PageRequest } from '#src/store/keyset.ts';
import { findRows, tableRows, isNotDeleted } from '#src/store/record-search.ts';
import type { TableRow } from '#src/store/schema/tables.ts';

type FilterName = keyof typeof contactFilters;

export interface ContactQuery {
  readonly search: Partial<Pick<ContactListQuery, FilterName>>;
  readonly order: 'created_at' | 'updated_at';
  readonly page: PageRequest;
}

export async function findContacts(
  store: Readable,
  { search, order, page }: ContactQuery,
): Promise<Page<TableRow<'contacts'>>> {
  return findRows(store, tableRows('contacts'), { order, page, where: [await contactsMatching(store, search, order)] });
}

/** The condition on `contacts`, in the form in which a page in this order is found soonest. */
export async function contactsMatching(
  { db, engine }: Readable,
  search: ContactQuery['search'],
  order: string,
): Promise<RawBuilder<SqlBool>> {
  const filters = conditionsOf(engine, search);
  if (filters.length === 0) return isNotDeleted;
  const condition = sql<SqlBool>`${sql.join([isNotDeleted, ...filters], sql` and `)}`;
  const segments = partial.flatMap((name) => (search[name] === undefined ? [] : [search[name]]));
  return engine.contactSearch.narrowed(db, { order, condition, segments });
}

const partial = ['name', 'job_title', 'company', 'city'] as const;
const lists = { email: 'contact_emails', phone_number: 'contact_phone_numbers' } as const;
/** SQLite takes no longer pattern, and no contact says so much. */
const longest = 5_000;

function conditionsOf(engine: StoreEngine, search: ContactQuery['search']): readonly RawBuilder<SqlBool>[] {
  const met = (name: FilterName, condition: (segments: readonly string[]) => RawBuilder<SqlBool>) => {
    const given = search[name] ?? [];
    // No text contains NUL (A7), and engines truncate or reject such a parameter.
    const segments = [...new Set(given)].filter((segment) => !segment.includes('\0') && segment.length <= longest);
    if (segments.length === 0) return given.length === 0 ? [] : [sql<SqlBool>`1 = 0`];
    return [condition(segments)];
  };
  const isAmong = (column: string, segments: readonly string[]) =>
    sql<SqlBool>`${sql.ref(column)} in (${sql.join(segments)})`;
  return [
    ...(['email', 'phone_number'] as const).flatMap((name) =>
      met(name, (segments) => {
        const found = sql`select contact_uri from ${sql.table(lists[name])} where ${isAmong(name, segments)}`;
        return sql`uri in (${found})`;
      }),
    ),
    ...(['timezone', 'country', 'state'] as const).flatMap((name) => met(name, (segments) => isAmong(name, segments))),
    ...partial.flatMap((name) => met(name, (segments) => engine.contactSearch.contains(name, segments))),
  ];
}
