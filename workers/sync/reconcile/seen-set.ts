// The URIs that one run has seen and found deleted, in a temporary SQLite database on disk: memory does not grow with the mirror, and
// a run that only compares writes nothing into the store.
import Sqlite from 'better-sqlite3';
import type { DeletableKind } from '#schemas/records.ts';
import type { FoundDelete } from '#workers/sync/records.ts';

export interface SeenSet extends Disposable {
  /** True the first time. */
  isFirst(kind: string, uri: string): boolean;
  wasSeen(kind: string, uri: string): boolean;
  addDeleted(found: FoundDelete): void;
  countDeleted(kind: DeletableKind): number;
  /** In batches, ordered by URI. */
  deleted(kind: DeletableKind, size: number): Iterable<readonly FoundDelete[]>;
}

export function openSeenSet(): SeenSet {
  // An empty name makes a temporary file that is deleted on close, and by the system after a crash.
  const database = new Sqlite('');
  database.pragma('journal_mode = OFF');
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -4000');
  database.exec('create table seen (kind text, uri text, primary key (kind, uri)) without rowid');
  database.exec(
    'create table deleted (kind text, uri text, updated_at text, observed text, primary key (kind, uri)) without rowid',
  );
  const see = database.prepare('insert into seen values (?, ?) on conflict do nothing');
  const look = database.prepare('select 1 from seen where kind = ? and uri = ?');
  const add = database.prepare('insert into deleted values (?, ?, ?, ?) on conflict do nothing');
  const count = database.prepare<[string], { n: number }>('select count(*) as n from deleted where kind = ?');
  const page = database.prepare<[string, string, number], FoundDelete>(
    'select kind, uri, updated_at, observed from deleted where kind = ? and uri > ? order by uri limit ?',
  );
  return {
    isFirst: (kind, uri) => see.run(kind, uri).changes > 0,
    wasSeen: (kind, uri) => look.get(kind, uri) !== undefined,
    addDeleted: ({ kind, uri, updated_at, observed }) => void add.run(kind, uri, updated_at ?? null, observed),
    countDeleted: (kind) => count.get(kind)?.n ?? 0,
    *deleted(kind, size) {
      for (let after = ''; ;) {
        const found = page.all(kind, after, size);
        if (found.length > 0) yield found;
        if (found.length < size) return;
        after = found.at(-1)?.uri ?? after;
      }
    },
    [Symbol.dispose]: () => void database.close(),
  };
}
