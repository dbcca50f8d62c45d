// When trouble has begun and when it is over: two readings in a row decide.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance, type Episode } from '#workers/out/alerts/conditions/debounce.ts';
import { runs } from '../../../../harness/runs.ts';

const trouble = { rule: 'lag', subject: 'mirror', message: 'late' };
const at = (reading: number) => `2026-01-01T00:${String(reading).padStart(2, '0')}:00.000000Z`;

type Heard = 'so' | 'not' | 'unknown';

function hear(before: readonly Episode[], heard: Heard, reading: number): readonly Episode[] {
  return advance(before, {
    found: heard === 'so' ? [trouble] : [],
    unknown: new Set(heard === 'unknown' ? ['lag'] : []),
    rules: new Set(['lag']),
    now: at(reading),
  });
}

const hearAll = (all: readonly Heard[]) =>
  all.reduce<readonly Episode[]>((before, heard, n) => hear(before, heard, n), []);
const isOpenAfter = (...all: readonly Heard[]) => hearAll(all).some(({ isOpen }) => isOpen);

describe('an episode', () => {
  it('begins at the second evaluation in a row, and counts from the first', () => {
    expect(isOpenAfter('so')).toBe(false);
    expect(hearAll(['not', 'so', 'so'])).toEqual([{ ...trouble, since: at(1), isOpen: true, against: 0 }]);
  });

  it('does not change while the state is unknown', () => {
    expect(isOpenAfter('so', 'so', 'unknown', 'unknown', 'unknown')).toBe(true);
    expect(isOpenAfter('so', 'unknown', 'unknown')).toBe(false);
  });

  it('is dropped with its rule', () => {
    const before = hearAll(['so', 'so']);
    const heard = { found: [], unknown: new Set<string>(), rules: new Set<string>(), now: at(2) };
    expect(advance(before, heard)).toEqual([]);
  });

  it('is open exactly when the last two equal evaluations in a row found the problem', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<Heard>('so', 'not'), { maxLength: 40 }), (all) => {
        const pairs = all.slice(1).map((heard, n) => (heard === all[n] ? heard : undefined));
        expect(isOpenAfter(...all)).toBe(pairs.findLast((heard) => heard !== undefined) === 'so');
      }),
      runs(100),
    );
  });
});
