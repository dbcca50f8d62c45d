// Migrated databases, which are slow to make, are made once per test run and copied.
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { openStore } from '#src/store/open-store.ts';
import { createDatabase } from './postgres.ts';

export async function copySqlite(path: string): Promise<void> {
  await cp(join(await template('sqlite', migratedSqlite), 'mirror.db'), path);
}

/** Creates a migrated database on the shared PostgreSQL and returns its URL. */
export async function copyPostgres(): Promise<string> {
  const settings = await readFile(join(await template('postgres', migratedPostgres), 'settings'), 'utf8');
  return createDatabase(inject('postgresUrl'), settings);
}

async function migratedSqlite(folder: string): Promise<void> {
  await using _migrated = await openStore({ report: () => {} }, `sqlite:${join(folder, 'mirror.db')}`);
}

async function migratedPostgres(folder: string): Promise<void> {
  const url = await createDatabase(inject('postgresUrl'));
  await using migrated = await openStore({ report: () => {} }, url);
  const { rows } = await sql<{ version: string }>`select current_setting('server_version_num') as version`.execute(
    migrated.db,
  );
  // Copying takes half the time of writing it all to the log. Before version 15 it was the only way, and had no name.
  const strategy = Number(rows[0]?.version) >= 150_000 ? ' strategy file_copy' : '';
  await writeFile(join(folder, 'settings'), `template ${new URL(url).pathname.slice(1)}${strategy}`);
}

const templates = new Map<string, Promise<string>>();

/** The folder of a template that all workers share. When two workers make one at the same time, the first one stays. */
function template(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const made = templates.get(name) ?? makeTemplate(join(inject('templateFolder'), name), make);
  templates.set(name, made);
  return made;
}

async function makeTemplate(path: string, make: (folder: string) => Promise<void>): Promise<string> {
  if (existsSync(path)) return path;
  const draft = `${path}.${process.pid}`;
  await mkdir(draft);
  await make(draft);
  await rename(draft, path).catch(() => rm(draft, { recursive: true }));
  return path;
}
