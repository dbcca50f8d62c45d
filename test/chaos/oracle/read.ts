// Asks a store without the code under test: raw SQL, and the columns and types that docs/tables.md and docs/views.md promise.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { Json, Record_ } from '../../harness/data/normal-facts.ts';

type Row = Record<string, unknown>;

interface Reader extends AsyncDisposable {
  readonly isSqlite: boolean;
  ask(sql: string): Promise<Row[]>;
}

/** One connection for many questions: SQLite reads the whole schema for each new one. */
export async function openReader(store: string): Promise<Reader> {
  if (store.startsWith('sqlite:')) {
    const db = new Sqlite(store.slice('sqlite:'.length), { timeout: 10_000 });
    return {
      isSqlite: true,
      async ask(sql) {
        const statement = db.prepare<[], Row>(sql);
        if (statement.reader) return statement.all();
        db.pragma('busy_timeout = 100');
        await written(() => statement.run());
        return [];
      },
      [Symbol.asyncDispose]: async () => void db.close(),
    };
  }
  const session = { application_name: 'oracle', options: '-c timezone=UTC -c search_path=slotstream,public' };
  const client = new pg.Client({ connectionString: store, types: { getTypeParser }, ...session });
  await client.connect();
  return {
    isSqlite: false,
    ask: async (sql) => (await client.query<Row>(sql)).rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Waits without blocking this process: it may be the one that holds the lock. */
async function written(write: () => unknown): Promise<void> {
  for (const endMs = Date.now() + 60_000; ; await setTimeout(10))
    try {
      write();
      return;
    } catch (error) {
      if (!(error instanceof Sqlite.SqliteError) || error.code !== 'SQLITE_BUSY' || Date.now() > endMs) throw error;
    }
}

/** The answer to one statement, which may also change something. */
export async function ask<Answer extends object = Row>(store: string, sql: string): Promise<Answer[]> {
  await using reader = await openReader(store);
  return (await reader.ask(sql)) as Answer[];
}

/** `timestamptz` (1184) as the text that PostgreSQL sends, because a Date has no microseconds; `bigint` (20) as a number. */
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid: number, format?: 'text' | 'binary') => {
  if (oid === 1184) return (text: string) => text;
  if (oid === 20) return Number;
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
};

export interface PromisedTable {
  readonly key: readonly string[];
  /** Column → `text`, `time`, `json`, `flag`, `integer` or `number`. */
  readonly columns: ReadonlyMap<string, string>;
}

/** What docs/tables.md says about a table, or docs/views.md about a view. */
export function promisedTable(name: string): PromisedTable {
  const page = (file: string) => readFileSync(join(import.meta.dirname, '../../../docs', file), 'utf8');
  const section = page('tables.md').split(`\n### ${name}\n`)[1] ?? page('views.md').split(`\n## ${name}\n`)[1] ?? '';
  const [own = ''] = section.split(/\n##+ /);
  const [, keys = ''] = / Key: (.*)\.\n/.exec(own) ?? [];
  const columns = [...own.matchAll(/^\| `(\w+)` \| (\w+)/gm)].map(
    ([, column = '', type = '']) => [column, type] as const,
  );
  if (columns.length === 0) throw new Error(`Neither docs/tables.md nor docs/views.md lists ${name}.`);
  return { key: [...keys.matchAll(/`(\w+)`/g)].map(([, key = '']) => key), columns: new Map(columns) };
}

/** All rows of a table, each value read by the type of its column: the same on both engines. */
export async function readTable(reader: Reader, name: string, { columns }: PromisedTable): Promise<Record_[]> {
  const { isSqlite } = reader;
  const rows = await reader.ask(`select ${[...columns.keys()].map((column) => `"${column}"`).join()} from ${name}`);
  return rows.map((row) =>
    Object.fromEntries([...columns].map(([column, type]) => [column, decoded(row[column], { type, isSqlite })])),
  );
}

function decoded(value: unknown, { type, isSqlite }: { type: string; isSqlite: boolean }): Json {
  if (value === null || value === undefined) return null;
  if (isSqlite && type === 'json') return JSON.parse(String(value)) as Json;
  if (isSqlite && type === 'flag') return value === 1;
  return !isSqlite && type === 'time' ? timeOf(String(value)) : (value as Json);
}

/** `2026-01-31 10:00:00.5+00` becomes `2026-01-31T10:00:00.500000Z`. Another offset stays visible, as a wrong time. */
function timeOf(text: string): string {
  const [, day, time, fraction = '', zone] = /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00(.*)$/.exec(text) ?? [];
  return day === undefined || zone !== '' ? text : `${day}T${time}.${fraction.padEnd(6, '0')}Z`;
}
