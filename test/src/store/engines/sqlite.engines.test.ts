// What a failed transaction says on SQLite, which ends some of them by itself, and what becomes of a file that is not in its place.
import { rename, writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { freshMemory, freshSqlite } from '../../../harness/stores.ts';

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

it('a file that was moved or replaced takes nothing, and takes everything once it is back (N8)', async () => {
  await using opened = await freshSqlite();
  const { store, url } = opened;
  const path = url.slice('sqlite:'.length);
  const write = () => store.transaction(async () => 'done');
  expect([await store.engine.ping(), await write()]).toEqual([undefined, 'done']);

  await rename(path, `${path}.moved`);
  for (const tried of [store.engine.ping(), write()])
    await expect(tried).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(`${path} was moved or deleted while this process has it open`),
      hint: expect.stringContaining('Move the same file back'),
    });
  await writeFile(path, 'uri,name\r\n');
  for (const tried of [store.engine.ping(), write()])
    await expect(tried).rejects.toMatchObject({
      message: expect.stringContaining(`${path} was replaced`),
      hint: expect.stringContaining('restore a backup'),
    });
  await rename(`${path}.moved`, path);
  expect([await store.engine.ping(), await write()]).toEqual([undefined, 'done']);
});
