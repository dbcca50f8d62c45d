// The page that a backfill stages while it folds it, and the redaction of a person who is on that page.
import { describe, expect, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { erase } from '#workers/privacy/erase.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { targetOf } from '#workers/privacy/target.ts';
import {
  noCounts,
  readProgress,
  readStaged,
  settle,
  stage,
  type Progress,
  type StagedPage,
} from '#workers/sync/backfill/progress.ts';
import { ingestBodies, rowsOf, storeEngines } from '../../../harness/stores.ts';

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
const record = {
  kind: 'contact',
  record: { uri, name: 'canary', emails: [{ email: address }] },
  observed: now,
} as const;
const page: StagedPage = { rows: 1, records: [record] };
const deleted = JSON.stringify({
  event: 'contact.deleted',
  created_at: '2025-04-14T11:43:10Z',
  payload: { uri, deleted_at: '2025-04-14T11:43:10Z' },
});

const screen = privacyScreen({ eraseOnDelete: true });

const redactions = {
  'an erasure': (store: Store) => erase({ store, newKey: () => 'k'.repeat(64) }, targetOf(address), { now }),
  'a delete': (store: Store) => ingestBodies(store, [deleted]),
} as const;

const isStored = async (store: Store) => JSON.stringify(await rowsOf(store, 'sync_checkpoints')).includes(address);

describe.each(storeEngines)('a staged page on $name', ({ available, fresh }) => {
  it.runIf(available)('is read exactly as it was fetched, until it is settled', async () => {
    await using opened = await fresh();
    const { store } = opened;
    const odd = { ...page, records: [{ ...record, record: { uri, name: 'Nul \u0000 and half \ud800' } }] };
    await store.transaction((unit) => stage(unit, screen, 'contacts', { at, page: odd }));
    expect(await readStaged(store, 'contacts')).toEqual(odd);
    expect(await readProgress(store, 'contacts')).toEqual(at);
    await store.transaction((unit) => settle(unit, 'contacts', { ...at, from: 'after' }));
    expect(await readStaged(store, 'contacts')).toBeUndefined();
    expect(await readProgress(store, 'contacts')).toMatchObject({ from: 'after' });
  });

  it.runIf(available).each(Object.entries(redactions))(
    'is deleted by %s, and the position stays',
    async (_name, redact) => {
      await using opened = await fresh();
      const { store } = opened;
      await store.transaction((unit) => stage(unit, screen, 'contacts', { at, page }));
      await redact(store);
      expect(await readStaged(store, 'contacts')).toBeUndefined();
      expect(await readProgress(store, 'contacts')).toEqual(at);
    },
  );

  it.runIf(available).each(Object.entries(redactions))('is not stored after %s', async (_name, redact) => {
    await using opened = await fresh();
    const { store } = opened;
    await redact(store);
    await store.transaction((unit) => stage(unit, screen, 'contacts', { at, page }));
    expect(await isStored(store)).toBe(false);
  });

  it.runIf(available).each(Object.entries(redactions))(
    'does not outlive %s that comes while it is being staged',
    async (_name, redact) => {
      await using opened = await fresh();
      const { store } = opened;
      const other = await opened.openAnother();
      const redacted = store.transaction(async (unit) => {
        await stage(unit, screen, 'contacts', { at, page });
        const done = redact(other);
        // Time enough to commit, if it did not wait for this transaction.
        await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 500))]);
        return { done };
      });
      await (
        await redacted
      ).done;
      expect(await isStored(store)).toBe(false);
    },
  );
});
