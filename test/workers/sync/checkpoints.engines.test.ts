// Checkpoints on each engine: what is left there is found again, and nobody who is forgotten stays in one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Unit } from '#src/store/contract.ts';
import { noCounts, readProgress, readStaged, settle, stage, type Progress } from '#workers/sync/backfill/progress.ts';
import { readCheckpoint, removeCheckpoints, writeCheckpoint } from '#workers/sync/checkpoints.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { ingestBodies, rowsOf, storeEngines, type TestStore } from '../../harness/stores.ts';

const place = z.object({ page: z.number() });
const walking: Progress = {
  state: 'walking',
  counts: noCounts,
  from: null,
  next: 'after',
  counted: { created: 0, updated: 0 },
  missing: [],
};
const uri = 'https://api.example.test/contacts/1';
const page = {
  records: [{ kind: 'contact' as const, record: { uri, name: 'Nul \u0000 and half \ud800' }, observed: 'then' }],
  rows: 1,
};

for (const { name, available, fresh } of storeEngines) {
  describe.runIf(available)(`checkpoints on ${name}`, () => {
    let made: TestStore;
    beforeAll(async () => void (made = await fresh()));
    afterAll(() => made[Symbol.asyncDispose]());
    const within = (work: (unit: Unit) => Promise<void>) => made.store.transaction(work);

    it('are found as they were left, and replaced', async () => {
      expect(await readCheckpoint(made.store, 'walk', place)).toBeUndefined();
      await within((unit) => writeCheckpoint(unit, 'walk', { page: 1 }));
      await within((unit) => writeCheckpoint(unit, 'walk', { page: 2 }));
      expect(await readCheckpoint(made.store, 'walk', place)).toEqual({ page: 2 });
      await within((unit) => removeCheckpoints(unit, ['walk', 'another']));
      expect(await rowsOf(made.store, 'sync_checkpoints')).toEqual([]);
    });

    it('of another version are as if there were none', async () => {
      await within((unit) => writeCheckpoint(unit, 'walk', { sheet: 'two' }));
      expect(await readCheckpoint(made.store, 'walk', place)).toBeUndefined();
      await within((unit) => removeCheckpoints(unit, ['walk']));
    });

    it('hold a page exactly as it was fetched, until it is settled', async () => {
      await within((unit) => stage(unit, privacyScreen({ eraseOnDelete: true }), 'contacts', { at: walking, page }));
      expect(await readStaged(made.store, 'contacts')).toEqual(page);
      expect(await readProgress(made.store, 'contacts')).toEqual(walking);
      await within((unit) => settle(unit, 'contacts', { ...walking, from: 'after' }));
      expect(await readStaged(made.store, 'contacts')).toBeUndefined();
      expect(await readProgress(made.store, 'contacts')).toMatchObject({ from: 'after' });
    });

    it('lose their pages when somebody is forgotten, and keep their places', async () => {
      await within((unit) => stage(unit, privacyScreen({ eraseOnDelete: true }), 'contacts', { at: walking, page }));
      const payload = { uri, deleted_at: '2026-01-01T00:00:00.000000Z' };
      const body = { event: 'contact.deleted', created_at: '2026-01-01T00:00:00.000000Z', created_by: uri, payload };
      await ingestBodies(made.store, [JSON.stringify(body)]);
      expect(await readStaged(made.store, 'contacts')).toBeUndefined();
      expect(await readProgress(made.store, 'contacts')).toEqual(walking);
    });
  });
}
