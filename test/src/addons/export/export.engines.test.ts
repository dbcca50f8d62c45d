// Exports from each engine, read back by a reader that knows nothing of us: the file says what the table says.
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeTracking } from '#src/addons/export/change-tracking.ts';
import type { ExportRequest } from '#src/addons/export/export.ts';
import type { ColumnKind } from '#src/store/columns.ts';
import type { TableName } from '#src/store/schema/tables.ts';
import { shapeOfView, viewNames } from '#src/store/views/views.ts';
import { parquetTypes, query } from '../../../harness/duckdb.ts';
import { exportFolder, formats, rowsIn, sortedRows, type ExportFolder } from '../../../harness/mirror/export-folder.ts';
import { openedOnce } from '../../../harness/opened.ts';
import {
  columnKindsOf,
  emptyTables,
  ingestBodies,
  listNames,
  rowsOf,
  oneEngine,
  availableEngines,
  type MirroredName,
} from '../../../harness/stores.ts';

const exported = [...(Object.keys(changeTracking) as TableName[]), ...listNames];

const hostile = [
  '=HYPERLINK("https://evil.test","x")',
  '+1',
  '-1+2',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '  =1',
  '＝1',
  "'=1",
  "''=1",
  "'plain",
  '',
  ' ',
  ' padded ',
  'a,b;"c"\r\n"d"',
  '"',
  'null',
  'NULL',
  '\\N',
  '\uFFFD',
  '🐎👩‍👩‍👧 \u202eRTL\u202c \u200b\ufeff é e\u0301 \uE000 \u{10FFFF}',
  '\u0001\u001b[2J\u007f\u2028',
];
/** As long as a delivery may be: once in each is enough. */
const long = ['x'.repeat(1_000_000), '"\n'.repeat(250_000)];
const times = [
  '0001-01-01T00:00:00.000001Z',
  '1969-12-31T23:59:59.999999Z',
  '2025-04-14T11:42:33.123456Z',
  '2255-06-05T23:47:34.740993Z',
  '9999-12-31T23:59:59.999999Z',
];
const numbers = [0, 0.1, -0.000001, 1234.56, 1e15, 9007199254740991, 1.5e300, 5e-324];
const integers = [0, 1, -1, 2147483648, 9007199254740991, -9007199254740991];

const contact = (n: number, payload: object) =>
  delivery('contact.updated', { uri: `https://api.example.test/contacts/${n}`, ...payload });
const delivery = (event: string, payload: object) =>
  JSON.stringify({ event, created_at: '2025-04-14T11:43:10.000001Z', payload });

function hostileWorld(): string[] {
  const contacts = hostile.map((text, n) =>
    contact(n, {
      name: text,
      company: text,
      city: n % 2 ? null : text,
      emails: [{ email: `${n}${text}`, is_primary: n % 2 === 0 }],
      custom_fields: [
        { uri: 'https://api.example.test/fields/1', label: text, value: text },
        {
          uri: 'https://api.example.test/fields/2',
          label: 'numbers',
          value: [numbers[n % numbers.length], null, { text }],
        },
        { uri: 'https://api.example.test/fields/3', label: 'minus', value: -5 },
      ],
      created_at: times[n % times.length],
      updated_at: times[(n + 2) % times.length],
    }),
  );
  const invitees = hostile.map((text, n) =>
    delivery(n % 3 ? 'invitee.created' : 'invitee_no_show.created', {
      uri: `https://api.example.test/invitees/${n}`,
      email: text,
      name: text,
      rescheduled: n % 2 === 0,
      questions_and_answers: [{ question: text, answer: text, position: integers[n % integers.length] }],
      payment: { amount: numbers[n % numbers.length], currency: text, successful: n % 2 === 1 },
      event: `https://api.example.test/events/${n}`,
      scheduled_event: { uri: `https://api.example.test/events/${n}`, name: text, start_time: times[n % times.length] },
      no_show: n % 3 ? null : { uri: `https://api.example.test/no-shows/${n}`, created_at: times[n % times.length] },
    }),
  );
  const lengthy = long.map((name, n) => contact(1_000 + n, { name }));
  const unreadable = ['{"event":', delivery('contact.merged', { name: '=1' }), '"\r\n=1"'];
  return [...contacts, ...lengthy, ...invitees, ...unreadable];
}

const duckTypes: Readonly<Record<ColumnKind, string>> = {
  text: 'VARCHAR',
  time: 'TIMESTAMP WITH TIME ZONE',
  date: 'DATE',
  json: 'JSON',
  flag: 'BOOLEAN',
  integer: 'BIGINT',
  number: 'DOUBLE',
};

describe.each(availableEngines)('hostile values in every table of $name', ({ name: engine, fresh }) => {
  // What a format makes of a row does not depend on the engine. Parquet alone has types.
  const tried = engine === 'sqlite' ? formats : formats.filter((format) => format === 'parquet');
  const folder = openedOnce(exportFolder);
  const opened = openedOnce(fresh);
  beforeAll(async () => void (await ingestBodies(opened.store, hostileWorld())));

  it.each(tried)('come back from %s as they are', async (format) => {
    const { store } = opened;
    const filled: MirroredName[] = [];
    for (const name of exported) {
      const rows = await rowsOf(store, name);
      if (rows.length === 0) continue;
      const { file, rows: count } = await folder.write(store, { name, format });
      expect(count).toBe(rows.length);
      expect(sortedRows(await rowsIn({ file, format }, columnKindsOf(name)))).toEqual(sortedRows(rows));
      filled.push(name);
    }
    const lists = ['contact_emails', 'contact_custom_fields', 'invitee_answers'];
    expect(filled).toEqual(expect.arrayContaining(['event_log', 'contacts', 'invitees', 'no_shows', ...lists]));
  });
});

describe.each(availableEngines)('exports from $name', ({ name: engine, fresh }) => {
  const folder = openedOnce(exportFolder);
  const opened = openedOnce(fresh);
  beforeEach(() => emptyTables(opened.store));

  it('a view is exported as it reads, in the order of its key', async () => {
    const { store } = opened;
    await ingestBodies(store, [
      contact(2, { name: 'Bo', updated_at: times[2] }),
      contact(1, { name: 'Ada', updated_at: times[3] }),
      delivery('contact.deleted', { uri: 'https://api.example.test/contacts/3' }),
    ]);
    const request = { name: 'contacts_wide', format: 'ndjson', columns: ['name', 'updated_at'] } as const;
    const { file } = await folder.write(store, request);
    expect(await readFile(file, 'utf8')).toBe(
      `{"name":"Ada","updated_at":"${times[3]}"}\n{"name":"Bo","updated_at":"${times[2]}"}\n`,
    );
  });

  it('more rows than one stretch come each once, also where the key is no column of the file', async () => {
    const { store } = opened;
    const count = 41_000;
    await sql`insert into ${sql.table('users')} (uri, name)
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})
        select 'https://api.example.test/users/' || n, cast(n as text) from numbers`.execute(store.db);
    const { file } = await folder.write(store, { name: 'users', format: 'parquet', columns: ['name'] });
    expect(
      await query(`select count(*)::int as rows, count(distinct name)::int as names from read_parquet('${file}')`),
    ).toEqual([{ rows: count, names: count }]);
  });

  const names = async (request: Parameters<ExportFolder['write']>[1], column = 'uri') => {
    const { file } = await folder.write(opened.store, { ...request, columns: [column] });
    const rows = await rowsIn({ file, format: 'ndjson' }, {});
    return rows.map((row) => String(row[column]).replace(/.*\//, '')).toSorted();
  };

  it('--since takes what was changed, made or deleted at or after it, and children by their parents', async () => {
    await ingestBodies(opened.store, [
      contact(1, { updated_at: '2025-04-01T00:00:00Z', emails: [{ email: 'old@example.test' }] }),
      contact(2, { updated_at: '2025-04-02T00:00:00Z', emails: [{ email: 'at@example.test' }] }),
      contact(3, { created_at: '2025-04-03T00:00:00Z', emails: [{ email: 'made@example.test' }] }),
      contact(4, { created_at: '2025-04-01T00:00:00Z' }),
      contact(5, { updated_at: '2025-04-01T00:00:00Z' }),
      delivery('contact.deleted', { uri: 'https://api.example.test/contacts/5', deleted_at: '2025-04-05T00:00:00Z' }),
    ]);
    const since = '2025-04-02T00:00:00.000000Z';
    expect(await names({ name: 'contacts', format: 'ndjson', since })).toEqual(['2', '3', '5']);
    expect(await names({ name: 'contact_emails', format: 'ndjson', since }, 'email')).toEqual([
      'at@example.test',
      'made@example.test',
    ]);
    expect(await names({ name: 'contacts_wide', format: 'ndjson', since })).toEqual(['2']);
    const log = (microsecond: number) =>
      names({ name: 'event_log', format: 'ndjson', since: `2025-04-14T12:00:00.00000${microsecond}Z` }, 'seq');
    expect([(await log(0)).length, (await log(1)).length]).toEqual([6, 0]);
  });

  it('a reader that stops early leaves the store as usable as before', async () => {
    const { store } = opened;
    await ingestBodies(store, [contact(1, {}), contact(2, {})]);
    for (let n = 0; n < 20; n += 1) {
      for await (const page of store.engine.stream({
        sql: `select uri from ${store.engine.schema}.contacts`,
        parameters: [],
      })) {
        expect(page.length).toBeGreaterThan(0);
        break;
      }
    }
    await ingestBodies(store, [contact(3, {})]);
    expect(await rowsOf(store, 'contacts')).toHaveLength(3);
  });

  // Files and refusals do not depend on the engine.
  if (!oneEngine.some(({ name }) => name === engine)) return;

  it('every table and view, empty, is a readable file with the types of its columns', async () => {
    const { store } = opened;
    for (const name of [...exported, ...viewNames()]) {
      const columns = (await shapeOfView(store, name))?.columns ?? columnKindsOf(name as TableName);
      const { file, rows } = await folder.write(store, { name, format: 'parquet' });
      // The time zone of reports is there from the start.
      expect([name, rows]).toEqual([name, name === 'time_zones' ? 1 : 0]);
      expect(await parquetTypes(file)).toEqual(
        Object.fromEntries(Object.entries(columns).map(([column, kind]) => [column, duckTypes[kind]])),
      );
    }
  });

  it('the examples of docs/exports.md for files run on what was exported', async () => {
    const { store } = opened;
    await ingestBodies(store, [contact(1, { name: '=1', company: 'Example', loyalty_tier: 'gold' })]);
    const parquet = await folder.write(store, { name: 'contacts', format: 'parquet' });
    const csv = await folder.write(store, { name: 'contacts', format: 'csv' });
    const guide = await readFile(new URL('../../../../docs/exports.md', import.meta.url), 'utf8');
    // test/src/addons/object-storage/s3-output.engines.test.ts runs those for object storage.
    const ofFiles = guide.slice(0, guide.indexOf('## Object storage'));
    const examples = [...ofFiles.matchAll(/```sql\n([^`]+)```/g)].flatMap(([, text]) =>
      String(text).trim().split('\n'),
    );
    const rows = [];
    for (const example of examples)
      rows.push(
        await query(
          example.replace('contacts.parquet', parquet.file).replace('contacts.csv', csv.file).replace(';', ''),
        ),
      );
    expect(rows).toMatchObject([
      [{ company: 'Example', 'count_star()': 1n }],
      [{ name: '=1' }],
      [{ name: "'=1", company: 'Example', city: null }],
    ]);
    expect(Object.values(rows[1]?.[0] ?? {})).toEqual(['=1', 'gold']);
  });

  const ofTables =
    /^Did you mean contacts\? There are: alerts, booking_moments, bookings, (?!.*(sync_checkpoints|key_values))/;
  const notIncremental = expect.stringContaining('cannot be exported incrementally: ');
  it.each<[string, Partial<ExportRequest>, object]>([
    ['contakts', {}, { message: expect.stringContaining('"contakts"'), hint: expect.stringMatching(ofTables) }],
    [
      'contacts',
      { columns: ['uri', 'compani'] },
      { hint: expect.stringMatching(/^Did you mean company\? It has: as_of, /) },
    ],
    ['contacts', { columns: ['uri', 'uri'] }, {}],
    ['no_show_rate', { since: '2025-04-14T11:42:33.123456Z' }, {}],
    ['revenue', { incremental: 'x' }, { message: notIncremental }],
    ['alerts', { incremental: 'x' }, { message: notIncremental }],
    ['webhook_subscriptions', { incremental: 'x' }, { message: notIncremental }],
    ['bookings', { incremental: 'x' }, { hint: expect.stringContaining('docs/exports.md#follow-bookings') }],
  ])('what cannot be is said, with what can: %s %j', async (name, more, reason) => {
    const writing = folder.write(opened.store, { name, format: 'csv', ...more });
    await expect(writing).rejects.toMatchObject({ code: 'usage', ...reason });
  });
});
