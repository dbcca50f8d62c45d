// Values of the program's own state and resume positions, on each engine.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Unit } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import { lockLog } from '#src/store/locks.ts';
import { openedOnce } from '../../harness/opened.ts';
import { availableEngines, storeEngines } from '../../harness/stores.ts';

const counter = z.object({ count: z.number() });

for (const { name, fresh } of availableEngines) {
  describe(`values on ${name}`, () => {
    const made = openedOnce(fresh);
    const within = (work: (unit: Unit) => Promise<void>) => made.store.transaction(work);

    it('of another version read as absent', async () => {
      await within((unit) => writeValue(unit, keyValue('other', z.object({ sheet: z.string() })), { sheet: 'two' }));
      expect(await readValue(made.store, keyValue('other', counter))).toBeUndefined();
    });

    it('lose no change when several processes change one at the same time', async () => {
      const other = await made.openAnother();
      const at = keyValue('counted', counter);
      const add = (store: typeof other) =>
        changeValue(store, at, (before = { count: 0 }) => ({ result: undefined, after: { count: before.count + 1 } }));
      await Promise.all(Array.from({ length: 20 }, (_, n) => add(n % 2 === 0 ? made.store : other)));
      expect(await readValue(made.store, at)).toEqual({ count: 20 });
    });
  });
}

// SQLite has one writer at a time, whatever it writes.
describe.runIf(storeEngines[1].available)('values on postgres', () => {
  it('can be changed while a transaction holds the log', async () => {
    await using made = await storeEngines[1].fresh();
    const other = await made.openAnother();
    const at = keyValue('heartbeat', counter);
    await made.store.transaction(async (unit) => {
      await lockLog(unit);
      await changeValue(other, at, () => ({ result: undefined, after: { count: 1 } }));
    });
    expect(await readValue(made.store, at)).toEqual({ count: 1 });
  });
});
