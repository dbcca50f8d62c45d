// Statements that travel together run in their order on both engines, and a failure ends the transaction with its own error.
import { describe, expect, it } from 'vitest';
import type { Unit } from '#src/store/contract.ts';
import { inOrder } from '#src/store/in-order.ts';
import { addRows, deleteRows, writeRows } from '#src/store/rows.ts';
import { rowsOf, storeEngines } from '../../harness/stores.ts';

const field = (label: string, at: number) => ({ contact_uri: 'c', field_uri: `f${at}`, label, value: null });
const fields = (label: string, count: number) => Array.from({ length: count }, (_, at) => field(label, at));

for (const engine of storeEngines)
  describe.runIf(engine.available)(`steps of a transaction on ${engine.name}`, () => {
    it('run one after the other, however many statements each has', async () => {
      await using opened = await engine.fresh();
      const { store } = opened;
      await store.transaction((unit) =>
        inOrder(unit, [
          () => writeRows(unit, 'contact_custom_fields', fields('first', 600)),
          () => deleteRows(unit, 'contact_custom_fields', 'contact_uri', ['c']),
          () => writeRows(unit, 'contact_custom_fields', fields('second', 600)),
          () => addRows(unit, 'contact_custom_fields', fields('third', 601)),
        ]),
      );
      const labels = (await rowsOf(store, 'contact_custom_fields')).map(({ label }) => label);
      expect(
        Map.groupBy(labels, String)
          .entries()
          .toArray()
          .map(([label, all]) => [label, all.length]),
      ).toEqual([
        ['second', 600],
        ['third', 1],
      ]);
    });

    it('are undone together, and the error is that of the statement which failed', async () => {
      await using opened = await engine.fresh();
      const { store } = opened;
      // Its error passes more functions than those of the statements after it, which PostgreSQL refuses.
      const failing = async (unit: Unit, depth = 10): Promise<void> => {
        if (depth > 0) await failing(unit, depth - 1);
        else await unit.engine.run(unit.db, { sql: 'select * from no_such_table', parameters: [] });
      };
      await expect(
        store.transaction((unit) =>
          inOrder(unit, [
            () => writeRows(unit, 'contact_custom_fields', fields('first', 2)),
            () => failing(unit),
            () => writeRows(unit, 'contact_custom_fields', fields('second', 2)),
          ]),
        ),
      ).rejects.toThrow('no_such_table');
      expect(await rowsOf(store, 'contact_custom_fields')).toEqual([]);
      // The connection is usable again.
      await store.transaction((unit) => writeRows(unit, 'contact_custom_fields', fields('third', 1)));
      expect(await rowsOf(store, 'contact_custom_fields')).toHaveLength(1);
    });

    it(`${engine.name === 'postgres' ? 'do not wait' : 'wait'} for each other's answers`, async () => {
      await using opened = await engine.fresh();
      const seen: string[] = [];
      await opened.store.transaction((unit) => {
        const step = (name: string) => async () => {
          seen.push(`send ${name}`);
          await unit.engine.run(unit.db, { sql: 'select 1', parameters: [] });
          seen.push(`answer ${name}`);
        };
        return inOrder(unit, [step('a'), step('b')]);
      });
      expect(seen).toEqual(
        engine.name === 'postgres'
          ? ['send a', 'send b', 'answer a', 'answer b']
          : ['send a', 'answer a', 'send b', 'answer b'],
      );
    });
  });
