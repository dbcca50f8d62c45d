// Rows of one table by URI, or page by page in the order of a time.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { withoutBlank } from './blank-meetings.ts';
import { readAccount } from './settings-row.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { refs } from '#src/store/insert-rows.ts';
import { decodeRow } from '#src/store/rows.ts';
import type { TableName, TableRow } from '#src/store/schema/tables.ts';
import { keysetOf, pageOf, type KeysetPosition, type Page, type PageRequest, type SortOrder } from './keyset.ts';

type Readable = Pick<Store, 'db' | 'engine'>;
type UriTableName =
  | 'contacts'
  | 'scheduled_events'
  | 'custom_field_definitions'
  | 'meeting_recaps'
  | 'routing_form_submissions'
  | 'event_types'
  | 'organization_memberships'
  | 'routing_forms'
  | 'users'
  | 'webhook_subscriptions';

/** In the order of the URIs; missing and blank rows are left out. */
export async function rowsByUri<Name extends TableName>(
  { db, engine }: Readable,
  table: Name,
  uris: readonly string[],
): Promise<TableRow<Name>[]> {
  if (uris.length === 0) return [];
  const { rows } = await sql<StoredColumns>`select * from ${sql.table(table)}
    where ${sql.join([sql`uri in (${sql.join(uris)})`, ...withoutBlank(table)], sql` and `)}`.execute(db);
  const byUri = new Map(rows.map((row) => [row['uri'], decodeRow(engine, table, row)] as const));
  return uris.map((uri) => byUri.get(uri)).filter((row) => row !== undefined);
}

/** A table or a view, and how its rows are read. */
export interface RowSource<Row> {
  readonly name: string;
  /** Default: all. */
  readonly columns?: readonly string[];
  decode(engine: Store['engine'], stored: StoredColumns): Row;
}

export const tableRows = <Name extends TableName>(name: Name): RowSource<TableRow<Name>> => ({
  name,
  decode: (engine, stored) => decodeRow(engine, name, stored),
});

export interface RowQuery {
  readonly order: string;
  readonly id?: 'uri' | 'id' | 'last_invitee' | 'invitee_uri';
  readonly page: PageRequest;
  readonly where: readonly RawBuilder<SqlBool>[];
}

/** In a table whose rows can be deleted. */
export const isNotDeleted = sql<SqlBool>`deleted_at is null`;

/** Without blank rows. */
export function findRows<Row>(
  { db, engine }: Readable,
  { name: table, columns, decode }: RowSource<Row>,
  { order, id = 'uri', page, where }: RowQuery,
): Promise<Page<Row>> {
  const select = async (way: SortOrder, conditions: readonly RawBuilder<SqlBool>[], need: number) => {
    const { orderBy } = keysetOf(engine, table, { ...way, id });
    const { rows } = await sql<StoredColumns>`select ${columns ? refs(columns) : sql`*`} from ${sql.table(table)}
      where ${sql.join([...conditions, ...withoutBlank(table), ...where], sql` and `)} order by ${orderBy} limit ${need}`.execute(
      db,
    );
    return rows.map((row) => decode(engine, row));
  };
  return pageOf(
    {
      order,
      seek: (way, from, need) => select(way, [keysetOf(engine, table, { ...way, id }).beyond(from)], need),
      async isStillAt({ key, uri }) {
        const isThere = sql<SqlBool>`${sql.ref(id)} = ${uri} and ${sql.ref(order)} = ${engine.dialect.time(key)}`;
        return (await select({ order, ascending: true }, [isThere], 1)).length > 0;
      },
    },
    page,
  );
}

export interface RowScan extends RowQuery {
  /** Conditions without an index. */
  readonly filters: readonly RawBuilder<SqlBool>[];
  /** How many rows a page reads at most in search of those that pass its filters. */
  readonly mostScanned?: number;
}

export interface ScannedPage<Item> extends Page<Item> {
  /** Where the pages on either side begin. */
  readonly first: KeysetPosition | undefined;
  readonly last: KeysetPosition | undefined;
}

/**
 * As `findRows`, with filters that no index serves. A page reads at most `mostScanned` rows: where few pass, it is short or empty
 * and the next page continues after the last row that was read.
 */
export async function scanRows<Name extends TableName>(
  store: Readable,
  table: Name,
  { order, id = 'uri', page, where, filters, mostScanned = 5_000 }: RowScan,
): Promise<ScannedPage<TableRow<Name>>> {
  const { db, engine } = store;
  const { count, descending, from, backwards } = page;
  const { beyond, orderBy } = keysetOf(engine, table, { order, id, ascending: descending === backwards });
  const range = sql`from ${sql.table(table)} where ${sql.join([beyond(from), ...where], sql` and `)} order by ${orderBy}`;
  const { rows } = await sql<StoredColumns>`select * from (select * ${range} limit ${mostScanned}) as ${sql.id(table)}
    where ${sql.join([sql`1 = 1`, ...filters], sql` and `)} order by ${orderBy} limit ${count + 1}`.execute(db);
  const positionOf = (row: StoredColumns): KeysetPosition => ({ key: String(row[order]), uri: String(row[id]) });
  const items = rows.slice(0, count);
  const [nearest, farthest] = [items[0], items.at(-1)].map((row) => row && positionOf(row));
  const unread = rows.length > count ? farthest : await lastScanned();
  const found = items.map((row) => decodeRow(engine, table, row));
  // The row at which the page begins lies behind it.
  const isBehind = from !== undefined && items.length > 0;
  return backwards
    ? { items: found.toReversed(), hasPrevious: unread !== undefined, hasNext: isBehind, first: unread, last: nearest }
    : { items: found, hasPrevious: isBehind, hasNext: unread !== undefined, first: nearest, last: unread };

  async function lastScanned(): Promise<KeysetPosition | undefined> {
    if (filters.length === 0) return undefined;
    // In a query of its own, so that SQLite uses the index for it as well.
    const { rows: ends } = await sql<StoredColumns>`select * from (select ${sql.ref(id)}, ${sql.ref(order)} ${range}
      limit ${mostScanned}) as scanned limit 1 offset ${mostScanned - 1}`.execute(db);
    return ends[0] && positionOf(ends[0]);
  }
}

/** The URI of a row by its end, as `/contacts/<uuid>`: the service begins it as that of the organization, as a rule. */
export async function uriEndingWith(store: Readable, table: UriTableName, end: string): Promise<string | undefined> {
  const { organization } = await readAccount(store);
  const usual = organization?.replace(/\/organizations\/[^/]*$/, () => end);
  const isUsual = sql<SqlBool>`uri = ${usual ?? ''}`;
  return (await uriWhere(store, table, isUsual)) ?? uriWhere(store, table, hasEnd(end));
}

/** The URI of an invitee contains the URI of its event, so its end is looked up by an index. */
export async function inviteeEndingWith({ db, engine }: Readable, end: string): Promise<string | undefined> {
  const indexed = sql<SqlBool>`${engine.dialect.lastCharacters('uri', 12)} = ${end.slice(-12)}`;
  return uriWhere({ db }, 'invitees', sql<SqlBool>`${indexed} and ${hasEnd(end)}`);
}

const hasEnd = (end: string) => sql<SqlBool>`substr(uri, length(uri) - ${end.length - 1}) = ${end}`;

async function uriWhere(
  { db }: Pick<Readable, 'db'>,
  table: TableName,
  condition: RawBuilder<SqlBool>,
): Promise<string | undefined> {
  const { rows } = await sql<{ uri: string }>`select uri from ${sql.table(table)}
    where ${sql.join([condition, ...withoutBlank(table)], sql` and `)} limit 1`.execute(db);
  return rows[0]?.uri;
}
