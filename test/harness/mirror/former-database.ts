// Databases as earlier versions left them.
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect } from 'vitest';
import type { StoreEngine } from '#src/store/contract.ts';
import { openPostgres } from '#src/store/engines/postgres.ts';
import { openSqlite } from '#src/store/engines/sqlite.ts';
import { migrationsFor } from '#src/store/migrations.ts';
import { postgresTypes, sqliteTypes } from '#src/store/migrations/storage-types.ts';

/** The engine of a database, without any migration. */
export function engineOf(url: string): StoreEngine & AsyncDisposable {
  const isSqlite = url.startsWith('sqlite:');
  const engine = isSqlite ? openSqlite(url.slice('sqlite:'.length)) : openPostgres(url, () => {});
  return Object.assign(engine, { [Symbol.asyncDispose]: () => engine.close() });
}

/** An empty database with the migrations up to this one. */
export async function migratedTo(url: string, migration: string): Promise<StoreEngine & AsyncDisposable> {
  const engine = engineOf(url);
  const migrations = migrationsFor(engine.name === 'sqlite' ? sqliteTypes : postgresTypes);
  const migrator = new Migrator({ db: engine.db, provider: { getMigrations: async () => migrations } });
  expect((await migrator.migrateTo(migration)).error).toBeUndefined();
  return engine;
}

/** Inserts a row into a table of that version. Objects, and the columns named here, are JSON. */
export async function insertRow(
  { db }: Pick<StoreEngine, 'db'>,
  table: string,
  row: object,
  json: readonly string[] = [],
): Promise<void> {
  const isJson = (name: string, value: unknown) => json.includes(name) || (typeof value === 'object' && value !== null);
  const values = Object.entries(row).map(([name, value]) => (isJson(name, value) ? JSON.stringify(value) : value));
  const columns = sql.join(Object.keys(row).map((name) => sql.id(name)));
  await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(values)})`.execute(db);
}
