// The file of a view is all there is of it: it runs as it is with the tools of the database, and says what the view and its columns mean.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json, StoredColumns } from '#src/store/columns.ts';
import { openStore } from '#src/store/open-store.ts';
import { writeRows } from '#src/store/rows.ts';
import { applySettings } from '#src/store/settings-row.ts';
import { tables } from '#src/store/schema/tables.ts';
import { decodeViewRow, readViews, type View } from '#src/store/views/view.ts';
import { installViews } from '#src/store/views/refresh-views.ts';
import { viewsFor } from '#src/store/views/views.ts';
import { tableTypes } from '../../../../.ci/api-tables.ts';
import { withTables, withViews } from '../../../../.ci/tables-page.ts';
import { withSchema } from '#src/base/database-schema.ts';
import { fillReadWorld } from '../../../harness/data/read-world.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { availableEngines, freshPostgres, storeEngines, testWith, type TestStore } from '../../../harness/stores.ts';

const folder = join(import.meta.dirname, '../../../../src/store/views');
const views = readViews(folder);
const pathOf = (name: string, engine: string): string =>
  join(folder, readdirSync(folder).includes(`${name}.sql`) ? `${name}.sql` : `${name}.${engine}.sql`);

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/** The lines that the tool of the engine prints for a file, without an order; undefined where it is not installed. */
function printed({ url, store }: TestStore, file: string): readonly string[] | undefined {
  // As docs/views.md says: with the schema of the mirror on the search path.
  const env = { ...process.env, PGOPTIONS: '-c search_path=slotstream' };
  const options = { encoding: 'utf8', maxBuffer: 1e8, env } as const;
  if (store.engine.name === 'postgres')
    return isInstalled('psql')
      ? linesOf(execFileSync('psql', ['-X', '--csv', '-v', 'ON_ERROR_STOP=1', '-f', file, url], options))
      : undefined;
  const arguments_ = ['-bail', '-csv', '-header', url.slice('sqlite:'.length)];
  return isInstalled('sqlite3')
    ? linesOf(execFileSync('sqlite3', arguments_, { ...options, input: readFileSync(file) }))
    : undefined;
}

const linesOf = (text: string): readonly string[] => text.replaceAll('\r', '').trimEnd().split('\n').toSorted();

/** Rows of a text, through the driver. */
async function rowsOf({ store }: TestStore, text: string): Promise<readonly string[]> {
  const { rows } = await store.db.executeQuery(CompiledQuery.raw(text));
  return rows.map((row) => JSON.stringify(row)).toSorted();
}

/** Lists and items of lists as no one should send them. */
const oddItems: readonly Json[] = [
  null,
  'text',
  '{',
  1.5,
  [],
  {},
  { position: 3, question_uuid: 'é', question: 'Your name', answer: ' É ' },
  { position: '3', question_uuid: 5, question: null, answer: ['a'] },
  { answer: 'Ada@Example.test', uri: 'https://f/1', label: 7, value: null, user: 'https://u/1', email: 5 },
];
const oddLists: readonly Json[] = [null, 'text', '[', {}, [], oddItems];

async function fillWithBoundaries(store: TestStore['store']): Promise<void> {
  await fillReadWorld(store);
  await store.transaction(async (unit) => {
    const rows = oddLists.map((list, n) => ({ uri: `odd/${n}`, list }));
    await writeRows(
      unit,
      'contacts',
      rows.map(({ uri, list }) => ({ uri, custom_fields: list })),
    );
    await writeRows(
      unit,
      'invitees',
      rows.map(({ uri, list }) => ({ uri, questions_and_answers: list })),
    );
    await writeRows(
      unit,
      'routing_form_submissions',
      rows.map(({ uri, list }) => ({ uri, questions_and_answers: list, result_type: 'event_type' })),
    );
    await writeRows(
      unit,
      'scheduled_events',
      rows.map(({ uri, list }) => ({ uri, hosts: list, guests: list })),
    );
  });
}

describe.each(availableEngines)('the file of each view on $name', ({ name: engine, fresh }) => {
  const opened = openedOnce(fresh);
  beforeAll(() => fillWithBoundaries(opened.store));
  const asks = mkdtempSync(join(tmpdir(), 'slotstream-views-'));

  // Without `psql` or `sqlite3` on the machine, the driver runs the text of the file.
  it.each(views.map(({ name }) => name))('%s runs as it is, and finds the rows of the installed view', async (name) => {
    const ask = join(asks, `${name}.sql`);
    writeFileSync(ask, `select * from ${name};\n`);
    const file = pathOf(name, engine);
    for (const zone of ['Australia/Lord_Howe', null]) {
      if (zone !== null) await applySettings(opened.store, { reportTimezone: zone }, '2025-01-01T00:00:00.000000Z');
      // As before the first worker.
      else
        await sql`update ${sql.table('mirror_settings')} set settled_at = null, report_timezone = null`.execute(
          opened.store.db,
        );
      const rows = printed(opened, file) ?? (await rowsOf(opened, readFileSync(file, 'utf8')));
      expect(rows.length).toBeGreaterThan(1);
      expect(rows).toEqual(printed(opened, ask) ?? (await rowsOf(opened, readFileSync(ask, 'utf8'))));
    }
  });
});

describe('the files of views', () => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  const bare = (file: string): string =>
    readFileSync(join(folder, file), 'utf8')
      .replaceAll(/'(?:[^']|'')*'|--.*/g, (found) => (found.startsWith('-') ? '' : "''"))
      .trim();

  it.each(files)('%s is one select, whose tables have no schema', (file) => {
    const text = bare(file);
    expect(text).toMatch(/^(?:select|with|\()/);
    expect(text.indexOf(';')).toBe(text.length - 1);
    expect(text).not.toMatch(/\b(?:from|join) \w+\.\w+/);
  });

  it('say what the view means once: beside one for SQLite, that for PostgreSQL says it', () => {
    for (const file of files.filter((each) => each.endsWith('.sqlite.sql'))) {
      const other = file.replace('.sqlite.', '.postgres.');
      expect(files).toContain(other);
      expect(readFileSync(join(folder, file), 'utf8').split('\n').slice(0, 2)).toEqual([
        `-- What this view and its columns mean is said in ${other}.`,
        '',
      ]);
    }
  });

  it('name columns of theirs as the key, columns of tables as the same, and each value in the meaning', () => {
    const targets = Object.entries(tables).flatMap(([table, { columns }]) =>
      Object.keys(columns).map((column) => `${table}.${column}`),
    );
    for (const { name, key, since, columns } of views) {
      const named = [...key, ...(since ? [since] : [])].filter((column) => !(column in columns));
      expect({ name, named }).toEqual({ name, named: [] });
      for (const { about, joins, oneOf = [] } of Object.values(columns)) {
        if (joins !== undefined) expect(targets).toContain(joins);
        for (const value of oneOf) expect(about).toContain(`\`${value}\``);
      }
    }
  });
});

describe('a file that does not say what its view means', () => {
  const meaning = '-- One row per thing.\n-- Key: uri.\n--\n-- uri (text): its URI\n\nselect 1;\n';
  const read = (files: Readonly<Record<string, string>>): readonly View[] => {
    const place = mkdtempSync(join(tmpdir(), 'slotstream-views-'));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text);
    return readViews(place);
  };

  it('is refused, with what is missing', () => {
    expect(read({ 'things.sql': meaning, 'notes.txt': '' })).toMatchObject([{ name: 'things', key: ['uri'] }]);
    expect(() => read({ 'things.sql': 'select 1;\n' })).toThrow('The view things begins with what a row is');
    expect(() => read({ 'things.postgres.sql': meaning })).toThrow('no things.sqlite.sql');
    for (const column of ['uri (string): its URI', 'uri: its URI', 'uri (text, holds secrets): its URI'])
      expect(() => read({ 'things.sql': meaning.replace('uri (text): its URI', column) })).toThrow(`not: ${column}`);
  });
});

const planted = `-- One row per thing that is
-- planted.
-- Key: uri. Since: seen_at.
--
-- uri (text, joins contacts.uri): URI of the thing
-- state (text, one of big small): \`big\` or
--   \`small\`
-- owner (text, holds person): whose it is
-- note (json, holds text): what was said
-- seen_at (time): when it was seen

-- Not part of the meaning.
select uri, case when name is null then 'small' else 'big' end as state, name as owner, emails as note, created_at as seen_at
from contacts;
`;

describe.each(availableEngines)('a new view on $name', ({ fresh }) => {
  const it = testWith(fresh);
  const place = mkdtempSync(join(tmpdir(), 'slotstream-views-'));
  writeFileSync(join(place, 'planted.sql'), planted);
  const all = [...views, ...readViews(place)];

  it('is one file: it is installed, and in the comments, the documentation and the types', async ({ store }) => {
    const wanted = (columns: Parameters<typeof viewsFor>[0]) => viewsFor(columns, all);
    expect(await installViews(store, wanted)).toEqual([]);
    await store.transaction((unit) => writeRows(unit, 'contacts', [{ uri: 'c/1', name: 'Ada', emails: [1] }]));
    const [view] = wanted([]).filter(({ name }) => name === 'planted') as [View];
    const { rows } = await sql<StoredColumns>`select * from ${sql.id(store.engine.schema, 'planted')}`.execute(
      store.db,
    );
    expect(rows.map((row) => decodeViewRow(store.engine, view.columns, row))).toEqual([
      { uri: 'c/1', state: 'big', owner: 'Ada', note: [1], seen_at: null },
    ]);
    expect(view.columns['owner']).toEqual({ kind: 'text', about: 'whose it is', holds: 'person' });
    if (store.engine.name === 'postgres') {
      const { rows: comments } = await sql`select col_description(attrelid, attnum) as comment from pg_attribute
        where attrelid = 'slotstream.planted'::regclass and attnum in (1, 2) order by attnum`.execute(store.db);
      expect(comments).toEqual([{ comment: 'URI of the thing (contacts.uri)' }, { comment: '`big` or `small`' }]);
    }
    const page = (name: string) => readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8');
    expect(withTables(page('tables.md'), { views: wanted([]) })).toContain(
      '| [`planted`](views.md#planted) | One row per thing',
    );
    expect(withViews(page('views.md'), wanted([]))).toContain(`## planted

One row per thing that is planted. Key: \`uri\`.

| column | kind | meaning |
|---|---|---|
| \`uri\` | text | URI of the thing → \`contacts.uri\` |
| \`state\` | text | \`big\` or \`small\` |
| \`owner\` | text, holds person | whose it is |
| \`note\` | json, holds text | what was said |
| \`seen_at\` | time | when it was seen |

\`\`\`sql
select * from planted limit 20;
\`\`\`
`);
    expect(tableTypes({ wanted: wanted([]) })).toContain("  state: 'big' | 'small' | null;");
  });
});

describe.runIf(storeEngines[1].available)('a view on PostgreSQL', () => {
  const it = testWith(freshPostgres);

  it('reads the tables of its mirror, whatever else is on the search path', async ({ opened }) => {
    const url = withSchema(opened.url, 'own');
    await using own = await openStore({ report: () => {} }, url);
    await own.transaction((unit) => writeRows(unit, 'contacts', [{ uri: 'c/own' }]));
    await sql`drop view ${sql.table('contacts_wide')}`.execute(own.db);
    await sql`comment on view ${sql.table('people')} is 'Kept by Slotstream (0123456789abcdef).'`.execute(own.db);
    expect(await own.refreshViews()).toEqual([]);
    const { rows } = await sql`select uri from own.contacts_wide union all select person from own.people`.execute(
      opened.store.db,
    );
    expect(rows).toEqual([{ uri: 'c/own' }, { uri: 'c/own' }]);
  });
});
