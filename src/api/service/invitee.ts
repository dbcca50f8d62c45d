// An invitee as the service has it. Marks come by deliveries of their own, so the columns of the open one count.
import { inviteeResource } from '#schemas/resources/invitee.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { declaredTables } from '#src/store/schema/tables.ts';
import { recordsOf } from './record.ts';

const recordOf = recordsOf(declaredTables.invitees, inviteeResource);

export const inviteeRecord = (row: StoredRow): object => ({
  ...recordOf(row),
  rescheduled: row['rescheduled'] === true,
  no_show: row['no_show_uri'] ? { uri: row['no_show_uri'], created_at: row['no_show_at'] ?? null } : null,
});
