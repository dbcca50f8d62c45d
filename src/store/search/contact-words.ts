// The word index of SQLite: brought up to date by whoever searches, a few contacts at a time, and asked for contacts that may meet
// a search. Writers only note what changed; the migration's triggers do.
import { setImmediate as breathe } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { Store } from '../contract.ts';
import type { TextsOf } from './contact-match.ts';
import { wordColumns, wordsOf } from './trigrams.ts';

/** So many at once that nobody waits for long: the driver holds up the whole process. */
const usuallyAtOnce = 100;
/** A search waits for this many; beyond, it does without the index. */
const worthWaiting = 300;
/** What is noted and not indexed yet is looked at one by one, up to this many. */
const worthLooking = 1_000;

const underWay = new WeakMap<Store['engine'], Promise<void>>();

/** Brings the index up to date in the background, if nobody does already. It stops with the store. */
export function catchUp(store: Store, atOnce = usuallyAtOnce): Promise<void> {
  if (store.engine.name !== 'sqlite') return Promise.resolve();
  const running = underWay.get(store.engine) ?? indexAll(store, atOnce).finally(() => underWay.delete(store.engine));
  underWay.set(store.engine, running);
  return running;
}

async function indexAll(store: Store, atOnce: number): Promise<void> {
  try {
    while ((await indexSome(store, atOnce)) === atOnce) await breathe();
  } catch {
    // Busy for long, or closed: the notes stay, and searches are right without the index.
  }
}

/** True when the index, with what is noted, holds everything. */
export async function isReady(store: Store): Promise<boolean> {
  let waiting = await countPending(store, worthLooking + 1);
  if (waiting === 0) return true;
  const done = catchUp(store);
  if (waiting <= worthWaiting) await done;
  waiting = await countPending(store, worthLooking + 1);
  return waiting <= worthLooking;
}

async function countPending({ db }: Store, most: number): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select count(*) as n from (select 1 from contact_search_pending limit ${most})`.execute(db);
  return Number(rows[0]?.n);
}

/** Those the index finds, and those it does not know yet. */
export const foundByWords = (query: string, most: number): RawBuilder<unknown> =>
  sql`select * from (select i.uri from contact_search as s join contact_search_ids as i on i.id = s.rowid
        where s.contact_search match ${query} limit ${most})
      union select uri from contact_search_pending`;

type Noted = TextsOf & { readonly uri: string };

function indexSome(store: Store, atOnce: number): Promise<number> {
  return store.transaction(async ({ db }) => {
    const pending = await sql<{ uri: string }>`select uri from contact_search_pending limit ${atOnce}`.execute(db);
    const uris = pending.rows.map(({ uri }) => uri);
    if (uris.length === 0) return 0;
    const noted = sql.join(uris);
    const columns = sql.join(wordColumns.map((name) => sql.ref(name)));
    const { rows } = await sql<Noted>`select uri, ${columns} from contacts
      where uri in (${noted}) and deleted_at is null`.execute(db);
    await sql`delete from contact_search where rowid in (select id from contact_search_ids where uri in (${noted}))`.execute(
      db,
    );
    if (rows.length > 0) {
      const living = sql.join(rows.map(({ uri }) => sql`(${uri})`));
      await sql`insert or ignore into contact_search_ids (uri) values ${living}`.execute(db);
      const ids = await sql<{ id: number; uri: string }>`select id, uri from contact_search_ids
        where uri in (${noted})`.execute(db);
      const idOf = new Map(ids.rows.map(({ id, uri }) => [uri, id]));
      const words = rows.map((row) => sql`(${sql.join([idOf.get(row.uri), ...wordsOf(row)])})`);
      await sql`insert into contact_search (rowid, ${columns}) values ${sql.join(words)}`.execute(db);
    }
    await sql`delete from contact_search_pending where uri in (${noted})`.execute(db);
    return uris.length;
  });
}
