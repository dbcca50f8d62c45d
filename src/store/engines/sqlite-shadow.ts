// The temporary tables of a rebuild on SQLite: in a file of their own, which is gone with the connection.
import type Sqlite from 'better-sqlite3';
import { CompiledQuery, sql } from 'kysely';
import type { StoreEngine } from '#src/store/contract.ts';

type Shadow = Pick<StoreEngine, 'shadowSchema' | 'makeShadow' | 'writeShadow' | 'finishShadow' | 'dropShadow'>;

export function sqliteShadow(database: Sqlite.Database): Shadow {
  return {
    shadowSchema: 'temp',
    async makeShadow(connection, names) {
      // In kibibytes. The default of 2 MB makes SQLite read pages of the file again and again.
      database.pragma('temp.cache_size = -32000');
      for (const name of names) {
        const found = sql<{ sql: string }>`select sql from main.sqlite_master where type = 'table' and name = ${name}`;
        const { rows } = await found.execute(connection);
        const create = String(rows[0]?.sql).replace(/^create table "?\w+"?/i, `create table temp."${name}"`);
        await connection.executeQuery(CompiledQuery.raw(create));
      }
    },
    async writeShadow(connection, work) {
      // Unlike `begin immediate` it does not make this the only writer.
      await connection.executeQuery(CompiledQuery.raw('savepoint shadow'));
      try {
        return await work();
      } finally {
        // A full disk ends the transaction by itself.
        if (database.inTransaction) await connection.executeQuery(CompiledQuery.raw('release shadow'));
      }
    },
    finishShadow: async () => {},
    async dropShadow(connection, names) {
      for (const name of names) await sql`drop table if exists ${sql.id('temp', name)}`.execute(connection);
    },
  };
}
