import { describe, expect, it } from 'vitest';
import { openDesk } from '#workers/alerts/desk.ts';
import { storeEngines } from '../../harness/stores.ts';

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
      write(async ({ db }) => {
        await db.insertInto('sync_checkpoints').values({ key, value: '1' }).execute();
        return key;
      });
    const keys = Array.from({ length: 40 }, (_, n) => `key ${n}`);
    expect(await Promise.all(keys.map(insert))).toEqual(keys);
    expect(transactions).toBe(1);
    expect(await store.db.selectFrom('sync_checkpoints').select('key').execute()).toHaveLength(40);
  });

  it('fails the one that is at fault, and keeps what the others wrote', async () => {
    await using opened = await fresh();
    const { store } = opened;
    const write = openDesk(store);
    const insert = (key: string) =>
      write(async ({ db }) => {
        await db.insertInto('sync_checkpoints').values({ key, value: '1' }).execute();
        if (key === 'bad') throw new Error('at fault');
      });
    const settled = await Promise.allSettled(['a', 'bad', 'b'].map(insert));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const rows = await store.db.selectFrom('sync_checkpoints').select('key').orderBy('key').execute();
    expect(rows.map(({ key }) => key)).toEqual(['a', 'b']);
  });
});
