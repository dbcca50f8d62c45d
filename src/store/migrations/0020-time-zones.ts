// The offsets of time zones, so that SQL computes local time on both engines. The first start fills it (`store/time-zones.ts`).
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function timeZones({ time, integer, childTables = '', textSearch }: StorageTypes): Migration {
  // The views look up names in lower case, which PostgreSQL computes by the collation of bytes.
  const name = textSearch === 'fts5' ? 'text' : 'text collate "C"';
  return {
    async up(db: Kysely<unknown>) {
      await sql`create table time_zones (name ${sql.raw(name)} not null, starts_at ${sql.raw(time)} not null,
        offset_seconds ${sql.raw(integer)} not null, primary key (name, starts_at)) ${sql.raw(childTables)}`.execute(
        db,
      );
    },
  };
}
