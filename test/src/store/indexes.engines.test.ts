// Indexes: the database has those that a query needs and no others, and on PostgreSQL an update that changes no indexed column
// touches none of them.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { indexes } from '#src/store/indexes.ts';
import { mirrorTables } from '#workers/projections/contract.ts';
import { freshPostgres, ingestBodies, storeEngines } from '../../harness/stores.ts';

interface LiveIndex {
  readonly name: string;
  readonly table: string;
  readonly definition: string;
}

/** Without those of keys. */
async function liveIndexes({ db, engine }: Store): Promise<readonly LiveIndex[]> {
  const { rows } =
    engine.name === 'sqlite'
      ? await sql<LiveIndex>`select name, tbl_name as "table", sql as definition from sqlite_master
          where type = 'index' and sql is not null`.execute(db)
      : await sql<LiveIndex>`select indexname as name, tablename as "table", indexdef as definition from pg_indexes
          where schemaname = current_schema() and indexdef not like 'CREATE UNIQUE%'`.execute(db);
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

describe.each(storeEngines)('the indexes on $name', ({ name: engine, available, fresh }) => {
  it.runIf(available)('are those whose query is known', async () => {
    await using opened = await fresh();
    const listed = Object.entries(indexes).filter(([, index]) => index[engine] !== undefined);
    const live = await liveIndexes(opened.store);
    expect(live.map(({ name }) => name)).toEqual(listed.map(([name]) => name).toSorted());
  });

  it.runIf(available)('of mirrored tables leave out the time of the last update', async () => {
    await using opened = await fresh();
    const mirrored: readonly string[] = mirrorTables;
    const live = (await liveIndexes(opened.store)).filter(({ table }) => mirrored.includes(table));
    expect(live.filter(({ definition }) => definition.includes('updated_at'))).toEqual([]);
    expect(live).not.toEqual([]);
  });
});

const timeAt = (second: number) => `2025-04-14T11:00:00.${String(second).padStart(6, '0')}Z`;

function contactUpdate(n: number, round: number): string {
  const payload = {
    uri: `https://api.example.test/contacts/${n}`,
    created_at: timeAt(0),
    updated_at: timeAt(round),
    name: `Person ${n}, version ${round}`,
    company: `Company ${round}`,
    emails: [{ email: `person${n}@example.test`, is_primary: true }],
    custom_fields: [{ uri: 'https://api.example.test/fields/1', label: 'Notes', value: `Version ${round}` }],
  };
  return JSON.stringify({ event: 'contact.updated', created_at: timeAt(round), payload });
}

function inviteeUpdate(n: number, round: number): string {
  const event = `https://api.example.test/scheduled_events/${n}`;
  const payload = {
    uri: `${event}/invitees/${n}`,
    email: `person${n}@example.test`,
    name: `Person ${n}, version ${round}`,
    status: 'active',
    created_at: timeAt(0),
    updated_at: timeAt(round),
    scheduled_event: { uri: event, name: `Meeting ${round}`, start_time: timeAt(59), updated_at: timeAt(round) },
  };
  return JSON.stringify({ event: 'invitee.created', created_at: timeAt(round), payload });
}

interface Updates {
  readonly table: string;
  readonly all: number;
  readonly hot: number;
}

describe.runIf(storeEngines[1].available)('an update on PostgreSQL', () => {
  it('touches no index when it changes no indexed column', async () => {
    await using opened = await freshPostgres();
    const { store } = opened;
    const people = Array.from({ length: 60 }, (_, n) => n);
    const update = async (from: number, to: number) => {
      for (let round = from; round <= to; round += 1)
        await ingestBodies(
          store,
          people.flatMap((n) => [contactUpdate(n, round), inviteeUpdate(n, round)]),
        );
    };
    const read = async (): Promise<readonly Updates[]> => {
      const { rows } = await sql<Updates>`select relname as table, n_tup_upd as all, n_tup_hot_upd as hot
        from pg_stat_user_tables where relname in ('contacts', 'invitees', 'scheduled_events') order by 1`.execute(
        store.db,
      );
      return rows;
    };
    /** The share of these rounds that touched no index, by table. The server publishes its counts about once a second. */
    const shares = async (from: number, to: number): Promise<readonly number[]> => {
      const before = await read();
      await update(from, to);
      const least = people.length * (to - from);
      const isCounted = ({ all }: Updates, at: number) => all - (before[at]?.all ?? 0) >= least;
      await expect.poll(async () => (await read()).every(isCounted), { timeout: 15_000 }).toBe(true);
      return (await read()).map(({ all, hot }, at) => (hot - (before[at]?.hot ?? 0)) / (all - (before[at]?.all ?? 0)));
    };
    await update(0, 10);
    // The first updates spread the rows over as many pages as they need, and other tests can keep the server from cleaning pages for a
    // while. An update of an indexed column would touch its index in every round.
    let last = await shares(11, 20);
    for (let round = 21; round < 200 && last.some((share) => share < 0.9); round += 10)
      last = await shares(round, round + 9);
    expect(last).toHaveLength(3);
    for (const share of last) expect(share).toBeGreaterThanOrEqual(0.9);
  });
});
