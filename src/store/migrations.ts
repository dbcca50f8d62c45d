// Brings a database to the schema of this version; refuses one that a newer version made.
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { isMissingTable, SlotstreamError } from '#src/base/errors.ts';
import { initial } from '#src/store/migrations/0001-initial.ts';
import { syncCheckpoints } from '#src/store/migrations/0002-sync-checkpoints.ts';
import { feedConsumers } from '#src/store/migrations/0003-feed-consumers.ts';
import { contactSearch } from '#src/store/migrations/0004-contact-search.ts';
import { alerts } from '#src/store/migrations/0005-alerts.ts';
import { keyValues } from '#src/store/migrations/0006-key-values.ts';
import { extra } from '#src/store/migrations/0007-extra.ts';
import { contactSearchTable } from '#src/store/migrations/0008-contact-search-table.ts';
import { processes } from '#src/store/migrations/0009-processes.ts';
import { contactsWideColumns } from '#src/store/migrations/0010-contacts-wide-columns.ts';
import { roomForUpdates } from '#src/store/migrations/0013-room-for-updates.ts';
import { bookingLists } from '#src/store/migrations/0014-booking-lists.ts';
import { adminActions } from '#src/store/migrations/0015-admin-actions.ts';
import { routingAndRecaps } from '#src/store/migrations/0016-routing-and-recaps.ts';
import { processReports } from '#src/store/migrations/0017-process-reports.ts';
import { recapSpeakers } from '#src/store/migrations/0018-recap-speakers.ts';
import { followUpReads } from '#src/store/migrations/0019-follow-up-reads.ts';
import { timeZones } from '#src/store/migrations/0020-time-zones.ts';
import { listViews } from '#src/store/migrations/0021-list-views.ts';
import { ownersAndMeetings } from '#src/store/migrations/0022-owners-and-meetings.ts';
import { deletedDefinitions } from '#src/store/migrations/0023-deleted-definitions.ts';
import { dismissedEntries } from '#src/store/migrations/0024-dismissed-entries.ts';
import type { StorageTypes } from '#src/store/migrations/storage-types.ts';
import type { Database } from './tables.ts';

/** Every migration, in the order of its name. */
export function migrationsFor(types: StorageTypes): Record<string, Migration> {
  return {
    '0001-initial': initial(types),
    '0002-sync-checkpoints': syncCheckpoints(types),
    '0003-feed-consumers': feedConsumers(types),
    '0004-contact-search': contactSearch(types),
    '0005-alerts': alerts(types),
    '0006-key-values': keyValues(types),
    '0007-extra': extra(types),
    '0008-contact-search-table': contactSearchTable(types),
    '0009-processes': processes(types),
    '0010-contacts-wide-columns': contactsWideColumns(types),
    '0013-room-for-updates': roomForUpdates(types),
    '0014-booking-lists': bookingLists(types),
    '0015-admin-actions': adminActions(types),
    '0016-routing-and-recaps': routingAndRecaps(types),
    '0017-process-reports': processReports(types),
    '0018-recap-speakers': recapSpeakers(types),
    '0019-follow-up-reads': followUpReads,
    '0020-time-zones': timeZones(types),
    '0021-list-views': listViews(types),
    '0022-owners-and-meetings': ownersAndMeetings(types),
    '0023-deleted-definitions': deletedDefinitions(types),
    '0024-dismissed-entries': dismissedEntries(types),
  };
}

/** Asked first at every start: the migrator reads the whole schema, twice, before it finds that there is nothing to do. */
export async function isMigrated(db: Kysely<Database>, types: StorageTypes): Promise<boolean> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    const names = Object.keys(migrationsFor(types));
    return rows.length === names.length && rows.every(({ name }) => names.includes(name));
  } catch (error) {
    if (isMissingTable(error)) return false;
    throw error;
  }
}

/** `schema`: where the tables are; without it the migrator would take a table of another schema for its own. */
export async function migrate(db: Kysely<Database>, types: StorageTypes, schema?: string): Promise<void> {
  const provider = { getMigrations: async () => migrationsFor(types) };
  const migrator = new Migrator({ db, provider, ...(schema !== undefined && { migrationTableSchema: schema }) });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (error instanceof Error && /corrupted migrations/.test(error.message)) {
    throw new SlotstreamError('store_newer', 'The database was made by a newer Slotstream than this one.', {
      hint: 'Install that version (or a later one), or point DATABASE_URL at another database.',
      cause: error,
    });
  }
  throw error;
}
