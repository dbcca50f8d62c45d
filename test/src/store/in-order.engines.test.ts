// Statements that travel together run in their order on both engines, and a failure ends the transaction with its own error.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Unit } from '#src/store/contract.ts';
import { inOrder } from '#src/store/in-order.ts';
import { addRows, deleteRows, writeRows } from '#src/store/rows.ts';
import { openedOnce } from '../../harness/opened.ts';
import { availableEngines, emptyTables, rowsOf } from '../../harness/stores.ts';

const member = (role: string, at: number) => ({ uri: `m${at}`, user_uri: 'u', role });
const members = (role: string, count: number) => Array.from({ length: count }, (_, at) => member(role, at));

for (const engine of availableEngines)
  describe(`steps of a transaction on ${engine.name}`, () => {
    const opened = openedOnce(engine.fresh);
    beforeEach(() => emptyTables(opened.store));

    it('run one after the other, however many statements each has', async () => {
      const { store } = opened;
      await store.transaction((unit) =>
        inOrder(unit, [
          () => writeRows(unit, 'organization_memberships', members('first', 600)),
          () => deleteRows(unit, 'organization_memberships', 'user_uri', ['u']),
          () => writeRows(unit, 'organization_memberships', members('second', 600)),
          () => addRows(unit, 'organization_memberships', members('third', 601)),
        ]),
      );
      const roles = (await rowsOf(store, 'organization_memberships')).map(({ role }) => role);
      expect(roles.toSorted()).toEqual([...Array(600).fill('second'), 'third']);
    });

    it('are undone together, and the error is that of the statement which failed', async () => {
      const { store } = opened;
      // Its error passes more functions than those of the statements after it, which PostgreSQL refuses.
      const failing = async (unit: Unit, depth = 10): Promise<void> => {
        if (depth > 0) await failing(unit, depth - 1);
        else await unit.engine.run(unit.db, { sql: 'select * from no_such_table', parameters: [] });
      };
      await expect(
        store.transaction((unit) =>
          inOrder(unit, [
            () => writeRows(unit, 'organization_memberships', members('first', 2)),
            () => failing(unit),
            () => writeRows(unit, 'organization_memberships', members('second', 2)),
          ]),
        ),
      ).rejects.toThrow('no_such_table');
      expect(await rowsOf(store, 'organization_memberships')).toEqual([]);
      // The connection is usable again.
      await store.transaction((unit) => writeRows(unit, 'organization_memberships', members('third', 1)));
      expect(await rowsOf(store, 'organization_memberships')).toHaveLength(1);
    });
  });
