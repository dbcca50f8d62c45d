// Settings of the database server that make a commit less than durable. SQLite's are set by us whenever a file is opened.
import { sql } from 'kysely';
import type { Store } from '#src/store/contract.ts';

const needed = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/** As `fsync = off`; empty when a commit survives a power cut. */
export async function unsafeSettings({ engine, db }: Pick<Store, 'engine' | 'db'>): Promise<readonly string[]> {
  if (engine.name !== 'postgres') return [];
  const unsafe: string[] = [];
  for (const name of needed) {
    const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db);
    if (rows[0]?.value === 'off') unsafe.push(`${name} = off`);
  }
  return unsafe;
}
