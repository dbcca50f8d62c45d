// Any question to a table answers what a plain computation over its rows answers: the same rows, order, groups and pages.
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeRows } from '#src/store/rows.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';
import { availableEngines, emptyTables } from '../../../harness/stores.ts';
import {
  grouped,
  holds,
  nameOf,
  sorted,
  type Asked,
  type Cell,
  type Computed,
  type Kind,
  type Row,
  type Term,
} from '../../../oracle/questions.ts';

interface Sample {
  readonly table: 'event_types' | 'booking_invitees' | 'contact_emails';
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, Kind>>;
  readonly required: readonly string[];
}

const samples: readonly Sample[] = [
  {
    table: 'event_types',
    key: ['uri'],
    columns: { uri: 'text', name: 'text', color: 'text', active: 'flag', duration: 'number', created_at: 'time' },
    required: [],
  },
  {
    table: 'booking_invitees',
    key: ['invitee_uri'],
    columns: {
      invitee_uri: 'text',
      booking_uri: 'text',
      first_invitee: 'text',
      position: 'integer',
      is_first: 'flag',
      count: 'integer',
    },
    required: ['booking_uri', 'first_invitee', 'is_first', 'count'],
  },
  {
    table: 'contact_emails',
    key: ['contact_uri', 'email'],
    columns: { contact_uri: 'text', email: 'text', is_primary: 'flag' },
    required: [],
  },
];
/** Columns of the table that a row must have, and the question is not about. */
const others: Readonly<Record<string, Row>> = {
  booking_invitees: { is_last: false, moves: 0, mirrored: true },
};

// U+10400 comes before U+FFFD by UTF-16, and behind it by bytes.
const texts = [
  '',
  'a',
  'A',
  'b',
  'ab',
  'aB',
  'Ä',
  'ä',
  'a,b',
  '(a)',
  'a"b',
  '"',
  '\\',
  'a*b',
  '%',
  '_',
  '[a]',
  'a\nb',
  '\u{10400}',
  '\uFFFD',
  "';--",
];
const domains: Readonly<Record<Kind, readonly Cell[]>> = {
  text: texts,
  time: [
    '2025-01-01T00:00:00.000000Z',
    '2025-01-01T00:00:00.000001Z',
    '2025-12-31T23:59:59.999999Z',
    '2026-01-01T00:00:00.000000Z',
  ],
  flag: [true, false],
  integer: [-1, 0, 1, 2, 10, 2 ** 40],
  number: [-1.5, 0, 0.25, 2, 10, 1024.5],
};

const rowsOf = ({ columns, key, required }: Sample): Arbitrary<Row[]> =>
  fc.uniqueArray(
    fc.record(
      Object.fromEntries(
        Object.entries(columns).map(([name, kind]) => {
          const value = fc.constantFrom(...domains[kind]);
          const isRequired = key.includes(name) || required.includes(name);
          return [name, isRequired ? value : fc.option(value, { freq: 3 })];
        }),
      ),
    ),
    { maxLength: 14, selector: (row) => JSON.stringify(key.map((name) => row[name])) },
  );

const piece = fc.constantFrom(
  'a',
  'A',
  'b',
  'Ä',
  'ä',
  '*',
  '%',
  '_',
  '\\*',
  '\\_',
  '\\\\',
  '[',
  ']',
  '?',
  '"',
  ',',
  '\u{10400}',
);

function testOf({ columns }: Sample): Arbitrary<Asked> {
  return fc.constantFrom(...Object.entries(columns)).chain(([column, kind]): Arbitrary<Asked> => {
    const value = fc.constantFrom(...domains[kind]);
    const named = { column: fc.constant(column), not: fc.boolean() };
    return fc.oneof<Arbitrary<Asked>[]>(
      fc.record({ ...named, operator: fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte'), value }),
      fc.record({ ...named, operator: fc.constant('in'), values: fc.array(value, { maxLength: 4 }) }),
      fc.record({
        ...named,
        operator: fc.constant('is'),
        value: kind === 'flag' ? fc.constantFrom(null, true, false) : fc.constant(null),
      }),
      ...(kind === 'text'
        ? [
            fc.record({
              ...named,
              operator: fc.constantFrom('like', 'ilike'),
              pattern: fc.array(piece, { maxLength: 4 }),
            }),
          ]
        : []),
    );
  });
}

/** The name of a group stands once in an address; that of a column may stand there twice. */
const whereOf = (sample: Sample): Arbitrary<Asked[]> =>
  fc
    .tuple(fc.array(testOf(sample), { maxLength: 2 }), fc.array(conditionOf(sample), { maxLength: 1 }))
    .map((parts) => parts.flat());

function conditionOf(sample: Sample, depth = 3): Arbitrary<Asked> {
  const test = testOf(sample);
  if (depth === 0) return test;
  const group = fc.record({
    group: fc.constantFrom('and' as const, 'or' as const),
    not: fc.boolean(),
    parts: fc.array(conditionOf(sample, depth - 1), { minLength: 1, maxLength: 2 }),
  });
  return fc.oneof({ weight: 3, arbitrary: test }, { weight: 2, arbitrary: group });
}

const termsOf = (names: readonly string[]): Arbitrary<Term[]> =>
  fc
    .subarray([...names], { maxLength: 3 })
    .chain((chosen) => fc.tuple(...chosen.map((name) => fc.boolean().map((isDescending) => ({ name, isDescending })))));

const quoted = (text: string): string =>
  /[,()"\\.]/.test(text) || text === '' ? `"${text.replaceAll(/[\\"]/g, (each) => `\\${each}`)}"` : text;

function testText(asked: Exclude<Asked, { group: string }>, isNested: boolean): string {
  const written = (cell: Cell) => (isNested ? quoted(String(cell)) : String(cell));
  const value =
    asked.operator === 'in'
      ? `(${asked.values.map((each) => quoted(String(each))).join()})`
      : written('pattern' in asked ? asked.pattern.join('') : asked.value);
  return `${asked.not ? 'not.' : ''}${asked.operator}.${value}`;
}

function nestedText(asked: Asked): string {
  if ('group' in asked) return `${asked.not ? 'not.' : ''}${asked.group}${groupText(asked)}`;
  return `${asked.column}.${testText(asked, true)}`;
}
const groupText = ({ parts }: { readonly parts: readonly Asked[] }): string => `(${parts.map(nestedText).join()})`;

const parameterOf = (asked: Asked): readonly [string, string] =>
  'group' in asked
    ? [`${asked.not ? 'not.' : ''}${asked.group}`, groupText(asked)]
    : [asked.column, testText(asked, false)];

const orderText = (terms: readonly Term[]): string =>
  terms.map(({ name, isDescending }) => `${name}.${isDescending ? 'desc' : 'asc'}`).join();

describe.each(availableEngines)('a question to a table on $name', { timeout: propertyTimeoutMs }, ({ name, fresh }) => {
  const api = openedOnce(() => openReadApi(fresh, { readsApart: {} }));

  async function fill({ table }: Sample, rows: readonly Row[]): Promise<void> {
    await emptyTables(api.store);
    await api.store.transaction((unit) =>
      writeRows(unit, table, rows.map((row) => ({ ...others[table], ...row })) as never),
    );
  }
  const ask = async (table: string, parameters: readonly (readonly [string, string])[]) => {
    const address = `/api/tables/${table}?${new URLSearchParams(parameters.map(([key, text]): [string, string] => [key, text]))}`;
    const { status, body } = await api.get(address);
    expect({ address, status, body: status === 200 ? '' : body }).toEqual({ address, status: 200, body: '' });
    return body;
  };

  it.each(samples)('answers the rows of $table in their order, page by page in both directions', async (sample) => {
    const { table, columns, key } = sample;
    const names = Object.keys(columns);
    const property = fc.asyncProperty(
      rowsOf(sample),
      whereOf(sample),
      termsOf(names),
      fc.integer({ min: 1, max: 5 }),
      async (rows, where, order, limit) => {
        await fill(sample, rows);
        const falls = order.at(-1)?.isDescending ?? false;
        const rest = key.filter((each) => order.every((term) => term.name !== each));
        const terms = [...order, ...rest.map((each) => ({ name: each, isDescending: falls }))];
        const matching = rows.filter((row) => where.every((asked) => holds(asked, row) === true));
        const first = [
          ...where.map(parameterOf),
          ['select', names.join()],
          ...(order.length > 0 ? [['order', orderText(order)] as const] : []),
        ] as (readonly [string, string])[];
        const pages: Row[][] = [];
        let token: string | null = null;
        let back: string | null = null;
        do {
          const body = await ask(table, [
            ...(token === null ? first : [['page_token', token] as const]),
            ['limit', String(limit)],
          ]);
          pages.push(body.collection);
          ({ next_page_token: token, previous_page_token: back } = body.pagination);
        } while (token !== null);
        expect(pages.flat()).toEqual(sorted(matching, terms));
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
        for (const page of pages.slice(0, -1).toReversed()) {
          const body = await ask(table, [
            ['page_token', back ?? ''],
            ['limit', String(limit)],
          ]);
          expect(body.collection).toEqual(page);
          back = body.pagination.previous_page_token;
        }
        expect(back).toBeNull();
      },
    );
    await fc.assert(property, runs(name === 'sqlite' ? 200 : 60));
  });

  it.each(samples)('answers the groups of $table', async (sample) => {
    const { table, columns } = sample;
    const numbers = Object.keys(columns).filter((each) => ['integer', 'number'].includes(columns[each] ?? ''));
    const comparable = Object.keys(columns).filter((each) => columns[each] !== 'flag');
    const computed = fc.uniqueArray(
      fc.oneof(
        fc.constant<Computed>({ by: 'count', column: '' }),
        fc.record({ by: fc.constantFrom('min' as const, 'max' as const), column: fc.constantFrom(...comparable) }),
        ...(numbers.length > 0
          ? [fc.record({ by: fc.constantFrom('sum' as const, 'avg' as const), column: fc.constantFrom(...numbers) })]
          : []),
      ),
      { minLength: 1, maxLength: 3, selector: nameOf },
    );
    // `count` is a column of the answer, too.
    const by = fc.subarray(
      Object.keys(columns).filter((each) => each !== 'count'),
      { maxLength: 2 },
    );
    const property = fc.asyncProperty(
      rowsOf(sample),
      by,
      computed,
      conditionOf(sample),
      fc.boolean(),
      async (rows, grouping, values, where, isDescending) => {
        await fill(sample, rows);
        const matching = rows.filter((row) => holds(where, row) === true);
        const [first] = values.map(nameOf);
        const terms = [
          { name: first ?? '', isDescending },
          ...grouping.map((each) => ({ name: each, isDescending: false })),
        ];
        const body = await ask(table, [
          parameterOf(where),
          ['select', [...grouping, ...values.map((each) => `${each.by}(${each.column})`)].join()],
          ['order', `${first}.${isDescending ? 'desc' : 'asc'}`],
        ]);
        expect(body.collection).toEqual(sorted(grouped(matching, grouping, values), terms));
      },
    );
    await fc.assert(property, runs(name === 'sqlite' ? 150 : 50));
  });
});
