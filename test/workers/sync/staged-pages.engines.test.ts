// The page of a backfill that is kept while it is folded, and somebody on it who is forgotten at that moment.
import { describe, expect, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { erase } from '#workers/privacy/erase.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { noCounts, readStaged, stage, type Progress, type StagedPage } from '#workers/sync/backfill/progress.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { ingestBodies, rowsOf, storeEngines } from '../../harness/stores.ts';

const uri = 'https://api.example.test/contacts/c1';
const address = 'canary.person@example.test';
const now = '2026-01-01T00:00:00.000000Z';
const at: Progress = {
  state: 'walking',
  counts: noCounts,
  from: null,
  next: null,
  counted: { created: 0, updated: 0 },
  missing: [],
};
const page: StagedPage = {
  rows: 1,
  records: [{ kind: 'contact', record: { uri, name: 'canary', emails: [{ email: address }] }, observed: now }],
};
const deleted = JSON.stringify({
  event: 'contact.deleted',
  created_at: '2025-04-14T11:43:10Z',
  payload: { uri, deleted_at: '2025-04-14T11:43:10Z' },
});

const screen = privacyScreen({ eraseOnDelete: true });

const forgetting = {
  'an erasure': (store: Store) => erase({ store, newKey: () => 'k'.repeat(64) }, targetOf(address), { now }),
  'a delete': (store: Store) => ingestBodies(store, [deleted]),
} as const;

const keptIn = async (store: Store) => JSON.stringify(await rowsOf(store, 'sync_checkpoints')).includes(address);

describe.each(storeEngines)('a staged page on $name', ({ available, fresh }) => {
  it.runIf(available)('is kept for the walk that goes on', async () => {
    await using opened = await fresh();
    const { store } = opened;
    await store.transaction((unit) => stage(unit, screen, 'contacts', { at, page }));
    expect(await readStaged(store, 'contacts')).toEqual(page);
  });

  it.runIf(available).each(Object.entries(forgetting))('is not kept after %s', async (_name, forget) => {
    await using opened = await fresh();
    const { store } = opened;
    await forget(store);
    await store.transaction((unit) => stage(unit, screen, 'contacts', { at, page }));
    expect(await keptIn(store)).toBe(false);
  });

  it.runIf(available).each(Object.entries(forgetting))(
    'does not outlive %s that comes while it is being staged',
    async (_name, forget) => {
      await using opened = await fresh();
      const { store } = opened;
      const other = await opened.openAnother();
      const forgotten = store.transaction(async (unit) => {
        await stage(unit, screen, 'contacts', { at, page });
        const done = forget(other);
        // Time enough to commit, for somebody who does not wait for us.
        await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 500))]);
        return { done };
      });
      await (
        await forgotten
      ).done;
      expect(await keptIn(store)).toBe(false);
    },
  );
});
