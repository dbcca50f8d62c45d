// A contact collection with seeded contacts returns what a plain list would that is filtered and sorted for every request, however
// its contacts are changed, deleted and added to.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactFilters } from '#schemas/contact-request.ts';
import {
  createSeededContacts,
  type ContactOrder,
  type SeededContacts,
} from '#src/sandbox/world/contacts/seeded-contacts.ts';
import { createContactCollection } from '#src/sandbox/world/contacts/contact-collection.ts';
import {
  matchesSearch,
  type ContactEntry,
  type ContactSearch,
  type FilterName,
} from '#src/sandbox/world/contacts/contact-entry.ts';
import { pageOfList } from '#src/sandbox/world/page.ts';
import { propertyTimeoutMs, runs } from '../../../../harness/runs.ts';

const nowMs = Date.parse('2026-05-01T12:00:00Z');
const owners = ['https://sandbox.test/users/1', 'https://sandbox.test/users/2'];

function seededContacts(seed: number, size: number): SeededContacts {
  return createSeededContacts({ seed, size, baseUrl: 'https://sandbox.test', nowMs, owners, definitions: [] });
}

const seeds = fc.integer({ min: 0, max: 0xffff_ffff });
const shares = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const orders = fc.constantFrom<ContactOrder>('created_at', 'updated_at');

type Change =
  | { readonly kind: 'put'; readonly share: number; readonly job_title: string | null }
  | { readonly kind: 'move'; readonly share: number; readonly email: string }
  | { readonly kind: 'add'; readonly share: number; readonly second: number }
  | { readonly kind: 'delete'; readonly share: number };
const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('put'), share: shares, job_title: fc.constantFrom('Founder', 'Pilot', null) } as const),
  fc.record({
    kind: fc.constant('move'),
    share: shares,
    email: fc.constantFrom('a@example.test', 'b@example.test'),
  } as const),
  fc.record({ kind: fc.constant('add'), share: shares, second: fc.integer({ min: 0, max: 1e8 }) } as const),
  fc.record({ kind: fc.constant('delete'), share: shares } as const),
);

/** A word to search for: out of one of the contacts, whole or in part, or out of nowhere. */
interface Word {
  readonly share: number;
  readonly from: number;
  readonly to: number;
  readonly form: 'whole' | 'part' | 'shouted' | 'across' | 'odd';
}
const words: fc.Arbitrary<Word> = fc.record({
  share: shares,
  from: shares,
  to: shares,
  form: fc.constantFrom('whole', 'part', 'shouted', 'across', 'odd'),
});
const filterNames = Object.keys(contactFilters) as FilterName[];
const questions = fc.record({
  order: orders,
  descending: fc.boolean(),
  backwards: fc.boolean(),
  count: fc.integer({ min: 1, max: 12 }),
  from: fc.option(shares),
  filters: fc.dictionary(fc.constantFrom(...filterNames), fc.array(words, { minLength: 0, maxLength: 3 }), {
    maxKeys: 3,
  }),
});

const pick = <Item>(items: readonly Item[], share: number): Item | undefined => items[Math.floor(share * items.length)];

function valueOf(entry: ContactEntry, name: FilterName): string | null | undefined {
  if (name === 'email') return entry.emails.at(-1)?.email;
  return name === 'phone_number' ? entry.phone_numbers.at(-1)?.phone_number : entry[name];
}

function segmentOf(entries: readonly ContactEntry[], name: FilterName, { share, from, to, form }: Word): string {
  const entry = pick(entries, share);
  const text = (entry && valueOf(entry, name)) ?? 'x';
  if (form === 'odd') return `${text}?`;
  if (form === 'whole') return text;
  if (form === 'across') return /\S \S/.exec(text)?.[0] ?? text;
  const [start, end] = [from, to].map((one) => Math.floor(one * text.length)).toSorted((a, b) => a - b);
  const part = text.slice(start, (end ?? 0) + 1).trim() || text;
  return form === 'shouted' ? part.toUpperCase() : part;
}

function changedBy(entries: readonly ContactEntry[], change: Change, turn: number): ContactEntry | string | undefined {
  const entry = pick(entries, change.share);
  if (entry === undefined) return undefined;
  const updated_at = `2026-06-01T00:00:00.${String(turn).padStart(6, '0')}Z`;
  switch (change.kind) {
    case 'put':
      return { ...entry, job_title: change.job_title, updated_at };
    case 'move':
      return { ...entry, emails: [{ email: change.email, is_primary: true }], updated_at };
    case 'add': {
      const at = `${new Date(nowMs - change.second * 500).toISOString().slice(0, -1)}${String(turn).padStart(3, '0')}Z`;
      return { ...entry, uri: `https://sandbox.test/contacts/new-${turn}`, created_at: at, updated_at: at };
    }
    case 'delete':
      return entry.uri;
  }
}

describe('a contact collection', () => {
  it(
    'returns what a plain list would, filtered and sorted each time',
    () => {
      fc.assert(
        fc.property(
          seeds,
          fc.integer({ min: 0, max: 80 }),
          fc.array(changes, { maxLength: 25 }),
          fc.array(questions, { minLength: 1, maxLength: 12 }),
          (seed, size, changing, asked) => {
            const seeded = seededContacts(seed, size);
            const collection = createContactCollection(seeded);
            const plain = new Map<string, ContactEntry>();
            for (let row = 0; row < size; row += 1) plain.set(seeded.uri(row), seeded.entry(row));
            changing.forEach((change, turn) => {
              const result = changedBy([...plain.values()], change, turn);
              if (result === undefined) return;
              if (typeof result === 'string') {
                expect(collection.delete(result)).toBe(plain.delete(result));
                expect(collection.delete(result)).toBe(false);
                return;
              }
              collection.put(result);
              plain.set(result.uri, result);
            });
            const entries = [...plain.values()];
            expect(collection.size).toBe(entries.length);
            expect(new Set([...collection.entries()].map(({ uri }) => uri))).toEqual(new Set(plain.keys()));
            for (const entry of entries) {
              expect(collection.get(entry.uri)).toEqual(entry);
              for (const { email } of entry.emails)
                expect(collection.byEmail(email)?.emails).toContainEqual(expect.objectContaining({ email }));
            }
            for (const { filters, order, from, ...direction } of asked) {
              const search: ContactSearch = Object.fromEntries(
                Object.entries(filters).map(([name, segments]) => [
                  name,
                  segments.map((word) => segmentOf(entries, name as FilterName, word)),
                ]),
              );
              const keyOf = (entry: ContactEntry): string => entry[order];
              const start = from === null ? undefined : pick(entries, from);
              const request = { ...direction, ...(start && { from: { key: keyOf(start), uri: start.uri } }) };
              const expected = pageOfList(
                entries.filter((entry) => matchesSearch(entry, search)),
                request,
                keyOf,
              );
              const page = collection.page(order, request, search);
              expect(page.items).toEqual(expected.items);
              expect([page.hasNext, page.hasPrevious]).toEqual([expected.hasNext, expected.hasPrevious]);
              for (const item of page.items) expect(page.positionOf(item)).toEqual({ key: keyOf(item), uri: item.uri });
            }
          },
        ),
        runs(60),
      );
    },
    propertyTimeoutMs,
  );

  it('picks every contact it has, and none that was deleted', () => {
    fc.assert(
      fc.property(
        seeds,
        fc.integer({ min: 1, max: 40 }),
        fc.array(shares, { maxLength: 30 }),
        (seed, size, deleted) => {
          const collection = createContactCollection(seededContacts(seed, size));
          for (const share of deleted) {
            const entry = collection.pick(share);
            if (entry !== undefined) expect(collection.delete(entry.uri)).toBe(true);
            expect(collection.get(entry?.uri ?? '')).toBeUndefined();
          }
          const left = [...collection.entries()];
          expect(left).toHaveLength(Math.max(0, size - deleted.length));
          const tried = Array.from({ length: 400 }, (_, index) => collection.pick(index / 400)?.uri);
          expect(new Set(tried)).toEqual(new Set(left.length === 0 ? [undefined] : left.map(({ uri }) => uri)));
        },
      ),
      runs(50),
    );
  });
});

describe('seeded contacts', () => {
  const rows = fc.integer({ min: 0, max: 999_999 });
  // Created once for all runs: creating a million is what takes time.
  const million = seededContacts(7, 1_000_000);

  it('are found by their URI, addresses and numbers, and by nothing that is merely similar', () => {
    fc.assert(
      fc.property(rows, fc.nat(), (row, place) => {
        const { uri, emails, phone_numbers } = million.entry(row);
        const names = [
          ['uri', uri],
          ...emails.map(({ email }) => ['email', email]),
          ...phone_numbers.map(({ phone_number }) => ['phone_number', phone_number]),
        ] as ['uri', string][];
        for (const [what, name] of names) {
          expect(million.rowOf(what, name)).toBe(row);
          const at = place % name.length;
          const like = `${name.slice(0, at)}${name[at] === '7' ? '3' : '7'}${name.slice(at + 1)}`;
          expect(million.rowOf(what, like)).not.toBe(row);
          expect(million.rowOf(what, `${name}0`)).toBeUndefined();
        }
      }),
      runs(200),
    );
  });

  it('are created in the order of their rows, updated later or never, each at a time of its own', () => {
    fc.assert(
      fc.property(rows, (row) => {
        const made = million.time('created_at', row);
        expect(million.time('created_at', row + 1 === million.size ? row - 1 : row + 1) > made).toBe(
          row + 1 !== million.size,
        );
        expect(million.time('updated_at', row) >= made).toBe(true);
        expect(million.time('updated_at', row) < new Date(nowMs).toISOString()).toBe(true);
      }),
      runs(200),
    );
    const inOrder = million.byUpdate;
    expect(new Set(inOrder).size).toBe(million.size);
    for (let index = 1; index < 2000; index += 1)
      expect(
        million.time('updated_at', inOrder[index - 1] ?? 0) < million.time('updated_at', inOrder[index] ?? 0),
      ).toBe(true);
  });

  it(
    'are found by any part of their values, rare or common, and by names across the space',
    () => {
      const many = seededContacts(11, 8000);
      const collection = createContactCollection(many);
      for (let row = 0; row < many.size; row += 9) collection.delete(many.uri(row));
      const entries = [...collection.entries()];
      const filters = ['name', 'name', 'company', 'job_title', 'city', 'state', 'country', 'timezone'] as const;
      const asked = fc.uniqueArray(fc.record({ name: fc.constantFrom(...filters), word: words }), {
        selector: ({ name }) => name,
        minLength: 1,
        maxLength: 2,
      });
      fc.assert(
        fc.property(asked, questions, (wanted, { order, from, filters: _none, ...direction }) => {
          const search = Object.fromEntries(wanted.map(({ name, word }) => [name, [segmentOf(entries, name, word)]]));
          const keyOf = (entry: ContactEntry): string => entry[order];
          const start = from === null ? undefined : pick(entries, from);
          const request = { ...direction, ...(start && { from: { key: keyOf(start), uri: start.uri } }) };
          const matching = entries.filter((entry) => matchesSearch(entry, search));
          const expected = pageOfList(matching, request, keyOf);
          const page = collection.page(order, request, search);
          expect(page.items).toEqual(expected.items);
          expect([page.hasNext, page.hasPrevious]).toEqual([expected.hasNext, expected.hasPrevious]);
          // A row beside the page's own: a seek that starts on a match and one that starts next to it differ.
          const inside = pick(matching, direction.count / 13);
          if (inside === undefined) return;
          const within = { ...request, from: { key: keyOf(inside), uri: inside.uri } };
          expect(collection.page(order, within, search).items).toEqual(pageOfList(matching, within, keyOf).items);
        }),
        runs(100),
      );
    },
    propertyTimeoutMs,
  );

  it('are the same for the same seed, and others for another', () => {
    expect(seededContacts(7, 30).entry(3)).not.toEqual(seededContacts(8, 30).entry(3));
    expect(seededContacts(7, 30).entry(3)).toEqual(seededContacts(7, 30).entry(3));
  });
});
