// `slotstream export` as a person runs it: files, mistakes, and being stopped.
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '#src/store/open-store.ts';
import { hostedMeeting } from '../../../harness/data/attended-meetings.ts';
import { query } from '../../../harness/duckdb.ts';
import { openHome } from '../../../harness/product.ts';
import { until } from '../../../harness/ports.ts';
import { ingestBodies } from '../../../harness/stores.ts';
import { openedOnce } from '../../../harness/opened.ts';

const home = openedOnce(() => openHome());
let folder: string;
beforeAll(async () => {
  await using store = await openStore({ report: () => {} }, home.store);
  await ingestBodies(store, [contact('1', 'Ada'), contact('2', '=2+3'), contact('3', 'Zoë')]);
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slotstream-out-'));
});

afterEach(() => rm(folder, { recursive: true }));

const contact = (id: string, name: string) =>
  JSON.stringify({
    event: 'contact.created',
    created_at: '2025-04-14T11:43:10Z',
    payload: {
      uri: `https://api.example.test/contacts/${id}`,
      name,
      updated_at: '2025-04-14T11:43:10.123456Z',
      loyalty_tier: 'gold',
    },
  });
const exporting = (...args: string[]) => home.run(['export', ...args]);

describe('slotstream export', () => {
  it('writes Parquet that DuckDB reads with its types, and reports what it wrote', async () => {
    const file = join(folder, 'contacts.parquet');
    const { code, out, err } = await exporting('contacts', '--format', 'parquet', '--out', file, '--json');
    expect([code, err]).toEqual([0, '']);
    const { size, mode } = await stat(file);
    expect(JSON.parse(out)).toEqual({ table: 'contacts', format: 'parquet', file, rows: 3, bytes: size });
    expect(mode & 0o777).toBe(0o600);
    expect(
      await query(
        `select name, epoch_us(updated_at)::varchar as at, typeof(extra) as extra from read_parquet('${file}') order by uri`,
      ),
    ).toEqual(['Ada', '=2+3', 'Zoë'].map((name) => ({ name, at: '1744630990123456', extra: 'JSON' })));
    expect(await readdir(folder)).toEqual(['contacts.parquet']);
  });

  it('does not replace the database, nor anything else in DATA_DIR (N8)', async () => {
    for (const name of ['mirror.db', 'contacts.csv']) {
      const { code, err } = await exporting('contacts', '--format', 'csv', '--out', join(home.dataDir, name));
      expect([code, err]).toEqual([2, expect.stringContaining(`${name} is in DATA_DIR`)]);
    }
    expect((await exporting('contacts', '--out', '-')).out.split('\r\n')).toHaveLength(5);
  });

  it('makes the folder of its file, but not the folders above it (A30)', async () => {
    const [made, missing] = [join(folder, 'made'), join(folder, 'nope')];
    const failed = await exporting('contacts', '--out', join(missing, 'x', 'contacts.csv'));
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining(`mkdir -p ${join(missing, 'x')}`)]);
    expect(existsSync(missing)).toBe(false);
    expect((await exporting('contacts', '--out', join(made, 'contacts.csv'))).code).toBe(0);
  });

  it('writes rows to standard output, as CSV unless another format is given, and messages to standard error', async () => {
    const { code, out, err } = await exporting('contacts', '--columns', 'name,city', '--out', '-');
    expect([code, out]).toEqual([0, "name,city\r\nAda,\r\n'=2+3,\r\nZoë,\r\n"]);
    expect(err).toBe(
      `1 cell got an apostrophe, so that a spreadsheet runs no formula. --csv raw writes them unchanged.\n3 rows of contacts, ${Buffer.byteLength(out)} bytes, to standard output\n`,
    );
  });

  it('exports rows since a day, a time, or a duration ago', async () => {
    const rows = async (since: string) =>
      (await exporting('contacts', '--columns', 'uri', '--out', '-', '--since', since)).out.split('\r\n').length - 2;
    expect(await rows('2025-04-14')).toBe(3);
    expect(await rows('2025-04-14T13:43:10.123457+02:00')).toBe(0);
    expect(await rows('24h')).toBe(0);
    expect(await rows('99999d')).toBe(3);
  });

  it('replaces an existing file, also through a link; --csv raw writes formulas unchanged', async () => {
    await writeFile(join(folder, 'old.csv'), 'old');
    await symlink(join(folder, 'old.csv'), join(folder, 'link.csv'));
    await exporting('contacts', '--csv', 'raw', '--columns', 'name', '--out', join(folder, 'link.csv'));
    expect(await readFile(join(folder, 'old.csv'), 'utf8')).toBe('name\r\nAda\r\n=2+3\r\nZoë\r\n');
    expect((await stat(join(folder, 'old.csv'))).mode & 0o777).toBe(0o600);
  });

  it.each([
    [['contact', '--format', 'csv', '--out', 'x'], 2, '→ Did you mean contacts? There are: alerts, '],
    [['contacts', '--format', 'xlsx', '--out', 'x'], 2, '--format <format> must be one of csv, ndjson, parquet'],
    [['contacts', '--out', 'contacts.xlsx'], 2, 'end the name with .csv, .ndjson or .parquet'],
    [['contacts', '--out', 'contacts'], 2, 'does not say in which format to write'],
    [['nothing'], 2, '✗ <table-or-view> must be the name of a table or view'],
    [['contacts', '--format', 'csv'], 2, '--out <file> must be the name of a file, or -'],
    [['contacts', '--format', 'parquet', '--out', '-'], 2, 'parquet cannot be written to standard output'],
    [['contacts', '--format', 'csv', '--out', '-', '--since', 'yesterday'], 2, '--since does not accept "yesterday"'],
    [['contacts', '--format', 'csv', '--out', '-', '--since', '1d', '--incremental'], 2, 'cannot be combined'],
    [['contacts', '--format', 'csv', '--out', '-', '--incremental', 'a:b'], 2, 'a name of letters, digits'],
    [['contacts', '--out', '/dev/null/in/all.csv'], 1, '/dev/null/in/all.csv cannot be written (ENOTDIR)'],
    [['contacts', '--csv', 'raw', '--out', 'x.parquet'], 2, '--csv raw has no meaning for parquet'],
    [['contacts', '--format', 'csv', '--out', '/'], 2, '/ is not a regular file'],
  ])('%j is rejected with the reason', async (args, exitCode, reason) => {
    const { code, out, err } = await exporting(...args);
    expect([code, out]).toEqual([exitCode, '']);
    expect(err).toContain(reason);
  });

  it('leaves only the old file when it is stopped', async () => {
    const file = join(folder, 'contacts.parquet');
    await writeFile(file, 'old');
    await using full = await openHome();
    const database = new Sqlite(join(full.dataDir, 'mirror.db'));
    database.pragma('synchronous = OFF');
    database.exec(`insert into contacts (uri, name, extra) with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
      select 'https://api.example.test/contacts/' || i, 'Person ' || i, '{"name":"Person ' || i || '"}' from n`);
    database.close();
    await using running = full.openVerb(['export', 'contacts', '--format', 'parquet', '--out', file]);
    await until(async () => (await readdir(folder)).length === 2, 'a partial file is there');
    expect(await running.signal('SIGINT')).toBe(1);
    expect(running.err()).toContain('Stopped before the export was complete.');
    expect(await readdir(folder)).toEqual(['contacts.parquet']);
    expect(await readFile(file, 'utf8')).toBe('old');
  });

  it('writes bookings with all that the log has, and says a command that does where it cannot follow the log', async () => {
    await using store = await openStore({ report: () => {} }, home.store);
    const { booked, invitee } = hostedMeeting({ name: 'Ada', hosts: ['Grace'], end: '2025-04-14T12:00:00Z' });
    await ingestBodies(store, [booked]);
    const { code, err } = await exporting('bookings', '--incremental', '--out', join(folder, 'bookings.csv'));
    expect(code).toBe(2);
    const [, name = '', file = ''] = /all rows: \S+ export (\S+) --out (\S+)\n/.exec(err) ?? [];
    expect(await exporting(name, '--out', join(folder, file))).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, 'bookings.csv'), 'utf8')).toContain(invitee);
  });
});
