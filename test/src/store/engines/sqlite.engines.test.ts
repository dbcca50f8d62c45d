// What a failed transaction says on SQLite, which ends some of them by itself.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { freshMemory } from '../../../harness/stores.ts';

it('a transaction that SQLite ended by itself fails with its own cause, and the next one works', async () => {
  await using opened = await freshMemory();
  const failing = opened.store.transaction(async ({ db }) => {
    // As a full disk does it.
    await sql`rollback`.execute(db);
    throw new Error('the disk is full');
  });
  await expect(failing).rejects.toThrow('the disk is full');
  expect(await opened.store.transaction(async () => 'done')).toBe('done');
});
