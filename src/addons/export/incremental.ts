// Incremental exports: the current state of the rows that a range of log entries touched. A row may be written twice; none is
// left out.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { textOf } from '#schemas/wire.ts';
import { withoutBlank } from '#src/store/blank-meetings.ts';
import type { Store } from '#src/store/contract.ts';
import { embeddedUri } from '#workers/fold/projections/touches.ts';
import type { Cells, Column } from './format.ts';
import { payloadOf, type ChangeTracking } from './change-tracking.ts';
import { cellsOf, rowsOf, streamRows } from './rows.ts';
import { tableSource, type Source } from './source.ts';

/** The entries after `from`, up to and including `to`. */
export interface LogRange {
  readonly from: number;
  readonly to: number;
}

interface ChangedRowsRequest {
  readonly source: Source;
  readonly columns: readonly Column[];
  readonly range: LogRange;
}

/** URIs held in memory at once. In a longer range, a row that is touched early and late is written twice. */
const maxUris = 100_000;
const urisPerQuery = 500;

export async function* changedRows(
  store: Store,
  { source, columns, range }: ChangedRowsRequest,
): AsyncGenerator<Cells[]> {
  if (source.tracking.follows === 'positions') {
    yield* rowsOf(store, source, { columns, where: isWithin(range) });
    return;
  }
  for await (const uris of touchedUris(store, source, range)) {
    for (const some of inChunks(uris)) yield* streamRows(store, rowsAbout(store, { source, columns }, some), columns);
  }
}

/** Kinds of entries that may change any row without naming it. */
const farReaching = ['person.erased'];

/** True when the range contains an entry that may change rows it does not name: then only a full export is complete. */
export async function isFarReaching(store: Store, { tracking }: Source, { from, to }: LogRange): Promise<boolean> {
  if (tracking.follows === 'positions') return false;
  const found = await store.db
    .selectFrom('event_log')
    .select('seq')
    .where('event', 'in', [...farReaching, ...(tracking.changedWholeBy ?? [])])
    .where('source', '<>', 'webhook')
    .where('seq', '>', from)
    .where('seq', '<=', to)
    .limit(1)
    .execute();
  return found.length > 0;
}

const isWithin = ({ from, to }: LogRange) => sql<SqlBool>`(seq > ${from} and seq <= ${to})`;

async function* touchedUris(store: Store, { tracking }: Source, range: LogRange): AsyncGenerator<string[]> {
  const { embedded } = tracking;
  const names = ['subject_uri', ...(embedded ? ['source', 'body', 'encoding'] : [])];
  const columns = names.map((name): Column => ({ name, kind: 'text' }));
  let uris = new Set<string>();
  for await (const page of rowsOf(store, tableSource('event_log'), { columns, where: isWithin(range) })) {
    for (const row of page) {
      const [subject, source, body, encoding] = names.map((_, index) => textOf(row[index]));
      if (typeof subject === 'string') uris.add(subject);
      const payload = embedded && payloadOf({ source: source ?? '', body: body ?? null, encoding: encoding ?? null });
      const named = payload && embedded && embeddedUri(payload, embedded);
      if (named !== undefined) uris.add(named);
    }
    if (uris.size < maxUris) continue;
    yield await withEmbedded(store, tracking, uris);
    uris = new Set();
  }
  if (uris.size > 0) yield await withEmbedded(store, tracking, uris);
}

/** Adds the URIs that the subjects' rows name: a body may have been pruned, or may not contain them. */
async function withEmbedded(store: Store, { embedded }: ChangeTracking, uris: ReadonlySet<string>): Promise<string[]> {
  const found = new Set(uris);
  if (embedded) {
    const { within: table, column } = embedded;
    for (const some of inChunks([...uris])) {
      const query = sql<{
        uri: string | null;
      }>`select ${sql.id(column)} as uri from ${sql.table(table)} where uri in (${sql.join(some)})`;
      for (const { uri } of (await query.execute(store.db)).rows) if (uri !== null) found.add(uri);
    }
  }
  return [...found].sort();
}

/**
 * The rows about these subjects. For a child table, all rows of each parent; for a parent without rows, one row that holds
 * only its URI, so that a copy can delete the rows it has of this parent.
 */
function rowsAbout(
  store: Store,
  { source, columns }: Pick<ChangedRowsRequest, 'source' | 'columns'>,
  uris: readonly string[],
): RawBuilder<unknown> {
  const { parent } = source.tracking;
  if (parent === undefined) {
    const cells = cellsOf(store.engine, columns);
    const where = sql.join([sql`uri in (${sql.join(uris)})`, ...withoutBlank(source.name)], sql` and `);
    return sql`select ${cells} from ${sql.table(source.name)} where ${where} order by uri`;
  }
  const cells = columns.map((column) =>
    column.name === parent.key ? sql`parent.uri` : cellsOf(store.engine, [column], 'child'),
  );
  const order = source.key.map((name) => (name === parent.key ? sql`parent.uri` : sql.id('child', name)));
  // The condition twice: SQLite would compute a whole view before it joins it.
  const children = sql`select * from ${sql.table(source.name)} where ${sql.id(parent.key)} in (${sql.join(uris)})`;
  return sql`select ${sql.join(cells)} from ${sql.table(parent.table)} as parent
    left join (${children}) as child on ${sql.id('child', parent.key)} = parent.uri
    where parent.uri in (${sql.join(uris)}) order by ${sql.join(order)}`;
}

function* inChunks(uris: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < uris.length; from += urisPerQuery) yield uris.slice(from, from + urisPerQuery);
}
