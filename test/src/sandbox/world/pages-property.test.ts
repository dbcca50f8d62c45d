// Pages stay exact while rows come and go: whatever is inserted, changed and deleted between two pages, no row that was there all
// the time is missed or repeated, in either direction.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactsOf, createContact, deleteContact, updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import { comparePositions } from '#src/http/pagination.ts';
import { createIndexedCollection } from '#src/sandbox/world/indexed-collection.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

/** One page, and how to get to those beside it. */
interface Turned {
  readonly uris: readonly string[];
  next?(): Promise<Turned> | Turned;
  previous?(): Promise<Turned> | Turned;
}

/** A collection under test. */
interface Collection {
  /** The URIs as they would be listed now. */
  listed(): readonly string[];
  begin(): Promise<Turned> | Turned;
  /** Inserts, changes or deletes; returns the URI of a row whose place changed, if there is one. */
  disturb(what: Disturbance): string | undefined;
}

interface Disturbance {
  readonly kind: 'insert' | 'change' | 'delete';
  readonly share: number;
}

const disturbances: fc.Arbitrary<readonly Disturbance[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('insert', 'insert', 'change', 'delete'),
    share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  }),
  { maxLength: 4 },
);
/** Between the first page and the second, the second and the third, and so on; then once more from the beginning. */
const unrest = fc.array(disturbances, { minLength: 1, maxLength: 6 });

async function walk(collection: Collection, between: readonly (readonly Disturbance[])[]): Promise<void> {
  let turn = 0;
  const disturb = (moved: Set<string>): void => {
    for (const what of between[turn++ % between.length] ?? []) {
      const uri = collection.disturb(what);
      if (uri !== undefined) moved.add(uri);
    }
  };
  /** `expected` in its order, without what has moved or gone. */
  const compare = (seen: readonly string[], expected: readonly string[], moved: ReadonlySet<string>): void => {
    const stayed = new Set(expected.filter((uri) => !moved.has(uri)));
    expect(seen.filter((uri) => stayed.has(uri))).toEqual([...stayed]);
  };

  const atFirst = collection.listed();
  const moved = new Set<string>();
  let page = await collection.begin();
  expect(page.previous).toBeUndefined();
  const seen = [...page.uris];
  // Rows are inserted faster than they are read when pages are small: after enough pages the world holds still.
  for (; page.next !== undefined; seen.push(...page.uris)) {
    if (turn < 40) disturb(moved);
    page = await page.next();
  }
  compare(seen, atFirst, moved);

  const [start] = page.uris;
  if (start === undefined) return;
  const listed = collection.listed();
  const before = listed.slice(0, listed.indexOf(start));
  if (!listed.includes(start)) return;
  const movedBack = new Set<string>();
  const seenBack: string[] = [];
  while (page.previous !== undefined) {
    if (turn < 80) disturb(movedBack);
    page = await page.previous();
    seenBack.unshift(...page.uris);
  }
  compare(seenBack, before, movedBack);
}

const sorts = ['created_at:asc', 'created_at:desc', 'updated_at:asc', 'updated_at:desc,created_at:asc'] as const;

function contactPages(
  sandbox: TestSandbox,
  { sort, count, name }: { sort: (typeof sorts)[number]; count: number; name: string | null },
): Collection {
  const { service, handles } = sandbox;
  const organization = handles.organization;
  const book = contactsOf(service, organization);
  const [order, direction] = sort.split(/[:,]/) as ['created_at' | 'updated_at', 'asc' | 'desc'];
  async function turnTo(url: string, query?: Record<string, string | number>): Promise<Turned> {
    const { status, body } = await sandbox.call('GET', url, query ? { query } : {});
    expect(status).toBe(200);
    const { next_page, previous_page } = body.pagination;
    return {
      uris: body.collection.map(({ uri }: { uri: string }) => uri),
      ...(next_page === null ? {} : { next: () => turnTo(next_page) }),
      ...(previous_page === null ? {} : { previous: () => turnTo(previous_page) }),
    };
  }
  return {
    listed: () =>
      [...book.values()]
        .filter((entry) => name === null || entry.name?.toLowerCase().includes(name.toLowerCase()))
        .map((entry) => ({ key: entry[order], uri: entry.uri }))
        .toSorted((a, b) => comparePositions(a, b) * (direction === 'desc' ? -1 : 1))
        .map(({ uri }) => uri),
    begin: () => turnTo('/contacts', { sort, count, exclude: 'custom_fields', ...(name !== null && { name }) }),
    disturb({ kind, share }) {
      const entry = book.at('created_at', Math.floor(share * book.size));
      if (kind === 'insert' || entry === undefined) {
        const email = `${service.random.uuid()}@example.test`;
        const details = { emails: [{ email, is_primary: true }], name: 'Ana Ito' };
        createContact(service, { organization, owner: handles.users.owner, source: 'manual', details });
        return undefined;
      }
      if (kind === 'delete') deleteContact(service, entry);
      else updateContact(service, entry, { city: `City ${share}` });
      // A change moves the row where it is sorted by the time of change, and leaves it in place elsewhere.
      return kind === 'delete' || order === 'updated_at' ? entry.uri : undefined;
    },
  };
}

interface Row {
  readonly uri: string;
  readonly key: string;
}

function rowsOf({
  keys,
  count,
  descending,
}: {
  keys: readonly string[];
  count: number;
  descending: boolean;
}): Collection {
  const shelf = createIndexedCollection<Row, 'key'>({ orders: { key: ({ key }) => key } });
  let made = 0;
  const add = (key: string): void => shelf.put({ uri: `row ${((made += 1) * 7919) % 1009}`, key });
  keys.forEach(add);
  function turnTo(from?: Row, backwards = false): Turned {
    const page = shelf.page('key', { count, descending, backwards, ...(from && { from }) });
    const [first, last] = [page.items[0], page.items.at(-1)];
    return {
      uris: page.items.map(({ uri }) => uri),
      ...(page.hasNext && last && { next: () => turnTo(last) }),
      ...(page.hasPrevious && first && { previous: () => turnTo(first, true) }),
    };
  }
  return {
    listed: () =>
      [...shelf.values()].toSorted((a, b) => comparePositions(a, b) * (descending ? -1 : 1)).map(({ uri }) => uri),
    begin: () => turnTo(),
    disturb({ kind, share }) {
      const row = [...shelf.values()][Math.floor(share * shelf.size)];
      if (kind === 'insert' || row === undefined) return void add(String(share).slice(2, 3));
      if (kind === 'delete') shelf.delete(row.uri);
      else shelf.put({ ...row, key: String(share).slice(3, 4) });
      return row.uri;
    },
  };
}

describe('while rows are inserted, changed and deleted between pages', () => {
  it(
    'GET /contacts misses and repeats no contact that was there all the time',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            sort: fc.constantFrom(...sorts),
            count: fc.integer({ min: 1, max: 9 }),
            name: fc.constantFrom(null, null, 'a', 'an'),
          }),
          fc.integer({ min: 0, max: 40 }),
          unrest,
          async (asked, contacts, between) => {
            await using sandbox = await openTestSandbox({ contacts, bookings: 0, rateLimits: false });
            await walk(contactPages(sandbox, asked), between);
          },
        ),
        runs(20),
      );
    },
    propertyTimeoutMs,
  );

  it('a shelf misses and repeats no row that was there all the time, even where many share a key', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          keys: fc.array(fc.constantFrom('1', '2', '3'), { maxLength: 40 }),
          count: fc.integer({ min: 1, max: 9 }),
          descending: fc.boolean(),
        }),
        unrest,
        async (plan, between) => walk(rowsOf(plan), between),
      ),
      runs(60),
    );
  });
});
