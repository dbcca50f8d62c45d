// A migration that has run somewhere must never change: a database that ran the old one would differ from a new one for ever.
import { createHash } from 'node:crypto';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Dialect,
} from 'kysely';
import { expect, it } from 'vitest';
import { migrationsFor } from '#src/store/migrations.ts';
import { postgresTypes, sqliteTypes } from '#src/store/migrations/storage-types.ts';

const dialects: Record<'sqlite' | 'postgres', Dialect> = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
};

/** The statements of each migration as a short checksum. */
async function checksumsOf(engine: keyof typeof dialects): Promise<Record<string, string>> {
  const statements: string[] = [];
  const log = ({ query }: { query: { sql: string } }): void => void statements.push(query.sql.replaceAll(/\s+/g, ' '));
  const db = new Kysely<unknown>({ dialect: dialects[engine], log });
  const checksums: Record<string, string> = {};
  for (const [name, { up }] of Object.entries(migrationsFor(engine === 'sqlite' ? sqliteTypes : postgresTypes))) {
    statements.length = 0;
    await up(db);
    expect(statements).not.toEqual([]);
    checksums[name] = createHash('sha256').update(statements.join(';\n')).digest('hex').slice(0, 16);
  }
  return checksums;
}

// Add a line for a new migration; never change one.
it.each([
  [
    'sqlite',
    {
      '0001-first-release': '0b5070784281e681',
      '0002-bookings': 'b2ab15d0a8db1878',
      '0003-outbox': '0bfe93106d5c500e',
      '0004-contact-search': 'c1c26fc8ef71c657',
      '0005-plain-changes': '205516eed7be3ed7',
      '0006-answers': '55006c6425b44fac',
      '0007-posted-messages': 'a831e2566b5395d0',
      '0008-mirror-settings': '0bf887665e9ab849',
    },
  ],
  [
    'postgres',
    {
      '0001-first-release': 'fc0e35d1bc4d5d21',
      '0002-bookings': '4dd41af9d2671f41',
      '0003-outbox': '0bfe93106d5c500e',
      '0004-contact-search': '31b7e9aba0e592ca',
      '0005-plain-changes': '3e21bb2f4a901743',
      '0006-answers': '0c0a88f4fd0691d5',
      '0007-posted-messages': 'ba6af2bdced3d8c6',
      '0008-mirror-settings': '72242d2b1b31a8cb',
    },
  ],
] as const)('the migrations of %s are the released ones', async (engine, released) => {
  expect(await checksumsOf(engine)).toEqual(released);
});
