// Counts of the mirror for the status of the process.
import type { Store } from './contract.ts';
import { countUnprojected, lastSeq } from '#src/store/log/read.ts';
import type { TableName } from './tables.ts';

export interface StoreOverview {
  readonly engine: 'sqlite' | 'postgres';
  readonly last_seq: number;
  readonly last_received_at: string | null;
  readonly quarantined: number;
  readonly unhandled: number;
  readonly rows: Readonly<Record<string, number>>;
}

const counted = [
  'contacts',
  'invitees',
  'scheduled_events',
  'event_types',
  'meeting_recaps',
  'routing_form_submissions',
  'no_shows',
  'routing_forms',
  'custom_field_definitions',
  'users',
  'organization_memberships',
] as const;

export async function overviewOf(store: Store): Promise<StoreOverview> {
  const rows: Record<string, number> = {};
  for (const table of counted) rows[table] = await countRows(store, table);
  const seq = await lastSeq(store);
  const last = await store.db.selectFrom('event_log').select('received_at').where('seq', '=', seq).executeTakeFirst();
  return {
    engine: store.engine.name,
    last_seq: seq,
    last_received_at: last ? last.received_at : null,
    quarantined: await countUnprojected(store, 'quarantined'),
    unhandled: await countUnprojected(store, 'unhandled'),
    rows,
  };
}

async function countRows(store: Store, table: TableName): Promise<number> {
  const row = await store.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}
