// What one run has to remember, in a private database that SQLite keeps on disk and removes by itself: memory does not grow with
// the mirror, and a run that only looks writes nothing into the store.
import Sqlite from 'better-sqlite3';
import type { GoneKind } from '#schemas/records.ts';

export interface FoundGone {
  readonly kind: GoneKind;
  readonly uri: string;
  readonly observed: string;
}

export interface Scratch extends Disposable {
  /** True the first time. */
  isFirst(kind: string, uri: string): boolean;
  wasSeen(kind: string, uri: string): boolean;
  bury(gone: FoundGone): void;
  countGone(kind: GoneKind): number;
  /** Batch after batch, in order of URI. */
  gone(kind: GoneKind, size: number): Iterable<readonly FoundGone[]>;
}

export function openScratch(): Scratch {
  // An empty name is a file of its own in the temporary folder, deleted when it is closed, and after a crash by the system.
  const database = new Sqlite('');
  database.pragma('journal_mode = OFF');
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -4000');
  database.exec('create table seen (kind text, uri text, primary key (kind, uri)) without rowid');
  database.exec('create table gone (kind text, uri text, observed text, primary key (kind, uri)) without rowid');
  const see = database.prepare('insert into seen values (?, ?) on conflict do nothing');
  const look = database.prepare('select 1 from seen where kind = ? and uri = ?');
  const bury = database.prepare('insert into gone values (?, ?, ?) on conflict do nothing');
  const count = database.prepare('select count(*) as n from gone where kind = ?');
  const page = database.prepare('select kind, uri, observed from gone where kind = ? and uri > ? order by uri limit ?');
  return {
    isFirst: (kind, uri) => see.run(kind, uri).changes > 0,
    wasSeen: (kind, uri) => look.get(kind, uri) !== undefined,
    bury: ({ kind, uri, observed }) => void bury.run(kind, uri, observed),
    countGone: (kind) => (count.get(kind) as { n: number }).n,
    *gone(kind, size) {
      for (let after = ''; ;) {
        const found = page.all(kind, after, size) as FoundGone[];
        if (found.length > 0) yield found;
        if (found.length < size) return;
        after = found.at(-1)?.uri as string;
      }
    },
    [Symbol.dispose]: () => void database.close(),
  };
}
