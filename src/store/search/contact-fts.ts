// The word index of SQLite: brought up to date by readers, a few contacts at a time, and asked for contacts that may meet a search.
// Writers only note what changed, and take out what is no longer so; the migration's triggers do.
import { setImmediate as breathe } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { Store } from '#src/store/contract.ts';
import type { TextsOf } from './contact-match.ts';
import { wordColumns, wordsOf } from './trigrams.ts';

/** So many at once that nobody waits for long: the driver holds up the whole process. */
const usuallyAtOnce = 50;
/** What is noted and not indexed yet is looked at one by one, up to this many; beyond, a search does without the index. */
const worthLooking = 300;

const underWay = new WeakMap<Store['engine'], Promise<void>>();

export interface CatchingUp {
  readonly atOnce?: number;
  /** Ends it after what it is at. */
  readonly signal?: AbortSignal;
}

/** Brings the index up to date, if nobody does already. Until it is, searches are right without. */
export function catchUp(store: Store, how: CatchingUp = {}): Promise<void> {
  if (store.engine.name !== 'sqlite') return Promise.resolve();
  const running = underWay.get(store.engine) ?? indexAll(store, how).finally(() => underWay.delete(store.engine));
  underWay.set(store.engine, running);
  return running;
}

async function indexAll(store: Store, { atOnce = usuallyAtOnce, signal }: CatchingUp): Promise<void> {
  // Asked outside a transaction: mostly there is nothing to do, and nobody is to wait for that.
  while (!signal?.aborted && (await countPending(store, 1)) > 0) {
    await indexSome(store, atOnce);
    await breathe();
  }
}

/** True when the index, with what is noted, holds everything. */
export const isReady = async (store: Store): Promise<boolean> =>
  (await countPending(store, worthLooking + 1)) <= worthLooking;

async function countPending({ db }: Store, most: number): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select count(*) as n from (select 1 from contact_search_pending limit ${most})`.execute(db);
  return Number(rows[0]?.n);
}

/** The numbers of those the index finds, `most` of them. */
export async function foundByWords({ db }: Store, query: string, most: number): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`select rowid as id from contact_search
    where contact_search match ${query} limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}

/** `key`, which is the time to sort by, and `uri` of these, and of those the index does not know yet. */
export const placesOf = (ids: readonly number[], order: string): RawBuilder<unknown> =>
  sql`select ${sql.ref(order)} as key, uri from contact_search_texts
        where id in (select value from json_each(${JSON.stringify(ids)}))
      union all select c.${sql.ref(order)} as key, c.uri from contact_search_pending as p
        cross join contacts as c on c.uri = p.uri where c.deleted_at is null`;

type Noted = TextsOf & { readonly uri: string; readonly created_at: string; readonly updated_at: string };

function indexSome(store: Store, atOnce: number): Promise<void> {
  return store.transaction(async ({ db }) => {
    const pending = await sql<{ uri: string }>`select uri from contact_search_pending limit ${atOnce}`.execute(db);
    if (pending.rows.length === 0) return;
    const noted = sql.join(pending.rows.map(({ uri }) => uri));
    const columns = sql.join(wordColumns.map((name) => sql.ref(name)));
    const { rows } = await sql<Noted>`select uri, created_at, updated_at, ${columns} from contacts
      where uri in (${noted}) and deleted_at is null`.execute(db);
    if (rows.length > 0) {
      const texts = rows.map((row) => sql`(${sql.join([row.uri, row.created_at, row.updated_at, ...wordsOf(row)])})`);
      await sql`insert into contact_search_texts (uri, created_at, updated_at, ${columns})
        values ${sql.join(texts)}`.execute(db);
      await sql`insert into contact_search (rowid, ${columns}) select id, ${columns} from contact_search_texts
        where uri in (${noted})`.execute(db);
    }
    await sql`delete from contact_search_pending where uri in (${noted})`.execute(db);
  });
}
