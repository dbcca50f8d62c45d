// Forgetting reaches the bytes: what a deleted contact's facts said is in no row, no free page and no write-ahead log.
import { readFile, stat } from 'node:fs/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { lcg } from '../../../harness/data/json-variants.ts';
import { aDayLater, freshSqlite, ingestBodies } from '../../../harness/stores.ts';

const people = 400;
const uriOf = (n: number) => `https://api.example.test/contacts/${(n * 7919) % 100_003}`;
const canaryOf = (n: number) => `cn${String(n).padStart(4, '0')}q`;

/** Rows of very different length, again and again: SQLite moves them between pages, and leaves copies in the slack. */
function deliveryBody(n: number, { round, random }: { round: number; random: (below: number) => number }): string {
  const canary = canaryOf(n);
  const payload = {
    uri: uriOf(n),
    updated_at: `2025-04-14T11:${10 + round}:10Z`,
    name: canary.repeat(1 + random(round % 3 ? 5 : 40)),
    company: canary,
    emails: Array.from({ length: random(6) }, (_, i) => ({ email: `${canary}${i}@x`, is_primary: i === 0 })),
    phone_numbers: Array.from({ length: random(4) }, (_, i) => ({ phone_number: `${canary}${i}` })),
    custom_fields: [{ uri: `https://api.example.test/fields/${random(9)}`, label: 'Note', value: canary }],
  };
  return JSON.stringify({ event: 'contact.updated', created_at: '2025-04-14T11:43:10Z', payload });
}

const gone = (n: number) =>
  JSON.stringify({ event: 'contact.deleted', created_at: '2025-04-14T12:00:00Z', payload: { uri: uriOf(n) } });

/** Ingests many contacts in mixed batches and deletes some meanwhile; returns the deleted and the remaining ones. */
async function live(store: Store, seed: number): Promise<{ deleted: number[]; kept: number[] }> {
  const share = lcg(seed);
  const random = (below: number): number => Math.floor(share() * below);
  const deleted = new Set<number>();
  const known = new Set<number>();
  for (let round = 0; round < 40; round += 1) {
    const spoken = Array.from({ length: 50 }, () => random(people));
    await ingestBodies(
      store,
      spoken.map((n) => deliveryBody(n, { round, random })),
    );
    for (const n of spoken) known.add(n);
    if (round < 6) continue;
    const going = Array.from({ length: 5 }, () => random(people));
    await ingestBodies(store, going.map(gone));
    for (const n of going) deleted.add(n);
  }
  return { deleted: [...deleted], kept: [...known].filter((n) => !deleted.has(n)) };
}

const found = (text: string, whom: readonly number[]) => whom.filter((n) => text.includes(canaryOf(n)));

describe('a deleted contact', () => {
  it('is nowhere in the bytes of the SQLite file or its write-ahead log', async () => {
    await using opened = await freshSqlite();
    // With this seed rows are known to leave copies in slack, which deleting alone would not reach.
    const { deleted, kept } = await live(opened.store, 8);
    await opened.store.engine.scrub(aDayLater());
    const path = opened.url.slice('sqlite:'.length);
    const bytes = (await Promise.all([path, `${path}-wal`].map((file) => readFile(file, 'latin1')))).join('\n');
    expect(found(bytes, deleted)).toEqual([]);
    // The needle is looked for in the right haystack.
    expect(found(bytes, kept)).toEqual(kept);
  });

  it('is in no row at once, and out of the write-ahead log with the next scrub; the file is rewritten after a day', async () => {
    await using opened = await freshSqlite();
    const path = opened.url.slice('sqlite:'.length);
    await ingestBodies(opened.store, [deliveryBody(1, { round: 1, random: () => 1 })]);
    await ingestBodies(opened.store, [gone(1)]);
    expect(found(await readFile(`${path}-wal`, 'latin1'), [1])).toEqual([1]);
    await opened.store.engine.scrub(Date.now());
    expect((await stat(`${path}-wal`)).size).toBe(0);
    const due = async () =>
      (await sql<{ user_version: number }>`pragma user_version`.execute(opened.store.db)).rows[0]?.user_version;
    expect(await due()).toBeGreaterThan(0);
    await opened.store.engine.scrub(aDayLater());
    expect(await due()).toBe(0);
  });
});
