// Counts of the mirror for the status of the process.
import { sql } from 'kysely';
import { isBlank } from './blank-meetings.ts';
import type { Store } from './contract.ts';
import { countUnprojected, isUnprojected, isWaiting, lastSeq } from '#src/store/log/read.ts';
import { tables } from './schema/tables.ts';

export interface StoreOverview {
  readonly engine: 'sqlite' | 'postgres';
  readonly last_seq: number;
  readonly last_received_at: string | null;
  readonly quarantined: number;
  readonly unhandled: number;
  /** The names of those, the most frequent first: at most five, and none that could hold personal data. */
  readonly unknown_kinds: readonly string[];
  /** Without the deleted ones, and without blank rows of meetings. */
  readonly rows: Readonly<Record<string, number>>;
  /** The deleted ones, by table; zeros are left out. */
  readonly deleted: Readonly<Record<string, number>>;
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
  const deleted: Record<string, number> = {};
  for (const table of counted) {
    const found = await countRows(store, table);
    rows[table] = found.all - found.deleted;
    if (found.deleted > 0) deleted[table] = found.deleted;
  }
  const seq = await lastSeq(store);
  const last = await store.db.selectFrom('event_log').select('received_at').where('seq', '=', seq).executeTakeFirst();
  return {
    engine: store.engine.name,
    last_seq: seq,
    last_received_at: last ? last.received_at : null,
    quarantined: await countUnprojected(store, 'quarantined'),
    unhandled: await countUnprojected(store, 'unhandled'),
    unknown_kinds: await unknownKinds(store),
    rows,
    deleted,
  };
}

export async function unknownKinds({ db }: Store): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('event_log')
    .select('event')
    .where(isUnprojected)
    .where('outcome', '=', 'unhandled')
    .where('body', 'is not', null)
    .where(isWaiting)
    .groupBy('event')
    .orderBy(({ fn }) => fn.countAll(), 'desc')
    .orderBy('event')
    .limit(50)
    .execute();
  return rows
    .flatMap(({ event }) => (event !== null && /^(?=.{1,60}$)[a-z][\w-]*(\.[\w-]+)+$/i.test(event) ? [event] : []))
    .slice(0, 5);
}

async function countRows(
  { db }: Store,
  table: (typeof counted)[number],
): Promise<{ readonly all: number; readonly deleted: number }> {
  const deleted = 'deleted_at' in tables[table].columns ? sql`count(deleted_at)` : sql`0`;
  const blank =
    table === 'scheduled_events' ? sql`(select count(*) from ${sql.table(table)} where ${isBlank})` : sql`0`;
  const { rows } = await sql<{ n: unknown; deleted: unknown }>`select count(*) - ${blank} as n, ${deleted} as deleted
    from ${sql.table(table)}`.execute(db);
  return { all: Number(rows[0]?.n ?? 0), deleted: Number(rows[0]?.deleted ?? 0) };
}
