// When a custom field, a membership or a routing form was deleted at the service.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function deletedDefinitions({ time }: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      for (const table of ['custom_field_definitions', 'organization_memberships', 'routing_forms'])
        await db.schema.alterTable(table).addColumn('deleted_at', sql.raw(time)).execute();
    },
  };
}
