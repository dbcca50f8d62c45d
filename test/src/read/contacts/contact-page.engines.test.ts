// Any contacts, any search: what the mirror answers is what a plain filter over the contacts finds, page by page, both ways, on
// both stores.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactListQuery } from '#schemas/contact-request.ts';
import { writeRows } from '#src/store/rows.ts';
import type { TableRow } from '#src/store/schema/tables.ts';
import { findContacts, type ContactQuery } from '#src/read/contacts/contact-page.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { emptyTables, availableEngines } from '../../../harness/stores.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

/** Little pieces, so that texts and segments often meet: letters of both cases, wildcards, what FTS takes for its own. */
const parts = [...'an AN nna k i ÄÖ äö Ж ж 東京 % _ \\ " \' * - NEAR 🐎 é ab'.split(' '), ' ', ' AND ', 'e\u0301'];
const pieces = fc.constantFrom(...parts);
const textOf = (most: number) => fc.array(pieces, { minLength: 1, maxLength: most }).map((chosen) => chosen.join(''));
const maybe = fc.option(textOf(5), { nil: null });
const place = fc.option(fc.constantFrom('US', 'us', 'DE', 'Europe/Berlin', "d'Or", 'x'.repeat(300)), { nil: null });
const time = fc.constantFrom(
  '2025-01-01T00:00:00.000000Z',
  '2025-01-01T00:00:00.000001Z',
  '2025-01-02T00:00:00.000000Z',
);
const uri = fc
  .tuple(fc.constantFrom('a', 'B', 'b', 'ab', 'a-b', 'a_b', '~'), fc.nat(30))
  .map(([letter, number]) => `https://api.example.test/contacts/${letter}${number}`);

const contact = fc.record({
  uri,
  name: maybe,
  job_title: maybe,
  company: maybe,
  city: maybe,
  country: place,
  timezone: place,
  state: place,
  created_at: time,
  updated_at: time,
  deleted_at: fc.option(time, { nil: null, freq: 6 }),
});
type Contact = typeof contact extends fc.Arbitrary<infer Row> ? Row : never;

const partial = ['name', 'job_title', 'company', 'city'] as const;
const exact = ['country', 'timezone', 'state'] as const;
const question = fc.record(
  {
    ...Object.fromEntries(partial.map((name) => [name, fc.array(textOf(3), { minLength: 1, maxLength: 3 })])),
    ...Object.fromEntries(
      exact.map((name) => [
        name,
        fc.array(
          place.map((value) => value ?? 'US'),
          { minLength: 1, maxLength: 2 },
        ),
      ]),
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Readonly<Record<string, readonly string[]>>>;
/** Mostly one or two filters: more find nothing. */
const asked = question.map((all) => Object.fromEntries(Object.entries(all).slice(0, 2)));
const way = fc.record({
  order: fc.constantFrom<ContactQuery['order']>('created_at', 'updated_at'),
  descending: fc.boolean(),
  count: fc.integer({ min: 1, max: 7 }),
});

const query = (search: Readonly<Record<string, readonly string[]>>) => {
  const text = Object.fromEntries(Object.entries(search).map(([name, segments]) => [name, segments.join(',')]));
  const {
    count: _count,
    page_token: _token,
    sort: _sort,
    exclude: _exclude,
    ...filters
  } = contactListQuery.parse(text);
  return filters;
};

function meets(row: Contact, filters: ReturnType<typeof query>): boolean {
  const fits = (
    value: string | null,
    segments: readonly string[] = [],
    fit: (text: string, segment: string) => boolean,
  ) => segments.length === 0 || (value !== null && segments.some((segment) => fit(value, segment)));
  return (
    row.deleted_at === null &&
    exact.every((name) => fits(row[name], filters[name], (text, segment) => text === segment)) &&
    partial.every((name) =>
      fits(row[name], filters[name], (text, segment) => text.toLowerCase().includes(segment.toLowerCase())),
    )
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

describe.each(availableEngines)('a search of contacts on $name', { timeout: propertyTimeoutMs }, ({ fresh }) => {
  const opened = openedOnce(fresh);

  /** Every page, to the end and back again. */
  async function walked(
    search: ReturnType<typeof query>,
    { order, descending, count }: { order: ContactQuery['order']; descending: boolean; count: number },
  ) {
    const ask = (backwards: boolean, last?: TableRow<'contacts'>) => {
      const from = last && { key: String(last[order]), uri: last.uri };
      return findContacts(opened.store, {
        search,
        order,
        page: { count, descending, backwards, ...(from && { from }) },
      });
    };
    const there: string[][] = [];
    let page = await ask(false);
    expect(page.hasPrevious).toBe(false);
    for (;;) {
      there.push(page.items.map((item) => item.uri));
      const last = page.items.at(-1);
      if (!page.hasNext || last === undefined) break;
      page = await ask(false, last);
      expect(page.hasPrevious).toBe(true);
    }
    const back: string[][] = [];
    for (;;) {
      back.unshift(page.items.map((item) => item.uri));
      const [first] = page.items;
      if (!page.hasPrevious || first === undefined) break;
      page = await ask(true, first);
      expect(page.hasNext).toBe(true);
    }
    expect(back).toEqual(there);
    return there.flat();
  }

  it('finds what a plain filter finds, in order, before and after contacts have changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(contact, { selector: (row) => row.uri, maxLength: 30 }),
        fc.uniqueArray(contact, { selector: (row) => row.uri, maxLength: 8 }),
        fc.array(fc.tuple(asked, way), { minLength: 1, maxLength: 4 }),
        async (first, changes, questions) => {
          await emptyTables(opened.store);
          const held = new Map<string, Contact>();
          for (const rows of [first, changes]) {
            await opened.store.transaction((unit) => writeRows(unit, 'contacts', rows));
            for (const row of rows) held.set(row.uri, row);
            for (const [search, how] of questions) {
              const filters = query(search);
              const wanted = [...held.values()]
                .filter((row) => meets(row, filters))
                .toSorted((a, b) => compare(a[how.order], b[how.order]) || compare(a.uri, b.uri))
                .map((row) => row.uri);
              expect(await walked(filters, how)).toEqual(how.descending ? wanted.toReversed() : wanted);
            }
          }
        },
      ),
      runs(30),
    );
  });
});
