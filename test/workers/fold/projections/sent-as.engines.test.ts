// A column has the field of the service that its declaration names.
import { describe, expect } from 'vitest';
import type { DeclaredTable } from '#src/store/schema/declaration.ts';
import { declaredTables } from '#src/store/schema/tables.ts';
import { mirrorTables } from '#workers/fold/projections/contract.ts';
import { createdAt, isFilledOtherwise, kindOf, recordOf, sentValue } from '../../../harness/data/declared-records.ts';
import { ingestRead, oneEngine, rowsOf, testWith } from '../../../harness/stores.ts';

const people = { address: 'ada@example.test', hostAddress: 'grace@example.test', written: 'written' };

describe.each(oneEngine)('a record of the service on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it.for(mirrorTables)(
    'fills the columns of %s by the names that their declarations give',
    async (table, { store }) => {
      const sent = { kind: kindOf[table], record: recordOf(table, people), observed: createdAt };
      expect(await ingestRead(store, [sent])).toMatchObject({ quarantined: 0, created: 1 });
      const [row = {}] = await rowsOf(store, table);
      const declared: DeclaredTable = declaredTables[table];
      for (const [name, column] of Object.entries(declared.columns)) {
        if (isFilledOtherwise(table, name)) continue;
        const value = sentValue(table, name, column, people);
        // An object also has the parts that are columns.
        const expected =
          column.kind === 'json' && !Array.isArray(value) ? expect.objectContaining(value as object) : value;
        expect([name, row[name]]).toEqual([name, expected]);
      }
      expect(row['extra']).toEqual({ planted_beyond: 'written' });
    },
  );
});
