// Incremental runs: the rows that entries of a stretch of the log touched, as they are now. A row may come twice, and never
// not at all.
import { sql, type RawBuilder, type SqlBool } from 'kysely';

import type { Store } from '#src/store/contract.ts';
import type { Cells, Column } from './format.ts';
import { embeddedUri } from '#workers/projections/touches.ts';
import { payloadOf, type Lineage } from './change-tracking.ts';
import { cellsOf, rowsOf, streamed } from './rows.ts';
import { tableSource, type Source } from './source.ts';

/** Entries after `from`, up to and with `to`. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface News {
  readonly source: Source;
  readonly columns: readonly Column[];
  readonly stretch: Stretch;
}

/** As many URIs as are remembered at once: of more, a row touched early and late is written twice. */
const mostRemembered = 100_000;
const lookedUpAtOnce = 500;

export async function* newsOf(store: Store, { source, columns, stretch }: News): AsyncGenerator<Cells[]> {
  if (source.lineage.follows === 'places') {
    yield* rowsOf(store, source, { columns, where: within(stretch) });
    return;
  }
  for await (const uris of touched(store, source, stretch)) {
    for (const some of inChunks(uris)) yield* streamed(store, rowsAbout(store, { source, columns }, some), columns);
  }
}

/** Kinds of entries that may change any row, told of nobody's URI. */
const farReaching = ['person.erased'];

/** True when the stretch holds something that touches rows it does not name: then only the whole is sure to hold all of them. */
export async function isFarReaching(store: Store, { lineage }: Source, { from, to }: Stretch): Promise<boolean> {
  if (lineage.follows === 'places') return false;
  const found = await store.db
    .selectFrom('event_log')
    .select('seq')
    .where('event', 'in', [...farReaching, ...(lineage.remadeBy ?? [])])
    .where('source', '<>', 'webhook')
    .where('seq', '>', from)
    .where('seq', '<=', to)
    .limit(1)
    .execute();
  return found.length > 0;
}

const within = ({ from, to }: Stretch) => sql<SqlBool>`(seq > ${from} and seq <= ${to})`;

async function* touched(store: Store, { lineage }: Source, stretch: Stretch): AsyncGenerator<string[]> {
  const { embedded } = lineage;
  const names = ['subject_uri', ...(embedded ? ['source', 'body', 'encoding'] : [])];
  const columns = names.map((name): Column => ({ name, kind: 'text' }));
  let uris = new Set<string>();
  for await (const page of rowsOf(store, tableSource('event_log'), { columns, where: within(stretch) })) {
    for (const [subject, source, body, encoding] of page as (string | null)[][]) {
      if (typeof subject === 'string') uris.add(subject);
      const payload = embedded && payloadOf({ source: source ?? '', body: body ?? null, encoding: encoding ?? null });
      const named = payload && embedded && embeddedUri(payload, embedded);
      if (named !== undefined) uris.add(named);
    }
    if (uris.size < mostRemembered) continue;
    yield await withEmbedded(store, lineage, uris);
    uris = new Set();
  }
  if (uris.size > 0) yield await withEmbedded(store, lineage, uris);
}

/** Also what the subjects' rows name: a body may have been pruned, or not have said it. */
async function withEmbedded(store: Store, { embedded }: Lineage, uris: ReadonlySet<string>): Promise<string[]> {
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
 * The rows about these subjects. Of a child table, all rows of each parent, and for a parent that has none one that holds
 * nothing but its URI: whoever keeps a copy can replace what hung on it before.
 */
function rowsAbout(
  store: Store,
  { source, columns }: Pick<News, 'source' | 'columns'>,
  uris: readonly string[],
): RawBuilder<unknown> {
  const { parent } = source.lineage;
  if (parent === undefined) {
    const cells = cellsOf(store.engine, columns);
    return sql`select ${cells} from ${sql.table(source.name)} where uri in (${sql.join(uris)}) order by uri`;
  }
  const cells = columns.map((column) =>
    column.name === parent.key ? sql`parent.uri` : cellsOf(store.engine, [column], 'child'),
  );
  const order = source.key.map((name) => (name === parent.key ? sql`parent.uri` : sql.id('child', name)));
  return sql`select ${sql.join(cells)} from ${sql.table(parent.table)} as parent
    left join ${sql.table(source.name)} as child on ${sql.id('child', parent.key)} = parent.uri
    where parent.uri in (${sql.join(uris)}) order by ${sql.join(order)}`;
}

function* inChunks(uris: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < uris.length; from += lookedUpAtOnce) yield uris.slice(from, from + lookedUpAtOnce);
}
