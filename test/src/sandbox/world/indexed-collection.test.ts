// A shelf behaves as a plain list would that is filtered and sorted on every question, whatever is put, replaced and taken.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePositions } from '#src/http/pagination.ts';
import { createIndexedCollection } from '#src/sandbox/world/indexed-collection.ts';
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

const uris = fc.constantFrom('1', '2', '3', '4', '5', '6');
const topics = ['art', 'law', 'sea'] as const;
const book = fc.record({
  uri: uris,
  title: fc.constantFrom('A', 'B', 'C'),
  year: fc.constantFrom('1990', '2000'),
  topics: fc.subarray([...topics]),
});

/** What the shelf is held against: a plain list, in which a replaced record keeps its place. */
const put = (books: readonly Book[], one: Book): readonly Book[] =>
  books.some(({ uri }) => uri === one.uri)
    ? books.map((other) => (other.uri === one.uri ? one : other))
    : [...books, one];
const sorted = (books: readonly Book[], order: Order): readonly Book[] => {
  const position = (one: Book) => ({ key: orders[order](one), uri: one.uri });
  return books.toSorted((a, b) => comparePositions(position(a), position(b)));
};

const look = fc.record({ order: fc.constantFrom<Order[]>('title', 'year'), descending: fc.boolean() });
const history = fc.array(fc.oneof({ weight: 2, arbitrary: book }, uris, look), { maxLength: 40 });

describe('a shelf', () => {
  it('answers as a plain list would, after any history of records put, taken and looked at', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const shelf = newShelf();
        let books: readonly Book[] = [];
        for (const step of steps)
          if (typeof step === 'string') {
            books = books.filter(({ uri }) => uri !== step);
            shelf.delete(step);
          } else if ('order' in step)
            shelf.page(step.order, { count: 1, descending: step.descending, backwards: false });
          else {
            books = put(books, step);
            shelf.put(step);
          }
        expect([...shelf.values()]).toEqual(books);
        expect(shelf.size).toBe(books.length);
        for (const one of books) expect(shelf.get(one.uri)).toBe(one);
        for (const order of ['title', 'year'] as const) {
          const expected = sorted(books, order);
          const request = { count: 100, descending: false, backwards: false };
          expect(shelf.page(order, request).items).toEqual(expected);
          expect(shelf.page(order, { ...request, descending: true }).items).toEqual(expected.toReversed());
          for (const topic of topics) {
            const isOfTopic = (one: Book): boolean => one.topics.includes(topic);
            expect(shelf.page(order, request, isOfTopic).items).toEqual(expected.filter(isOfTopic));
            expect(new Set(shelf.of('topic', topic))).toEqual(new Set(books.filter(isOfTopic)));
            expect(shelf.count('topic', topic)).toBe(books.filter(isOfTopic).length);
          }
        }
      }),
      runs(150),
    );
  });

  it('lists a group oldest first, also once a record was replaced, and drops who has left it', () => {
    const shelf = newShelf();
    const make = (uri: string, year: string): Book => ({ uri, title: 'T', year, topics: ['art'] });
    shelf.put(make('1', '1990'));
    shelf.put(make('2', '1980'));
    expect(shelf.of('topic', 'art').map(({ uri }) => uri)).toEqual(['1', '2']);
    shelf.put(make('1', '1995'));
    expect(shelf.of('topic', 'art').map(({ uri }) => uri)).toEqual(['1', '2']);
    shelf.put({ ...make('1', '2000'), topics: ['law'] });
    expect(shelf.of('topic', 'art').map(({ uri }) => uri)).toEqual(['2']);
    expect(shelf.page('year', { count: 9, descending: false, backwards: false }).items.map(({ uri }) => uri)).toEqual([
      '2',
      '1',
    ]);
  });
});
