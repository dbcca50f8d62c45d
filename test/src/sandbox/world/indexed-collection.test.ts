// A shelf, and a list, behave as a plain list would that is filtered and sorted on every question, whatever is put, replaced and taken;
// their pages lead over every row once, in either direction.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { comparePositions, type Page, type PageRequest } from '#src/http/pagination.ts';
import { createIndexedCollection } from '#src/sandbox/world/indexed-collection.ts';
import { pageOfList } from '#src/sandbox/world/page.ts';
import { runs } from '../../../harness/runs.ts';

interface Book {
  readonly uri: string;
  readonly title: string;
  readonly year: string;
  readonly topics: readonly string[];
}

const orders = { title: ({ title }: Book) => title, year: ({ year }: Book) => year };
type Order = keyof typeof orders;
const newShelf = () =>
  createIndexedCollection<Book, Order, 'topic'>({ orders, groups: { topic: ({ topics }) => topics } });

const uris = fc.constantFrom('1', '2', '3', '4', '5', '6', '7', '8', '9');
const topics = ['art', 'law', 'sea'] as const;
// Few titles and years, so that many books share one.
const book = fc.record({
  uri: uris,
  title: fc.constantFrom('A', 'B', 'C'),
  year: fc.constantFrom('1990', '2000'),
  topics: fc.subarray([...topics]),
});
const direction = fc.record({ count: fc.integer({ min: 1, max: 4 }), descending: fc.boolean() });
const look = fc.record({ order: fc.constantFrom<Order[]>('title', 'year'), direction });
const history = fc.array(fc.oneof({ weight: 2, arbitrary: book }, uris, look), { maxLength: 40 });

/** A replaced book keeps its place. */
const put = (books: readonly Book[], one: Book): readonly Book[] =>
  books.some(({ uri }) => uri === one.uri)
    ? books.map((other) => (other.uri === one.uri ? one : other))
    : [...books, one];
const sorted = (books: readonly Book[], order: Order, isDescending: boolean): readonly Book[] => {
  const position = (one: Book) => ({ key: orders[order](one), uri: one.uri });
  return books.toSorted((a, b) => comparePositions(position(a), position(b)) * (isDescending ? -1 : 1));
};

type Pages = (request: PageRequest) => Page<Book>;

/** Every book by the pages that lead to the last one, and by those that lead back from there. */
function walk(pageOf: Pages, direction: { readonly count: number; readonly descending: boolean }) {
  const turn = (page: Page<Book>, backwards: boolean): Page<Book> => {
    const edge = backwards ? page.items[0] : page.items.at(-1);
    return pageOf({ ...direction, backwards, ...(edge && { from: page.positionOf(edge) }) });
  };
  let page = pageOf({ ...direction, backwards: false });
  const there = [page.items];
  expect(page.hasPrevious).toBe(false);
  while (page.hasNext) {
    expect(page.items).toHaveLength(direction.count);
    page = turn(page, false);
    there.push(page.items);
  }
  const back = [page.items];
  while (page.hasPrevious) {
    page = turn(page, true);
    expect(page.hasNext).toBe(true);
    back.unshift(page.items);
  }
  return [there.flat(), back.flat()];
}

it('a shelf answers as a plain list would, after any history of books put, taken and looked at', () => {
  fc.assert(
    fc.property(history, direction, (steps, direction) => {
      const shelf = newShelf();
      let books: readonly Book[] = [];
      for (const step of steps)
        if (typeof step === 'string') {
          books = books.filter(({ uri }) => uri !== step);
          shelf.delete(step);
        } else if ('order' in step) shelf.page(step.order, { ...step.direction, backwards: false });
        else {
          books = put(books, step);
          shelf.put(step);
        }
      expect([...shelf.values()]).toEqual(books);
      expect(shelf.size).toBe(books.length);
      for (const one of books) expect(shelf.get(one.uri)).toBe(one);
      for (const order of ['title', 'year'] as const) {
        const expected = sorted(books, order, direction.descending);
        expect(walk((request) => shelf.page(order, request), direction)).toEqual([expected, expected]);
        const ofList: Pages = (request) => pageOfList(books, request, orders[order]);
        expect(walk(ofList, direction)).toEqual([expected, expected]);
        for (const topic of topics) {
          const isOfTopic = (one: Book): boolean => one.topics.includes(topic);
          const { items } = shelf.page(order, { ...direction, count: 100, backwards: false }, isOfTopic);
          expect(items).toEqual(expected.filter(isOfTopic));
          expect(new Set(shelf.of('topic', topic))).toEqual(new Set(expected.filter(isOfTopic)));
          expect(shelf.count('topic', topic)).toBe(items.length);
        }
      }
    }),
    runs(150),
  );
});

it('a shelf lists a group oldest first, also once a record was replaced', () => {
  const shelf = newShelf();
  for (const [uri, year] of [
    ['1', '1990'],
    ['2', '1980'],
    ['1', '1995'],
  ] as const)
    shelf.put({ uri, title: 'T', year, topics: ['art'] });
  expect(shelf.of('topic', 'art').map(({ uri }) => uri)).toEqual(['1', '2']);
});
