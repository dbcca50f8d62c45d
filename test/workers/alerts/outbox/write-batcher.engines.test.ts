import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { addAlerts, holdAlerts } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import { openDesk } from '#workers/alerts/outbox/write-batcher.ts';
import { storeEngines } from '../../../harness/stores.ts';

/** Who comes to hold `a` and `b`, in any order of slips. */
async function addBoth(store: Store): Promise<void> {
  const at = '2026-03-04T10:00:00.000000Z';
  const alerts = ['a', 'b'].map((id) => ({
    id,
    rule: 'missed',
    channel: 'log',
    subjectUri: id,
    fact: id,
    occurredAt: at,
    dueAt: at,
  }));
  await store.transaction((unit) => addAlerts(unit, alerts, at));
}

describe.each(storeEngines.filter(({ available }) => available))('writing together on $name', ({ fresh }) => {
  it('makes few transactions of many writes, and answers each with what is its own', async () => {
    await using opened = await fresh();
    const { store } = opened;
    let transactions = 0;
    const write = openDesk({
      transaction(work) {
        transactions += 1;
        return store.transaction(work);
      },
    });
    const insert = (key: string) =>
      write([], async ({ db, engine }) => {
        await db
          .insertInto('key_values')
          .values({ key, value: engine.encode('json', 1) })
          .execute();
        return key;
      });
    const keys = Array.from({ length: 40 }, (_, n) => `key ${n}`);
    expect(await Promise.all(keys.map(insert))).toEqual(keys);
    expect(transactions).toBe(1);
    expect(await store.db.selectFrom('key_values').select('key').execute()).toHaveLength(40);
  });

  it('fails the one that is at fault, and keeps what the others wrote', async () => {
    await using opened = await fresh();
    const { store } = opened;
    const write = openDesk(store);
    const insert = (key: string) =>
      write([], async ({ db, engine }) => {
        await db
          .insertInto('key_values')
          .values({ key, value: engine.encode('json', 1) })
          .execute();
        if (key === 'bad') throw new Error('at fault');
      });
    const settled = await Promise.allSettled(['a', 'bad', 'b'].map(insert));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const rows = await store.db.selectFrom('key_values').select('key').orderBy('key').execute();
    expect(rows.map(({ key }) => key)).toEqual(['a', 'b']);
  });
});

// One who writes alone waits for nobody.
const shared = storeEngines.filter(({ name, available }) => available && name === 'postgres');

describe.each(shared)('writing beside others on $name', ({ fresh }) => {
  it('waits for others in the order in which they hold alerts, so that nobody waits in a ring', async () => {
    await using opened = await fresh();
    const { store } = opened;
    await addBoth(store);
    let transactions = 0;
    const write = openDesk({
      transaction: (work) =>
        store.transaction((unit) => {
          // One that the engine ended to break a ring is tried again.
          transactions += 1;
          return work(unit);
        }),
    });
    let rivals = 0;
    let slips: Promise<unknown> = Promise.resolve();
    await store.transaction(async (rival) => {
      rivals += 1;
      await holdAlerts(rival, ['a']);
      if (rivals === 1) slips = Promise.all(['b', 'a'].map((id) => write([id], (unit) => holdAlerts(unit, [id]))));
      await expect.poll(() => waitingForLocks(store)).toBe(1);
      await holdAlerts(rival, ['b']);
    });
    await slips;
    expect([rivals, transactions]).toEqual([1, 1]);
  });
});

async function waitingForLocks({ db }: Store): Promise<number> {
  const { rows } = await sql<{ count: string }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return Number(rows[0]?.count);
}
