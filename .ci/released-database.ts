// `npm run release:database`: writes a database of this version as SQL, one file per engine, with rows in every table. A test upgrades it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { allEventKinds } from '#schemas/events.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import type { ColumnKind, ColumnKinds, TableShape } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { insertRows } from '#src/store/rows.ts';
import { openStore } from '#src/store/open-store.ts';
import { tables, type NewRow, type TableName } from '#src/store/tables.ts';
import { viewNames } from '#src/store/views/views.ts';
import { ingestParsed } from '#workers/fold/pipeline/ingest.ts';
import { parseBatch } from '#workers/fold/pipeline/parse.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { ingestRecords, type ServiceRecord } from '#workers/sync/records.ts';
import manifest from '../package.json' with { type: 'json' };
import { startPostgres } from '../test/harness/postgres.ts';

const at = '2026-11-17T12:00:00.000000Z';
const base = 'https://api.example.test';
const records: readonly Omit<ServiceRecord, 'observed'>[] = [
  {
    kind: 'custom_field_definition',
    record: { uri: `${base}/contact_custom_fields/1`, label: 'Segment', field_type: 'text' },
  },
  {
    kind: 'organization_membership',
    record: {
      uri: `${base}/organization_memberships/1`,
      role: 'owner',
      user: { uri: `${base}/users/1`, name: 'Sample Host', email: 'host@example.test', timezone: 'UTC' },
      organization: `${base}/organizations/1`,
    },
  },
  { kind: 'routing_form', record: { uri: `${base}/routing_forms/1`, name: 'Sample form', questions: [] } },
];

async function fill(store: Store): Promise<void> {
  const screen = privacyScreen({ eraseOnDelete: false });
  const sample = createSampler(1);
  const deliveries = allEventKinds.map((kind, index) => ({
    body: JSON.stringify(sample(kind, { index, now: new Date(at) })),
    receivedAt: at,
  }));
  await ingestParsed({ store, screen }, parseBatch({ v: 1, deliveries }, at));
  const observed = records.map((each) => ({ ...each, observed: at }));
  await ingestRecords({ store, screen }, observed, { source: 'backfill', now: at });
  await store.refreshViews();
  for (const name of Object.keys(tables) as TableName[]) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(store.db);
    if (rows.length === 0) await store.transaction((unit) => insertRows(unit, name, [exampleOf(name)]));
  }
  await sql`update kysely_migration set timestamp = ${at}`.execute(store.db);
}

/** For the tables that no delivery and no record fills. */
function exampleOf<Name extends TableName>(name: Name): NewRow<Name> {
  const examples: ColumnKinds = {
    text: `sample of ${name}`,
    time: at,
    date: at.slice(0, 10),
    json: {},
    flag: true,
    integer: 1,
    number: 1,
  };
  const { columns }: TableShape = tables[name];
  const row = Object.entries<ColumnKind>(columns).map(([column, kind]) => [column, examples[kind]]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every column of the table, by its kind
  return Object.fromEntries(row) as NewRow<Name>;
}

/** Without our views, which every start installs. */
function sqliteText(path: string): string {
  const database = new Sqlite(path, { readonly: true });
  const entries = database
    .prepare<[], { type: string; name: string; sql: string }>(
      `select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'
        and name not like 'contact_search_texts_%' order by rowid`,
    )
    .all()
    .filter(({ name }) => !viewNames.includes(name));
  // Triggers fill the search of contacts.
  const inserts = entries
    .filter(({ type, name }) => type === 'table' && !name.startsWith('contact_search'))
    .flatMap(({ name }) => {
      const columns = database.pragma(`table_info("${name}")`) as { name: string }[];
      const values = columns.map((column) => `quote("${column.name}")`).join(` || ', ' || `);
      const rows = database.prepare<[], { row: string }>(`select ${values} as row from "${name}" order by 1`).all();
      return rows.map(({ row }) => `insert into "${name}" values (${row})`);
    });
  database.close();
  return `${[...entries.map((entry) => entry.sql), ...inserts].join(';\n')};\n`;
}

function postgresText(url: string): string {
  const excluded = viewNames.map((name) => `--exclude-table=${name}`);
  const options = ['--inserts', '--no-owner', '--no-privileges', '--no-comments', ...excluded];
  // Comments name the versions of the server and of pg_dump; the settings are of a session.
  return execFileSync('pg_dump', [...options, url], { encoding: 'utf8' })
    .replaceAll(/^(--|\\(un)?restrict |SET |SELECT pg_catalog\.set_config).*\n/gm, '')
    .replaceAll(/\n{2,}/g, '\n');
}

async function writeDatabase(engine: string, url: string, text: () => string): Promise<void> {
  const store = await openStore({ report: console.error }, url);
  await fill(store);
  await store.close();
  const folder = join(import.meta.dirname, '../test/src/store/released');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${manifest.version}.${engine}.sql`), text());
}

const folder = mkdtempSync(join(tmpdir(), 'slotstream-released-'));
const file = join(folder, 'mirror.db');
await writeDatabase('sqlite', `sqlite:${file}`, () => sqliteText(file));
rmSync(folder, { recursive: true });
await using server = await startPostgres();
const url = await server.createDatabase();
await writeDatabase('postgres', url, () => postgresText(url));
