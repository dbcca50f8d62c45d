// What the newest part of the log says about kinds and fields that this version does not know. It reads a bounded number of entries and
// of the rows they are about; counts therefore speak of what was examined.
import { sql } from 'kysely';
import type { Store } from '#src/store/contract.ts';
import { decodeColumns } from '#src/store/rows.ts';
import type { ColumnName, TableName, TableRow } from '#src/store/tables.ts';
import { isUnprojected, lastSeq } from './read.ts';

export interface UnknownKind {
  readonly event: string;
  /** Among the examined entries. */
  readonly count: number;
  readonly lastAt: string;
  /** The first entry of this kind in the whole log. */
  readonly first: SampledEntry;
}

const columns = ['seq', 'delivery_id', 'event', 'subject_uri', 'received_at'] as const;
export type SampledEntry = Pick<TableRow<'event_log'>, (typeof columns)[number]>;

type Reader = Pick<Store, 'db' | 'engine'>;

/** Of the newest unhandled entries, through the index of the quarantine. */
export async function unknownKinds(
  { db, engine }: Reader,
  { entries, kinds }: { readonly entries: number; readonly kinds: number },
): Promise<{ readonly examined: number; readonly kinds: readonly UnknownKind[] }> {
  const newest = db
    .selectFrom('event_log')
    .select(['event', 'received_at'])
    .where(isUnprojected)
    .where('outcome', '=', 'unhandled')
    .orderBy('seq', 'desc')
    .limit(entries)
    .as('newest');
  const counted = await db
    .selectFrom(newest)
    .select(({ fn }) => ['event', fn.countAll().as('count'), fn.max('received_at').as('last')])
    .groupBy('event')
    .orderBy('count', 'desc')
    .execute();
  const found: UnknownKind[] = [];
  for (const { event, count, last } of counted.slice(0, kinds)) {
    const first = await db
      .selectFrom('event_log')
      .select(columns)
      .where('event', '=', event)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    if (first === undefined || event === null) continue;
    const entry = decodeColumns(engine, { table: 'event_log', columns }, first);
    found.push({ event, count: Number(count), lastAt: last, first: entry });
  }
  return { examined: counted.reduce((sum, { count }) => sum + Number(count), 0), kinds: found };
}

/** The newest entries, oldest first, without their bodies. */
export async function newestEntries(store: Reader, limit: number): Promise<readonly SampledEntry[]> {
  const last = await lastSeq(store);
  const rows = await store.db
    .selectFrom('event_log')
    .select(columns)
    .where('seq', '>', last - limit)
    .orderBy('seq')
    .execute();
  return rows.map((row) => decodeColumns(store.engine, { table: 'event_log', columns }, row));
}

/** The mirrored tables. */
type ExtraTable = { [Name in TableName]: 'extra' extends ColumnName<Name> ? Name : never }[TableName];

export interface RowExtra {
  readonly uri: string;
  readonly extra: object | null;
  /** The URI of the record that it embeds. */
  readonly embedded: string | null;
}

const urisPerQuery = 500;
const embeddedColumn: Partial<Record<ExtraTable, 'event_uri' | 'user_uri'>> = {
  invitees: 'event_uri',
  organization_memberships: 'user_uri',
};

/** The fields without a column of these rows. */
export async function extrasOf(
  { db, engine }: Reader,
  table: ExtraTable,
  uris: readonly string[],
): Promise<readonly RowExtra[]> {
  const found: RowExtra[] = [];
  const column = embeddedColumn[table];
  for (let at = 0; at < uris.length; at += urisPerQuery) {
    const part = uris.slice(at, at + urisPerQuery);
    const rows = await db
      .selectFrom(table)
      .select(['uri', 'extra', (column ? sql.ref<string | null>(column) : sql.lit(null)).as('embedded')])
      .where('uri', 'in', part)
      .execute();
    for (const { uri, extra, embedded } of rows) {
      const decoded = engine.decode('json', extra);
      const isObject = typeof decoded === 'object' && decoded !== null;
      found.push({ uri, extra: isObject ? decoded : null, embedded });
    }
  }
  return found;
}

export async function bodiesOf(
  { db }: Pick<Reader, 'db'>,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (seqs.length === 0) return new Map();
  const rows = await db.selectFrom('event_log').select(['seq', 'body']).where('seq', 'in', seqs).execute();
  return new Map(rows.flatMap(({ seq, body }) => (body === null ? [] : [[seq, body]])));
}
