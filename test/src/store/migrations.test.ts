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
      '0001-initial': '3901d414fcc6ae93',
      '0002-sync-checkpoints': 'f64603ce77e2b2d1',
      '0003-feed-consumers': 'f9f070567536886c',
      '0004-contact-search': '48821bc915ee89c2',
      '0005-alerts': 'a94623557a666473',
      '0006-key-values': 'c5dcedfbf1d84973',
      '0007-extra': '40f42106abcede67',
      '0008-contact-search-table': '0969a9e771c9283c',
      '0009-processes': '758bf580db8efbcc',
      '0010-contacts-wide-columns': '059e5e05a7b4e5a8',
      '0013-room-for-updates': '822ae07d4783158b',
      '0014-booking-lists': 'b7726acd54cd0c0b',
      '0015-admin-actions': '2ce5bc22a39a352e',
      '0016-routing-and-recaps': 'f90197433508c342',
      '0017-process-reports': '711478e4d78cc4aa',
      '0018-recap-speakers': '96ed871f958a4f67',
      '0019-follow-up-reads': '8bfe43a41cc61239',
      '0020-time-zones': 'b25144a2b1787987',
      '0021-list-views': 'b824719fad2e5b00',
      '0022-owners-and-meetings': '510b8306f0a1d2cf',
      '0023-deleted-definitions': '49bcbb13463cd4e4',
      '0024-dismissed-entries': '166ee0d859ac7bda',
    },
  ],
  [
    'postgres',
    {
      '0001-initial': '0309a5b22edc3b7f',
      '0002-sync-checkpoints': '3712d84613966908',
      '0003-feed-consumers': '10e9900566793a8e',
      '0004-contact-search': '01039365ea451ff6',
      '0005-alerts': '79c9e560710ff9a8',
      '0006-key-values': '251c8ebc5adaeb92',
      '0007-extra': 'f664e6b96e222024',
      '0008-contact-search-table': 'b4220fbfa0a644b5',
      '0009-processes': 'a096e0cca8af31a4',
      '0010-contacts-wide-columns': 'e94dd70e175e9b98',
      '0013-room-for-updates': '18ac9716135a87fc',
      '0014-booking-lists': '6121bdf2db7ad807',
      '0015-admin-actions': '7726a2a480a0b5a6',
      '0016-routing-and-recaps': '77f22f6dfd7dd1dc',
      '0017-process-reports': 'e5e1dd5ca3ab9b5c',
      '0018-recap-speakers': '74afeb563ece9dec',
      '0019-follow-up-reads': '8bfe43a41cc61239',
      '0020-time-zones': 'a8188f0368a15132',
      '0021-list-views': '4dc2c43b000f7496',
      '0022-owners-and-meetings': '6fe9aa4b4b28a9fa',
      '0023-deleted-definitions': '4386e1d7cc052184',
      '0024-dismissed-entries': '79f6261c9624f45c',
    },
  ],
] as const)('the migrations of %s are the released ones', async (engine, released) => {
  expect(await checksumsOf(engine)).toEqual(released);
});
