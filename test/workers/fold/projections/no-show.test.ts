// No-show is derived from all facts: each history is folded in every order and must give the same result.
import { describe, expect, it } from 'vitest';
import type { NoShowFact } from '#workers/fold/projections/contract.ts';
import {
  addNoShowFact,
  factsOf,
  noShowPeriods,
  snapshotAgain,
  type NoShowPeriod,
} from '#workers/fold/projections/no-show.ts';

const t = (second: number) => `2025-04-14T11:42:${String(second).padStart(2, '0')}.000000Z`;
const marked = (name: string, second: number): NoShowFact => ({
  kind: 'mark',
  at: t(second),
  mark: { uri: name, created_at: t(second) },
});
const unmarked = (second: number): NoShowFact => ({ kind: 'unmark', at: t(second) });
const seen = (name: string | null, second: number, order = '1a'): NoShowFact => ({
  kind: 'snapshot',
  at: t(second),
  order,
  mark: name === null ? null : { uri: name, created_at: t(second) },
});

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

/** The periods as `name from-to` in seconds; every order must agree, and a fact that is known must add nothing. */
function story(...facts: NoShowFact[]): string[] {
  const endings = permutations(facts).map((order) => [...order, ...order].reduce(addNoShowFact, factsOf(null)));
  const sent = endings.map((ending) => noShowPeriods(ending).map(inSeconds));
  for (const other of sent) expect(other).toEqual(sent[0]);
  for (const ending of endings) {
    expect(ending).toEqual(endings[0]);
    for (const fact of facts) expect(addNoShowFact(ending, fact)).toBe(ending);
    expect(factsOf(ending)).toBe(ending);
  }
  return sent[0] ?? [];
}

const inSeconds = ({ uri, marked_at, unmarked_at }: NoShowPeriod) =>
  `${uri} ${Number(marked_at.slice(17, 19))}-${unmarked_at === null ? '' : Number(unmarked_at.slice(17, 19))}`;

describe('whether an invitee is a no-show', () => {
  it('follows marks and unmarks in time order', () => {
    expect(story(marked('A', 1))).toEqual(['A 1-']);
    expect(story(marked('A', 1), unmarked(2))).toEqual(['A 1-2']);
    expect(story(marked('A', 1), unmarked(2), marked('B', 3))).toEqual(['A 1-2', 'B 3-']);
    expect(story(unmarked(1))).toEqual([]);
    expect(story(unmarked(1), marked('A', 2))).toEqual(['A 2-']);
  });

  it('alternates within one instant, beginning with what the state allows', () => {
    expect(story(marked('A', 1), unmarked(1))).toEqual(['A 1-1']);
    expect(story(marked('A', 1), unmarked(2), marked('B', 2))).toEqual(['A 1-2', 'B 2-']);
    expect(story(marked('A', 1), unmarked(1), marked('B', 1))).toEqual(['A 1-1', 'B 1-']);
  });

  it('never opens a mark again that we removed, whatever is reported of it and when', () => {
    const removed = (name: string, second: number): NoShowFact => ({ kind: 'removal', at: t(second), uri: name });
    expect(story(marked('A', 2), removed('A', 1))).toEqual(['A 2-1']);
    expect(story(marked('A', 2), removed('A', 3), removed('A', 4), seen('A', 5))).toEqual(['A 2-3']);
    expect(story(marked('A', 2), unmarked(3), removed('A', 4), marked('B', 5))).toEqual(['A 2-3', 'B 5-']);
  });

  it('keeps the newest answer, which opens and closes no mark', () => {
    const answered = (came: boolean, second: number, entry = 'a'): NoShowFact => ({
      kind: 'answer',
      answer: { at: t(second), entry, by: 'api', came },
    });
    expect(story(marked('A', 1), answered(true, 2), answered(false, 3))).toEqual(['A 1-']);
    const newest = [answered(true, 2), answered(false, 3, 'b'), answered(true, 3, 'a')].reduce(
      addNoShowFact,
      factsOf(null),
    );
    expect(newest.answer).toMatchObject({ came: false, entry: 'b' });
  });

  it('closes a mark when another follows: the unmark between them was lost', () => {
    expect(story(marked('A', 1), marked('B', 4))).toEqual(['A 1-4', 'B 4-']);
  });

  it('counts a mark from the earliest envelope that reported it, whatever a retry says', () => {
    const again: NoShowFact = { kind: 'mark', at: t(5), mark: { uri: 'A', created_at: t(1) } };
    expect(story(marked('A', 1), unmarked(3), again)).toEqual(['A 1-3']);
    const corrected: NoShowFact = { kind: 'mark', at: t(5), mark: { uri: 'A', created_at: t(0) } };
    expect(story(marked('A', 1), unmarked(3), corrected)).toEqual(['A 0-3']);
    expect(story(unmarked(2), unmarked(1), unmarked(3))).toEqual([]);
  });

  it('takes the state from the newest body that carried it, and goes on from there', () => {
    expect(story(marked('A', 1), seen(null, 2))).toEqual(['A 1-2']);
    expect(story(marked('A', 1), unmarked(2), seen('A', 3))).toEqual(['A 3-']);
    expect(story(seen(null, 2), marked('A', 1), marked('B', 3))).toEqual(['A 1-2', 'B 3-']);
    expect(story(seen('A', 1), seen(null, 2), unmarked(3))).toEqual([]);
    expect(story(seen('A', 2), unmarked(2))).toEqual(['A 2-2']);
    expect(story(marked('A', 1), seen('A', 3))).toEqual(['A 1-']);
    expect(story(marked('A', 1), unmarked(2), seen('A', 2))).toEqual(['A 1-2']);
  });

  it('lets the later kind, then the hash, decide between two bodies of one instant', () => {
    expect(story(seen('A', 1, '1f'), seen(null, 1, '3a'))).toEqual([]);
    expect(story(seen('A', 1, '1f'), seen(null, 1, '1a'))).toEqual(['A 1-']);
  });

  it('is not confused by marks that are called as parts of an object are', () => {
    expect(story(marked('__proto__', 1), marked('constructor', 2), unmarked(3))).toEqual([
      '__proto__ 1-2',
      'constructor 2-3',
    ]);
  });

  it('moves a snapshot in time without asking further only where nothing else was ever said', () => {
    const alone = addNoShowFact(factsOf(null), seen('A', 1));
    expect(snapshotAgain(alone, { order: '1a', at: t(5) })?.snapshot).toEqual({
      at: t(5),
      order: '1a',
      mark: { uri: 'A', created_at: t(1) },
    });
    expect(snapshotAgain(alone, { order: '0a', at: t(5) })).toBeUndefined();
    expect(snapshotAgain(factsOf(null), { order: '1a', at: t(5) })).toBeUndefined();
    for (const other of [marked('A', 2), unmarked(2)])
      expect(snapshotAgain(addNoShowFact(alone, other), { order: '1a', at: t(5) })).toBeUndefined();
  });
});
