// Where values came from: a row names the facts it draws from, and those alone make the same row.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StoredRow } from '#src/store/rows.ts';
import { mirrorTables, type Fact, type MirrorTable } from '#workers/fold/projections/contract.ts';
import { drawsFrom, originsOf } from '#workers/fold/projections/field-origins.ts';
import { cut, reordered } from '../../../harness/data/delivery-histories.ts';
import { mixedHistory } from '../../../harness/data/api-reads.ts';
import type { Contents } from '../../../harness/stores.ts';
import { fold, readObservation } from '../../../harness/mirror/memory-fold.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

const arrivals = mixedHistory(12).chain((sent) =>
  fc.record({ eraseOnDelete: fc.boolean(), batches: reordered(sent.map(readObservation)).chain(cut) }),
);

const known = (batches: readonly (readonly (Fact | null)[])[]): Fact[] =>
  batches.flat().flatMap((compiled) => compiled ?? []);

const rowIn = (contents: Contents) => (table: MirrorTable, uri: string) =>
  contents[table]?.find((row) => row['uri'] === uri);

it(
  'what a row draws from is enough to make it, and is named for every column with a value by a fact that says just this value',
  () => {
    fc.assert(
      fc.property(arrivals, ({ eraseOnDelete, batches }) => {
        const { contents } = fold(batches, { eraseOnDelete });
        const facts = known(batches);
        const drawn = facts.filter((compiled) => drawsFrom(rowIn(contents), compiled));
        expect(fold([drawn], { eraseOnDelete }).contents).toEqual(contents);
        for (const table of mirrorTables) for (const row of contents[table] ?? []) explained(table, row, facts);
      }),
      runs(20),
    );
  },
  propertyTimeoutMs,
);

const bookkeeping = new Set(['uri', 'version', 'lagging', 'as_of', 'no_show_facts']);

function explained(table: MirrorTable, row: StoredRow, facts: readonly Fact[]): void {
  const origins = originsOf(table, row);
  const named = new Set(origins.flatMap(({ columns }) => columns));
  const valued = Object.keys(row).filter((column) => row[column] !== null && !bookkeeping.has(column));
  expect(valued.filter((column) => !named.has(column))).toEqual([]);
  for (const origin of origins) {
    const suppliers = facts.filter((fact) => origin.isIn(fact));
    expect(suppliers.length).toBeGreaterThan(0);
    expect(suppliers.every((supplier) => drawsFrom(() => row, supplier))).toBe(true);
    // By the supplier alone the columns have the values they have now.
    const [first] = suppliers as [Fact];
    const alone = fold([[first]], { eraseOnDelete: false }).contents[table]?.find(({ uri }) => uri === row['uri']);
    const isUnmark = first.noShow?.kind === 'unmark' && origin.columns.includes('no_show');
    const isMark = origin.columns.includes('no_show');
    for (const column of isMark ? ['no_show_uri'] : origin.columns)
      expect(isUnmark ? null : alone?.[column]).toEqual(row[column]);
  }
}
