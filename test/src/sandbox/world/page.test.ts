// Pages of a list and of an indexed collection: read in either direction they show what a plain sort would, and they stay exact while
// rows come and go.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePositions, type Page, type PageRequest } from '#src/http/pagination.ts';
import { createIndexedCollection } from '#src/sandbox/world/indexed-collection.ts';
import { pageOfList } from '#src/sandbox/world/page.ts';
import { runs } from '../../../harness/runs.ts';

interface Row {
  readonly uri: string;
  readonly key: string;
}

const keyOf = ({ key }: Row): string => key;
// Few keys, so that many rows share one.
const rows: fc.Arbitrary<Row[]> = fc.uniqueArray(
  fc.record({
    uri: fc.string({ unit: fc.constantFrom('0', '1', 'a', 'b', 'c'), minLength: 1, maxLength: 3 }),
    key: fc.constantFrom('a', 'b', 'c'),
  }),
  {
    selector: ({ uri }) => uri,
    maxLength: 30,
  },
);
const counts = fc.integer({ min: 1, max: 7 });

const sorted = (list: readonly Row[], descending: boolean): readonly Row[] =>
  list.toSorted((a, b) => comparePositions(a, b) * (descending ? -1 : 1));

type Direction = Pick<PageRequest, 'count' | 'descending' | 'backwards'>;

type PageOf = (list: readonly Row[], request: PageRequest) => Page<Row>;
const pagers: readonly (readonly [string, PageOf])[] = [
  ['a list', (list, request) => pageOfList(list, request, keyOf)],
  [
    'an indexed collection',
    (list, request) => {
      const collection = createIndexedCollection<Row, 'key'>({ orders: { key: keyOf } });
      for (const row of list) collection.put(row);
      return collection.page('key', request);
    },
  ],
];

describe.each(pagers)('reading the pages of %s', (_, pageIn) => {
  /** The page after (or before) `page`. */
  function turn(list: readonly Row[], page: Page<Row>, direction: Direction): Page<Row> {
    const edge = direction.backwards ? page.items[0] : page.items.at(-1);
    return pageIn(list, edge ? { ...direction, from: page.positionOf(edge) } : direction);
  }

  it('shows every row once, in order, to where the rows end, and comes back over the same rows', () => {
    fc.assert(
      fc.property(rows, counts, fc.boolean(), (list, count, descending) => {
        const forward = { count, descending, backwards: false };
        let page = pageIn(list, forward);
        const there = [page.items];
        expect(page.hasPrevious).toBe(false);
        while (page.hasNext) {
          expect(page.items).toHaveLength(count);
          page = turn(list, page, forward);
          expect(page.hasPrevious).toBe(true);
          there.push(page.items);
        }
        const back = [page.items];
        while (page.hasPrevious) {
          page = turn(list, page, { ...forward, backwards: true });
          expect(page.hasNext).toBe(true);
          back.unshift(page.items);
        }
        expect(there.flat()).toEqual(sorted(list, descending));
        expect(back.flat()).toEqual(sorted(list, descending));
      }),
      runs(120),
    );
  });

  it('neither misses nor repeats a row that was there throughout, whatever comes and goes between the pages', () => {
    fc.assert(
      fc.property(
        rows,
        fc.array(rows, { minLength: 1, maxLength: 10 }),
        fc.record({ count: counts, descending: fc.boolean(), backwards: fc.boolean() }),
        (stable, others, direction) => {
          const taken = new Set(stable.map(({ uri }) => uri));
          const worlds = others.map((extra) => [...stable, ...extra.filter(({ uri }) => !taken.has(uri))]);
          const worldAt = (turns: number): readonly Row[] => worlds[turns % worlds.length] ?? stable;
          let page = pageIn(worldAt(0), direction);
          const seen = [...page.items];
          for (let turns = 1; direction.backwards ? page.hasPrevious : page.hasNext; turns += 1) {
            page = turn(worldAt(turns), page, direction);
            if (page.items.length === 0) break;
            seen.push(...page.items);
          }
          const lasting = seen.filter(({ uri }) => taken.has(uri));
          expect(lasting).toHaveLength(stable.length);
          expect(sorted(lasting, false)).toEqual(sorted(stable, false));
        },
      ),
      runs(150),
    );
  });
});
