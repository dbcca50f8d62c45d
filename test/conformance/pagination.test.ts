// Conformance: pages of collections, whichever list they are of.
import { expect } from 'vitest';
import { openTestSandbox, type Answer } from '../harness/sandbox.ts';
import { everyPage, fillEveryList, listsOf, type Stop } from '../harness/sandbox/lists.ts';
import { answers, invalid } from './answers.ts';
import { openForRows, rows } from './rows.ts';

let lists: readonly Stop[];
/** The first two pages of one row each, of every list that has two. */
let pairs: readonly (readonly [Stop, Answer, Answer])[];
const sandbox = openForRows({ rateLimits: false }, async (opened) => {
  await fillEveryList(opened);
  lists = listsOf(opened);
  pairs = await findPairs(opened);
});

const page = ({ path, query }: Stop, more: Readonly<Record<string, string | number>> = {}, at = sandbox) =>
  at.call('GET', path, { query: { ...query, ...more } });
const contacts = (query: Readonly<Record<string, string | number>>): Promise<Answer> =>
  sandbox.call('GET', '/contacts', { query });

async function findPairs(opened: typeof sandbox): Promise<typeof pairs> {
  const found: (readonly [Stop, Answer, Answer])[] = [];
  for (const list of lists) {
    const first = await page(list, { count: 1 }, opened);
    const next: string | null = first.body.pagination?.next_page ?? null;
    if (next !== null) found.push([list, first, await opened.call('GET', next)]);
  }
  return found;
}

rows({
  'Pagination, count | integer (R): number of rows': async () => {
    expect(pairs.length).toBeGreaterThan(8);
    for (const list of lists)
      for (const count of [1, 3, 100]) {
        const { body } = await page(list, { count });
        expect(body.pagination.count).toBe(body.collection.length);
        expect(body.pagination.count).toBeLessThanOrEqual(count);
      }
  },
  'Pagination, next_page | string (R, N): URI of next page; null = no more': async () => {
    for (const [list, first, second] of pairs) {
      expect(new URL(first.body.pagination.next_page).origin).toBe(sandbox.handles.base_url);
      expect(second).toMatchObject({ status: 200 });
      expect(second.body.collection[0]).toEqual((await page(list, { count: 2 })).body.collection[1]);
    }
    for (const list of lists) expect((await page(list, { count: 100 })).body.pagination.next_page).toBeNull();
  },
  'Pagination, previous_page | string (R, N): URI of previous page; null = none': async () => {
    for (const [, first, second] of pairs) {
      expect(first.body.pagination.previous_page).toBeNull();
      const back = await sandbox.call('GET', second.body.pagination.previous_page);
      expect(back.body.collection).toEqual(first.body.collection);
      expect(back.body.pagination.previous_page).toBeNull();
    }
  },
  'Pagination, next_page_token | string (R, N): token for next page; null = none': async () => {
    for (const [list, first, second] of pairs) {
      const page_token: string = first.body.pagination.next_page_token;
      expect(new URL(first.body.pagination.next_page).searchParams.get('page_token')).toBe(page_token);
      expect((await page(list, { count: 1, page_token })).body.collection).toEqual(second.body.collection);
    }
    for (const list of lists) expect((await page(list, { count: 100 })).body.pagination.next_page_token).toBeNull();
  },
  'Pagination, previous_page_token | string (R, N): token for previous page; null = none': async () => {
    for (const [list, first, second] of pairs) {
      expect(first.body.pagination.previous_page_token).toBeNull();
      const page_token: string = second.body.pagination.previous_page_token;
      expect((await page(list, { count: 1, page_token })).body.collection).toEqual(first.body.collection);
    }
  },
  'Pagination | every page has these five fields and no others': async () => {
    const fields = ['count', 'next_page', 'previous_page', 'next_page_token', 'previous_page_token'];
    for (const list of lists) expect(Object.keys((await page(list)).body.pagination)).toEqual(fields);
  },
  'Conventions 3 | the link to the next page asks for the same rows: it carries every parameter of the request':
    async () => {
      for (const [{ query }, first] of pairs) {
        const { searchParams } = new URL(first.body.pagination.next_page);
        expect(Object.fromEntries(searchParams)).toMatchObject({ ...query, count: '1' });
      }
    },
  'Conventions 3 | a page that lies beyond what has been removed is empty, and the last': async () => {
    const made: string[] = [];
    for (const number of [1, 2, 3]) {
      const emails = [{ email: `last-${number}@example.test`, is_primary: true }];
      made.push((await sandbox.call('POST', '/contacts', { body: { emails, company: 'Last Ltd' } })).body.resource.uri);
    }
    const first = await sandbox.call('GET', '/contacts', { query: { company: 'Last Ltd', count: 1 } });
    for (const uri of made) await sandbox.call('DELETE', uri);
    const next = await sandbox.call('GET', first.body.pagination.next_page);
    expect(next).toMatchObject({ status: 200, body: { collection: [], pagination: { count: 0 } } });
    expect(Object.values(next.body.pagination).filter((value) => value !== null && value !== 0)).toEqual([]);
  },
  'GET /contacts, sort | pages keep the order that was asked for': async () => {
    const found = await everyPage<{ updated_at: string }>(sandbox, '/contacts?sort=updated_at:desc&count=9');
    const times = found.map(({ updated_at }) => updated_at);
    expect(times.length).toBeGreaterThan(20);
    expect(times).toEqual(times.toSorted().toReversed());
  },
  'page_token | a token belongs to one list in one order, and is refused elsewhere with 400 | A13': async () => {
    for (const [index, [list]] of pairs.entries()) {
      const page_token: string = pairs[(index + 1) % pairs.length]?.[1].body.pagination.next_page_token;
      await answers(page(list, { page_token }), 400, invalid('page_token'));
    }
    const { body } = await contacts({ count: 1, sort: 'created_at:asc' });
    await answers(contacts({ page_token: body.pagination.next_page_token, sort: 'created_at:desc' }), 400);
  },
  'page_token | a token alone leads on: it carries the filters and the order of its list | A13': async () => {
    for (const [list, first, second] of pairs) {
      const page_token: string = first.body.pagination.next_page_token;
      const alone = await sandbox.call('GET', list.path, { query: { count: 1, page_token } });
      expect(alone).toMatchObject({ status: 200, body: { collection: second.body.collection } });
      const next = new URL(alone.body.pagination.next_page ?? second.body.pagination.previous_page).searchParams;
      expect(Object.fromEntries(next)).toMatchObject(list.query);
    }
    const query = { sort: 'updated_at:desc', count: 3 };
    const { body } = await contacts(query);
    const rest = await contacts({ page_token: body.pagination.next_page_token, count: 100 });
    const whole = await contacts({ ...query, count: 100 });
    expect([...body.collection, ...rest.body.collection]).toEqual(whole.body.collection);
  },
  'page_token | filters or an order other than those of the token are refused with 400 | A13': async () => {
    const asked = { country: 'US,DE,GB,FR,JP,CA,BR,IN,AU,ES', sort: 'updated_at:asc' };
    const { next_page_token: page_token } = (await contacts({ ...asked, count: 1 })).body.pagination;
    expect(page_token).not.toBeNull();
    for (const same of [asked, { country: asked.country }, { sort: asked.sort }, { count: 7 }])
      await answers(contacts({ ...same, page_token }), 200);
    for (const other of [{ country: 'US' }, { sort: 'updated_at:desc' }, { name: 'a' }, { exclude: 'custom_fields' }])
      await answers(contacts({ ...asked, ...other, page_token }), 400, {
        details: [{ parameter: 'page_token', message: expect.stringContaining(Object.keys(other)[0] ?? '') }],
      });
  },
  'page_token | a list with filters too long for two addresses still has a next page | A13': async () => {
    const name = ['a', 'e', 'i', 'o', 'u', ...Array.from({ length: 900 }, (_, index) => `n${index}`)].join(',');
    const { next_page } = (await contacts({ name, count: 1 })).body.pagination;
    expect(next_page.length).toBeLessThan(9000);
    const [, second] = (await contacts({ name, count: 2 })).body.collection;
    expect((await sandbox.call('GET', next_page)).body.collection).toEqual([second]);
  },
  'page_token | a token holds for a day | A13': async () => {
    await using slow = await openTestSandbox();
    const { body } = await slow.call('GET', '/contacts', { query: { count: 1 } });
    await slow.control('POST', '/clock', { advance: '23h' });
    await answers(slow.call('GET', body.pagination.next_page), 200);
    await slow.control('POST', '/clock', { advance: '2h' });
    await answers(slow.call('GET', body.pagination.next_page), 400);
  },
});
