// The fold is a join: any order, duplication and batching of the same facts ends in the same rows.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#schemas/wire.ts';
import { cut, history, reordered, type Observation } from '../../../harness/data/delivery-histories.ts';
import { uris } from '../../../harness/data/payloads.ts';
import { mixedHistory } from '../../../harness/data/api-reads.ts';
import { fold, forOracle, readObservation } from '../../../harness/mirror/memory-fold.ts';
import { expectedRows } from '../../../oracle/fold.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

/** Contacts that an operator erased, once or twice. */
const erased: fc.Arbitrary<Observation[]> = fc.array(
  fc.record({ uri: fc.constantFrom(...uris.contacts), n: fc.nat(3) }).map(({ uri, n }) => ({
    fact: { event: 'person.erased', created_at: `2025-04-14T11:42:3${n}.000000Z`, payload: { uri }, sound: true },
    body: null,
  })),
  { maxLength: 2 },
);
const observations: fc.Arbitrary<Observation[]> = fc
  .tuple(fc.oneof<fc.Arbitrary<Observation[]>[]>(history(), mixedHistory()), fc.oneof(fc.constant([]), erased))
  .map((parts) => parts.flat());
const sent = observations.chain((deliveries) => {
  const readings = deliveries.map(readObservation);
  return fc.record({
    facts: fc.constant(deliveries.map(({ fact }) => fact)),
    readings: fc.constant(readings),
    eraseOnDelete: fc.boolean(),
    batches: reordered(readings).chain(cut),
  });
});

describe('the fold', () => {
  it(
    'ends in the rows that the greatest version of each field gives, for any order, duplication and batching',
    () => {
      fc.assert(
        fc.property(sent, ({ facts, readings, eraseOnDelete, batches }) => {
          const { contents } = fold([readings], { eraseOnDelete });
          expectSame(fold(batches, { eraseOnDelete }).contents, contents);
          expectSame(forOracle(contents), expectedRows(facts, eraseOnDelete));
        }),
        runs(60),
      );
    },
    propertyTimeoutMs,
  );

  it(
    'does the same with each delivery however the same arrivals are cut into batches',
    () => {
      fc.assert(
        fc.property(sent, ({ eraseOnDelete, batches }) => {
          const whole = fold([batches.flat()], { eraseOnDelete });
          const oneByOne = fold(
            batches.flat().map((reading) => [reading]),
            { eraseOnDelete },
          );
          const cutUp = fold(batches, { eraseOnDelete });
          expect(canonicalJson(cutUp.effects)).toBe(canonicalJson(whole.effects));
          expect(canonicalJson(oneByOne.effects)).toBe(canonicalJson(whole.effects));
        }),
        runs(60),
      );
    },
    propertyTimeoutMs,
  );
});

/** As `toEqual`, and quick when there is nothing to show. */
function expectSame(actual: unknown, expected: unknown): void {
  if (canonicalJson(actual) !== canonicalJson(expected)) expect(actual).toEqual(expected);
}
