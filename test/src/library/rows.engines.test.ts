// The client asks tables and views of a real API: what it answers is what a plain computation over the rows answers, whatever the values are.
import fc, { type Arbitrary } from 'fast-check';
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { createClient, literal, RejectedRequest, type Where } from '#src/library/client.ts';
import { writeRows } from '#src/store/rows.ts';
import { anyText } from '../../harness/data/any-text.ts';
import { fillReadWorld } from '../../harness/data/read-world.ts';
import { adminToken, listen, readToken } from '../../harness/mirror/api-app.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { openedOnce } from '../../harness/opened.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';
import { availableEngines, emptyTables, oneEngine, type TestStore } from '../../harness/stores.ts';
import { holds, type Asked, type Cell, type Kind, type Row } from '../../oracle/questions.ts';

async function openWorld(fresh: () => Promise<TestStore>) {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await openReadApi(fresh));
  const { url } = stack.use(await listen(api.admin));
  const kept = stack.move();
  return {
    store: api.store,
    url,
    client: createClient({ url, token: adminToken }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Texts that mean something in the grammar of the address, in JSON or in SQL; PostgreSQL stores no NUL. */
const hostile = [
  '',
  ',',
  '(',
  ')',
  '"',
  '""',
  '\\',
  '\\"',
  'a\\',
  '\n',
  '*',
  '%',
  '_',
  '[a]',
  '.',
  'null',
  'not.is.null',
  'eq.a',
  '(a,"b")',
  '"),or(uri.not.is.null',
  ' a ',
  'a+b',
  'a&b=c',
  'a%2Cb',
  '#?/',
  "';--",
  '{"a":1}',
  '\u{10400}',
];
const text = fc.oneof(
  fc.constantFrom(...hostile),
  anyText({ maxLength: 6 }).filter((each) => !each.includes('\0')),
);
const values: Readonly<Record<Kind, Arbitrary<Cell>>> = {
  text,
  time: fc
    .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((at) => `${at.toISOString().slice(0, -1)}000Z`),
  flag: fc.boolean(),
  integer: fc.integer(),
  number: fc.constantFrom(-1.5, 0, 0.25, 2, 1e21, 1e-7),
};
const columns = {
  uri: 'text',
  name: 'text',
  color: 'text',
  active: 'flag',
  duration: 'number',
  created_at: 'time',
} as const;

const row: Arbitrary<Row> = fc.record({
  uri: values.text,
  ...Object.fromEntries(
    Object.entries(columns)
      .filter(([name]) => name !== 'uri')
      .map(([name, kind]) => [name, fc.option(values[kind], { freq: 4 })]),
  ),
});

/** Conditions about the values of these rows, or others. */
function testOn(rows: readonly Row[]): Arbitrary<Asked> {
  return fc.constantFrom(...Object.entries(columns)).chain(([column, kind]): Arbitrary<Asked> => {
    const there = rows.map((each) => each[column] ?? null).filter((each) => each !== null);
    const value = there.length > 0 ? fc.oneof(fc.constantFrom(...there), values[kind]) : values[kind];
    const named = { column: fc.constant(column), not: fc.boolean() };
    // The whole text, or a part of it.
    const pattern = value.chain((each) => {
      const characters = Array.from(String(each), literal);
      return fc.constantFrom(characters, ['*', ...characters.slice(1)], [...characters.slice(0, 1), '*']);
    });
    return fc.oneof<Arbitrary<Asked>[]>(
      fc.record({ ...named, operator: fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte'), value }),
      fc.record({ ...named, operator: fc.constant('in'), values: fc.array(value, { maxLength: 3 }) }),
      fc.record({ ...named, operator: fc.constant('is'), value: fc.constant(null) }),
      ...(kind === 'flag' ? [fc.record({ ...named, operator: fc.constant('is' as const), value: fc.boolean() })] : []),
      ...(kind === 'text' ? [fc.record({ ...named, operator: fc.constantFrom('like', 'ilike'), pattern })] : []),
    );
  });
}

const conditionOn = (rows: readonly Row[], depth = 1): Arbitrary<Asked> =>
  depth === 0
    ? testOn(rows)
    : fc.oneof(
        testOn(rows),
        fc.record({
          group: fc.constantFrom('and' as const, 'or' as const),
          not: fc.boolean(),
          parts: fc.array(conditionOn(rows, depth - 1), { minLength: 1, maxLength: 2 }),
        }),
      );

type Written = Where<'event_types'>;

/** As a program writes it. */
function written(asked: Asked): Written {
  if ('group' in asked) {
    const group = { [asked.group]: asked.parts.map(written) };
    return (asked.not ? { not: group } : group) as Written;
  }
  const { column, not, operator } = asked;
  const given = 'values' in asked ? asked.values : 'pattern' in asked ? asked.pattern.join('') : asked.value;
  const isShort = operator === 'eq' || operator === 'in' || given === null;
  const test = isShort ? given : { [operator]: given };
  return { [column]: not ? { not: test } : test } as Written;
}

describe.each(availableEngines)('the rows of the client on $name', ({ name, fresh }) => {
  const world = openedOnce(() => openWorld(fresh));

  async function fill(rows: readonly Row[]): Promise<void> {
    await emptyTables(world.store);
    await world.store.transaction((unit) => writeRows(unit, 'event_types', rows as never));
  }
  const asked = fc
    .uniqueArray(row, { maxLength: 6, selector: (each) => each['uri'] })
    .chain((rows) => fc.tuple(fc.constant(rows), fc.array(conditionOn(rows), { maxLength: 3 })));

  it('any text is compared as itself, with every operator', { timeout: propertyTimeoutMs }, async () => {
    const property = fc.asyncProperty(asked, async ([rows, conditions]) => {
      await fill(rows);
      const where: Written = { and: conditions.map(written) };
      const expected = rows.filter((each) => conditions.every((condition) => holds(condition, each) === true));
      const found = await world.client
        .rows('event_types', { where, select: ['uri', 'name', 'color', 'active', 'duration', 'created_at'] })
        .all();
      const byUri = (one: Row, other: Row) => (String(one['uri']) < String(other['uri']) ? -1 : 1);
      expect(found.toSorted(byUri)).toEqual(expected.toSorted(byUri));
      expect(await world.client.count('event_types', { where })).toBe(expected.length);
    });
    await fc.assert(property, runs(name === 'sqlite' ? 250 : 80));
  });

  it('a time is a Date or a text, and conditions within or, and and not hold as written', async () => {
    const at = new Date('2026-11-01T09:00:00Z');
    const made = (uri: string, created_at: string, duration: number | null) => ({ uri, created_at, duration });
    await fill([
      made('a', '2026-11-01T09:00:00.000000Z', 30),
      made('b', '2026-11-01T09:00:00.000001Z', 45),
      made('c', '2026-12-01T00:00:00.000000Z', null),
    ]);
    const urisWhere = async (where: Written) =>
      (await world.client.rows('event_types', { where, select: ['uri'], order: ['uri'] }).all()).map(({ uri }) => uri);
    expect(await urisWhere({ created_at: at })).toEqual(['a']);
    expect(await urisWhere({ created_at: { gt: at, lt: '2026-12-01' } })).toEqual(['b']);
    expect(await urisWhere({ created_at: { not: { gt: at, lt: '2026-12-01' } } })).toEqual(['a', 'c']);
    expect(await urisWhere({ or: [{ created_at: [at], duration: 30 }, { duration: null }] })).toEqual(['a', 'c']);
    expect(await urisWhere({ not: { or: [{ uri: 'a' }, { and: [{ uri: 'b' }, { duration: 45 }] }] } })).toEqual(['c']);
    expect(await urisWhere({ uri: [] })).toEqual([]);
    expect(await urisWhere({ duration: { not: [] } })).toEqual(['a', 'b']);
    expect(await urisWhere({ uri: { not: { not: 'a' } } })).toEqual(['a']);
  });

  it('pages follow each other, and a row that stays is on exactly one of them while others are inserted', async () => {
    const uri = (index: number) => `uri-${String(index).padStart(5, '0')}`;
    const rows = Array.from({ length: 2_500 }, (_, index) => ({ uri: uri(index * 2), name: 'n' }));
    await fill(rows);
    const seen: string[] = [];
    for await (const { uri: each } of world.client.rows('event_types', { select: ['uri'], order: ['uri.desc'] })) {
      seen.push(each);
      // Before and behind what was read.
      if (seen.length % 900 === 0) {
        const added = [1, 4_999].map((index) => ({ uri: uri(index - (seen.length / 900) * 2), name: 'new' }));
        await world.store.transaction((unit) => writeRows(unit, 'event_types', added as never));
      }
    }
    const old = new Set(rows.map((each) => each.uri));
    expect(seen.filter((each) => old.has(each))).toEqual(rows.map((each) => each.uri).toReversed());
    expect(new Set(seen).size).toBe(seen.length);
    const some = await world.client.rows('event_types', { where: { name: 'n' }, order: ['uri'], limit: 1_700 }).all();
    expect(some.map((each) => each.uri)).toEqual(rows.slice(0, 1_700).map((each) => each.uri));
  });

  it('groups are counted and summed, and views are read like tables', async () => {
    await emptyTables(world.store);
    await fillReadWorld(world.store);
    const { client } = world;
    const groups = await client
      .rows('bookings', {
        where: { start_time: { gte: '2000-01-01' } },
        select: ['outcome', 'count()', 'sum(payment_amount)', 'min(start_time)'],
        order: ['count.desc', 'outcome'],
      })
      .all();
    expectTypeOf(groups).items.toEqualTypeOf<{
      outcome: NonNullable<(typeof groups)[number]['outcome']> | null;
      count: number;
      sum_payment_amount: number | null;
      min_start_time: string | null;
    }>();
    const bookings = await client.rows('bookings', { where: { start_time: { not: null } } }).all();
    expect(groups.length).toBeGreaterThan(3);
    for (const { outcome, count, sum_payment_amount: sum } of groups) {
      const members = bookings.filter((each) => each.outcome === outcome);
      const paid = members.flatMap(({ payment_amount: amount }) => amount ?? []);
      expect([outcome, count, sum]).toEqual([
        outcome,
        members.length,
        paid.length === 0 ? null : paid.reduce((total, each) => total + each, 0),
      ]);
    }
    expect(
      await client.rows('bookings', { select: ['outcome', 'count()'], order: ['count.desc'], limit: 1 }).all(),
    ).toEqual([{ outcome: groups[0]?.outcome, count: groups[0]?.count }]);
    expect(await client.count('bookings', { where: { outcome: 'no_show' } })).toBe(
      bookings.filter(({ outcome }) => outcome === 'no_show').length,
    );
  });
});

describe.each(oneEngine)('a question that is not answered', ({ fresh }) => {
  const world = openedOnce(() => openWorld(fresh));
  afterEach(() => void vi.restoreAllMocks());
  const errorOf = (asking: Promise<unknown>): Promise<unknown> =>
    asking.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('throws what the mirror says about it, with its status', async () => {
    const { client, url } = world;
    const unknown = await errorOf(client.rows('bookings', { where: { outcom: 'no_show' } as never }).all());
    expect(unknown).toBeInstanceOf(RejectedRequest);
    expect(unknown).toMatchObject({
      name: 'RejectedRequest',
      status: 400,
      message: 'the mirror answered 400: bookings has no column "outcom". Did you mean outcome?',
      details: [{ parameter: 'outcom' }],
    });
    expect(await errorOf(client.count('booking' as never))).toMatchObject({ status: 404 });
    expect(await errorOf(createClient({ url, token: 'wrong' }).count('bookings'))).toMatchObject({ status: 401 });
    const reader = createClient({ url, token: readToken });
    expect(await errorOf(reader.count('admin_actions'))).toMatchObject({ status: 403 });
    expect(await reader.count('bookings')).toBe(0);
  });

  it('is refused by the client where it would ask something else than it says', async () => {
    const { client } = world;
    for (const [where, message] of [
      [{ host: undefined }, 'host is undefined: leave it out, or write null'],
      [{ host: { eq: undefined } }, 'host: eq is undefined'],
      [{ host: {} }, 'host has no condition'],
      [{ host: ['a', null] }, 'host: a list has no null; write or:'],
      [{ host: { equals: 'a' } }, 'host: there is no operator equals'],
      [{ or: [] }, 'or has no condition'],
      [{ or: [{}] }, 'or has no condition'],
      [{ or: { host: 'a' } }, 'or is a list of conditions'],
      [{ not: {} }, 'not has no condition'],
    ] as const)
      await expect(client.count('bookings', { where: where as never })).rejects.toThrow(message);
    for (const limit of [0, -1, 1.5, Number.NaN])
      expect(await errorOf(client.rows('bookings', { limit }).all())).toBeInstanceOf(TypeError);
  });

  it('is repeated while the mirror does not answer, and throws after seven failures', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { port } = new URL(world.url);
    const retries: unknown[] = [];
    const closed = createClient({
      url: `http://127.0.0.1:${port}`,
      token: adminToken,
      onRetry: (error) => retries.push(error),
    });
    const answers = [503, 429, 200];
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
      const status = answers.shift() ?? 503;
      return Response.json({ collection: [{ count: 7 }], pagination: { next_page_token: null } }, { status });
    });
    expect(await closed.count('bookings')).toBe(7);
    expect(retries).toMatchObject([{ status: 503 }, { status: 429 }]);
    expect(await errorOf(closed.count('bookings'))).toMatchObject({ status: 503 });
    expect(retries).toHaveLength(2 + 6);
  });

  it('throws the reason of its signal, so that a part is never taken for the whole', async () => {
    await world.store.transaction((unit) =>
      writeRows(unit, 'event_types', ['a', 'b', 'c'].map((uri) => ({ uri })) as never),
    );
    const stop = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { uri } of world.client.rows('event_types', { order: ['uri'], signal: stop.signal })) {
        seen.push(uri);
        stop.abort(new Error('enough'));
      }
    })();
    await expect(reading).rejects.toThrow('enough');
    expect(seen).toEqual(['a']);
    await expect(world.client.count('event_types', { signal: stop.signal })).rejects.toThrow('enough');
  });
});

it('the compiler knows tables, columns, values and groups', () => {
  const { rows, count } = createClient({ url: 'http://127.0.0.1', token: '' });
  // Nothing is asked before a loop begins.
  const chosen = rows('bookings', { select: ['uri', 'outcome', 'moves', 'hosts'] });
  type Chosen = typeof chosen extends AsyncIterable<infer Each> ? Each : never;
  expectTypeOf<keyof Chosen>().toEqualTypeOf<'uri' | 'outcome' | 'moves' | 'hosts'>();
  expectTypeOf<Chosen['uri']>().toEqualTypeOf<string>();
  expectTypeOf<Chosen['moves']>().toEqualTypeOf<number | null>();
  expectTypeOf<'no_show'>().toExtend<Chosen['outcome']>();
  expectTypeOf<'noshow'>().not.toExtend<Chosen['outcome']>();
  const whole = rows('contacts');
  expectTypeOf<typeof whole extends AsyncIterable<infer Each> ? Each : never>().toExtend<{
    created_at: string | null;
    uri: string;
  }>();
  rows('contacts_wide', {
    where: { size_cm: { gte: 3 }, name: 'Ada' },
    select: ['uri', 'size_cm'],
    order: ['size_cm'],
  });
  rows('event_log', { where: { outcome: ['quarantined', 'unhandled'], seq: { gt: 3 }, duplicates: 0 } });
  rows('event_types', { where: { active: true, duration: { not: { in: [15, 30] } }, profile: { not: null } } });
  rows('bookings', { where: { outcome: { like: 'canceled*' } }, order: ['start_time.desc', 'uri'] });

  const refused = (): void => {
    // @ts-expect-error -- no such table
    rows('booking');
    // @ts-expect-error -- only the program reads it
    rows('key_values');
    // @ts-expect-error -- no such column
    rows('bookings', { where: { outcom: 'no_show' } });
    // @ts-expect-error -- no such value
    rows('bookings', { where: { outcome: 'noshow' } });
    // @ts-expect-error -- no such value in a list
    rows('bookings', { where: { outcome: ['came', 'noshow'] } });
    // @ts-expect-error -- no such operator
    rows('bookings', { where: { moves: { equals: 1 } } });
    // @ts-expect-error -- a number is compared with numbers
    rows('bookings', { where: { moves: '1' } });
    // @ts-expect-error -- a time has no pattern
    rows('bookings', { where: { start_time: { like: '2026*' } } });
    // @ts-expect-error -- a day is a text
    rows('bookings', { where: { start_day: new Date() } });
    // @ts-expect-error -- only a flag is true
    rows('bookings', { where: { moves: { is: true } } });
    // @ts-expect-error -- JSON is not compared
    rows('bookings', { where: { hosts: 'a' } });
    // @ts-expect-error -- nor sorted
    rows('bookings', { order: ['hosts'] });
    // @ts-expect-error -- no such column
    rows('bookings', { select: ['uri', 'start'] });
    // @ts-expect-error -- no number
    rows('bookings', { select: ['sum(host_name)'] });
    // @ts-expect-error -- groups are sorted by what they have
    rows('bookings', { select: ['host_name', 'count()'], order: ['start_time'] });
    // @ts-expect-error -- no such direction
    rows('bookings', { order: ['start_time.down'] });
    // @ts-expect-error -- within a group, too
    rows('bookings', { where: { or: [{ moves: 1 }, { outcom: 'came' }] } });
    // @ts-expect-error -- a column that was not chosen
    void chosen.all().then(([first]) => first?.start_time);
    // @ts-expect-error -- of a count, nothing is chosen
    void count('bookings', { select: ['uri'] });
  };
  expect(refused).toBeTypeOf('function');
});
