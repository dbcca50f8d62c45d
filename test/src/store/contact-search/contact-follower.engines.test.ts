// The search table of contacts as it follows the log: redacted people leave it in the transaction that redacts them, whatever the
// follower does meanwhile, and it can be used, switched off and used again.
import { describe, expect, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { lockKey } from '#src/store/locks.ts';
import { writeRows } from '#src/store/rows.ts';
import {
  catchUpContactSearch,
  clearContactSearch,
  searchState,
  useContactSearch,
} from '#src/store/contact-search/contact-follower.ts';
import { erase } from '#workers/privacy/erase.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { freshPostgres, ingestBodies, rowsOf, storeEngines } from '../../../harness/stores.ts';

const now = '2026-01-01T00:00:00.000000Z';
const uriOf = (n: number) => `https://api.example.test/contacts/${n}`;
const emailOf = (n: number) => `person${n}@example.test`;

function contactUpdate(n: number, more: Readonly<Record<string, unknown>>, minute = 10): string {
  const at = `2025-04-14T11:${minute}:00.000000Z`;
  const emails = [{ email: emailOf(n), is_primary: true }];
  const payload = { uri: uriOf(n), created_at: '2025-04-14T11:00:00.000000Z', updated_at: at, emails, ...more };
  return JSON.stringify({ event: 'contact.updated', created_at: at, payload });
}
const deleted = (n: number) =>
  JSON.stringify({ event: 'contact.deleted', created_at: '2025-04-14T12:00:00Z', payload: { uri: uriOf(n) } });

const namesIn = async (store: Store) => (await rowsOf(store, 'contact_search')).map(({ name }) => name).toSorted();

async function usedBy(store: Store, bodies: readonly string[]): Promise<void> {
  await ingestBodies(store, bodies);
  await useContactSearch(store);
  await catchUpContactSearch(store);
}

describe.each(storeEngines)('the search table of contacts on $name', ({ available, fresh }) => {
  it.runIf(available)('loses a deleted contact in the transaction that deletes it', async () => {
    await using opened = await fresh();
    const { store } = opened;
    await usedBy(store, [contactUpdate(1, { name: 'Ada' }), contactUpdate(2, { name: 'Bea' })]);
    expect(await namesIn(store)).toEqual(['Ada', 'Bea']);
    await ingestBodies(store, [deleted(1)]);
    expect(await namesIn(store)).toEqual(['Bea']);
    await catchUpContactSearch(store);
    expect(await namesIn(store)).toEqual(['Bea']);
  });

  it.runIf(available)('loses a contact that is deleted and not redacted with the next update', async () => {
    await using opened = await fresh();
    const { store } = opened;
    await usedBy(store, [contactUpdate(1, { name: 'Ada' }), contactUpdate(2, { name: 'Bea' })]);
    await ingestBodies(store, [deleted(1)], false);
    await catchUpContactSearch(store);
    expect(await namesIn(store)).toEqual(['Bea']);
  });

  it.runIf(available)(
    'loses an erased person in the transaction that erases, and texts that mention the person',
    async () => {
      await using opened = await fresh();
      const { store } = opened;
      await usedBy(store, [
        contactUpdate(1, { name: 'Ada' }),
        contactUpdate(2, { name: 'Bea', company: `knows ${emailOf(1)}` }),
        contactUpdate(3, { name: 'Cleo' }),
      ]);
      await erase({ store, newKey: () => 'k'.repeat(64) }, targetOf(emailOf(1)), { now });
      expect(await namesIn(store)).toEqual(['Cleo']);
      await catchUpContactSearch(store);
      expect(await namesIn(store)).toEqual(['Bea', 'Cleo']);
      expect(JSON.stringify(await rowsOf(store, 'contact_search'))).not.toContain(emailOf(1));
      // A late fact reveals that another contact is the same person.
      await ingestBodies(store, [
        contactUpdate(3, { name: 'Cleo', emails: [{ email: emailOf(1), is_primary: true }] }, 20),
      ]);
      expect(await namesIn(store)).toEqual(['Bea']);
    },
  );

  it.runIf(available)('is filled again after it was switched off, page by page', async () => {
    await using opened = await fresh();
    const { store } = opened;
    const people = Array.from({ length: 25 }, (_, n) => n);
    await usedBy(
      store,
      people.map((n) => contactUpdate(n, { name: `Person ${n}` })),
    );
    await clearContactSearch(store, { atOnce: 4 });
    expect([await namesIn(store), await catchUpContactSearch(store)]).toEqual([[], undefined]);
    await useContactSearch(store);
    await ingestBodies(store, [contactUpdate(3, { name: 'Changed' }, 20), deleted(4)]);
    await catchUpContactSearch(store, { atOnce: 4 });
    const wanted = people.filter((n) => n !== 4).map((n) => (n === 3 ? 'Changed' : `Person ${n}`));
    expect(await namesIn(store)).toEqual(wanted.toSorted());
  });
});

describe.runIf(storeEngines[1].available)('the search table of contacts', () => {
  it('does not keep a text that its follower read before the contact was deleted', async () => {
    await using opened = await freshPostgres();
    const { store } = opened;
    await usedBy(store, [contactUpdate(1, { name: 'Ada' })]);
    let deleting: Promise<unknown> | undefined;
    // As the follower: locked, read, and written late.
    await store.transaction(async (unit) => {
      await lockKey(unit, searchState.key);
      deleting = ingestBodies(store, [deleted(1)]);
      await new Promise((resolve) => setTimeout(resolve, 300));
      await writeRows(unit, 'contact_search', [{ uri: uriOf(1), name: 'Ada' }]);
    });
    await deleting;
    expect(await namesIn(store)).toEqual([]);
  });

  it('equals the contacts after many writers and two followers at once, and never shows a deleted contact', async () => {
    await using opened = await freshPostgres();
    const { store } = opened;
    const other = await opened.openAnother();
    await useContactSearch(store);
    const people = Array.from({ length: 40 }, (_, n) => n);
    const goneFrom = new Set<number>();
    let isWriting = true;
    const write = async (offset: number): Promise<void> => {
      for (let round = 10; round < 30; round += 1) {
        const some = people.filter((n) => n % 4 === offset);
        await ingestBodies(
          store,
          some.map((n) => contactUpdate(n, { name: `Person ${n} ${round}` }, round)),
        );
        const leaving = some.find((n) => !goneFrom.has(n) && (n + round) % 7 === 0);
        if (leaving === undefined) continue;
        await ingestBodies(store, [deleted(leaving)]);
        goneFrom.add(leaving);
      }
    };
    const followAndLook = async (by: Store): Promise<void> => {
      while (isWriting) {
        await catchUpContactSearch(by, { atOnce: 7 });
        const gone = [...goneFrom].map(uriOf);
        const shown = (await rowsOf(by, 'contact_search')).map(({ uri }) => uri);
        expect(shown.filter((uri) => gone.includes(String(uri)))).toEqual([]);
      }
    };
    const following = Promise.all([followAndLook(store), followAndLook(other)]);
    await Promise.all([write(0), write(1), write(2), write(3)]).finally(() => (isWriting = false));
    await following;
    await catchUpContactSearch(store);
    const live = (await rowsOf(store, 'contacts')).filter((row) => row['deleted_at'] === null);
    expect(await namesIn(store)).toEqual(live.map(({ name }) => name).toSorted());
    expect(goneFrom.size).toBeGreaterThan(5);
  });
});
