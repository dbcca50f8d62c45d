// Whatever values contacts carry, and whatever the definitions say: each is read in its type, or not at all.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#src/store/columns.ts';
import { readFieldColumns } from '#src/store/views/views.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { contactBody, contactUri, fieldUri, readDefinitions } from '../../../harness/data/custom-fields.ts';
import { emptyTables, availableEngines, ingestBodies } from '../../../harness/stores.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

const isText = (value: Json) => typeof value === 'string';
const isDay = (value: Json) =>
  typeof value === 'string' &&
  /^(?!0000)\d{4}-\d\d-\d\d$/.test(value) &&
  new Date(`${value}T00:00:00Z`).toJSON()?.slice(0, 10) === value;

const options = [{ uuid: 'o1', label: 'Small' }, { uuid: 'o2' }];
/** What a value of each type becomes. */
const types: Readonly<Record<string, (value: Json) => unknown>> = {
  text: (value) => (isText(value) ? value : null),
  number: (value) => (typeof value === 'number' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  currency: (value) => (Number.isSafeInteger(value) ? value : null),
  date: (value) => (isDay(value) ? value : null),
  single_select: (value) => (value === 'o1' ? 'Small' : value === 'o2' ? 'o2' : null),
  tags: (value) => (Array.isArray(value) && value.every(isText) ? value : null),
  // The stores write JSON each in their own way.
  invitee_question: (value) =>
    isText(value) || value === null
      ? value
      : Number.isSafeInteger(value) || typeof value === 'boolean'
        ? String(value)
        : expect.any(String),
  mystery: (value) => value,
};

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>('o1', 'o2', '2024-02-29', '2025-02-29', '0000-01-01', '', '5', 'null', '[]', '{"a":1}'),
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !text.includes('\0')),
  fc.integer({ min: -1_000, max: 1_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((number) => number + 0),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.constantFrom<Json>('a', "b'", 5), { maxLength: 3 }),
  fc
    .tuple(fc.nat(9_999), fc.nat(13), fc.nat(32))
    .map(
      ([year, month, day]) =>
        `${String(year).padStart(4, '0')}-${[month, day].map((n) => String(n).padStart(2, '0')).join('-')}`,
    ),
);
/** A number that not every store can hold is stored as text. */
const held = (value: Json): Json => (typeof value === 'number' && Math.abs(value) > 1e100 ? String(value) : value);

const texts = ['words', '', '["a"]', "it's 🐎", '1.5', '1999', 'true', 'a', 'o1', 'o2', 'Small', 'o9'];
const days = ['2024-02-29', '1999-12-31', '2025-02-29', '2025-13-01', '2025-01-00', '0000-01-01', '2025-1-1'];
const almostDays = ['2025-1-05 ', '12:34:56.7', '2025-01-01T00:00:00Z', ' 2025-01-01', 'soon'];
const scalars = [0, 1, 5, -3, 1.5, 19.99, 20250101, 9_007_199_254_740_991, 1e300, true, false, null];
const lists: readonly Json[] = [[], ['a', 'b'], [1], [['a']], [true], ['o1'], ['2025-01-01'], {}, { a: [1, null] }];
const lookalikes: readonly Json[] = [...texts, ...days, ...almostDays, ...scalars, ...lists];

const worlds = fc.record({
  kinds: fc.array(fc.constantFrom(...Object.keys(types)), { minLength: 1, maxLength: 5 }),
  contacts: fc.array(fc.array(value, { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 6 }),
});

describe.each(availableEngines)('contacts_wide on $name', ({ name, fresh }) => {
  const opened = openedOnce(fresh);

  async function check(kinds: readonly string[], contacts: readonly (readonly Json[])[]): Promise<void> {
    const { store } = opened;
    await emptyTables(store);
    await readDefinitions(
      store,
      kinds.map((field_type, n) => ({ uri: fieldUri(n), label: `Field of ${field_type}`, field_type, options })),
    );
    const id = (n: number) => String(n).padStart(3, '0');
    await ingestBodies(
      store,
      contacts.map((values, n) => contactBody(id(n), Object.fromEntries(values.map((each, f) => [fieldUri(f), each])))),
    );
    const columns = await readFieldColumns(store);
    const expected = contacts.map((values, n) => ({
      uri: contactUri(id(n)),
      ...Object.fromEntries(
        columns.map(({ column_name, field_uri, field_type }) => {
          const f = Number(field_uri.split('/').at(-1));
          return [column_name, types[field_type ?? '']?.(held(values[f] as Json)) ?? null];
        }),
      ),
    }));
    expect(await viewRows(store, 'contacts_wide')).toMatchObject(expected);
  }

  it('has every value in the type of its definition, or null', { timeout: propertyTimeoutMs }, async () => {
    const kinds = Object.keys(types);
    await check(
      kinds,
      lookalikes.map((each) => kinds.map(() => each)),
    );
    await fc.assert(
      fc.asyncProperty(worlds, ({ kinds: some, contacts }) => check(some, contacts)),
      runs(name === 'sqlite' ? 24 : 6),
    );
  });
});
