// Opening a store: what is refused and how, and what is tried again. Who may read the file: data-folder.engines.test.ts.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { existsSync } from 'node:fs';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, inject, it, vi } from 'vitest';
import { withSchema } from '#src/base/database-schema.ts';
import { isTransient } from '#src/base/errors.ts';
import { openStore, retryContention } from '#src/store/open-store.ts';
import { createDatabase } from '../../harness/postgres.ts';
import { copyPostgres } from '../../harness/templates.ts';

const asDisposable = (database: Sqlite.Database) =>
  Object.assign(database, { [Symbol.dispose]: () => void database.close() });

const needs = { report: () => {} };
const failure = (url: string): Promise<unknown> =>
  openStore(needs, url).then(
    (store) => store.close(),
    (error: unknown) => error,
  );

describe('opening a store', () => {
  it('says which file cannot be opened, when it is a folder or no database', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'slotstream-store-'));
    const path = join(folder.path, 'poem.db');
    await writeFile(path, 'No database at all, but long enough to have a header that could be looked at. '.repeat(20));
    expect(await failure(`sqlite:${path}`)).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(path) as string,
    });
    expect(await failure(`sqlite:${folder.path}`)).toMatchObject({ code: 'store_unavailable' });
  });

  it('refuses a SQLite file with tables of another program, and leaves it as it is (A28)', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'slotstream-store-'));
    const path = join(folder.path, 'crm.db');
    {
      using crm = asDisposable(new Sqlite(path));
      crm.exec('create table contacts (id integer); create table notes (text text)');
    }
    const hint = `Use a file of its own: DATABASE_URL=sqlite:${join(folder.path, 'slotstream.db')}`;
    const message = `The SQLite file ${path} has a table "contacts" that Slotstream did not make.`;
    expect(await failure(`sqlite:${path}`)).toMatchObject({ code: 'store_unavailable', message, hint });
    using crm = asDisposable(new Sqlite(path));
    expect(crm.prepare('select name from sqlite_master').pluck().all()).toEqual(['contacts', 'notes']);
    const [, copied = ''] = /DATABASE_URL=(.*)/.exec(hint) ?? [];
    expect(await failure(copied)).toBeUndefined();
  });

  it('makes the folder of a SQLite file, but not the folders above it (A30)', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'slotstream-store-'));
    expect(await failure(`sqlite:${join(folder.path, 'new', 'mirror.db')}`)).toBeUndefined();
    const missing = join(folder.path, 'nope');
    expect(await failure(`sqlite:${join(missing, 'dir', 'mirror.db')}`)).toMatchObject({
      message: expect.stringContaining(`there is no folder ${missing}.`),
      hint: expect.stringContaining(`mkdir -p ${join(missing, 'dir')}`),
    });
    expect(existsSync(missing)).toBe(false);
  });

  it('names a host that does not exist (A29)', async () => {
    const error = await failure('postgres://someone:sesame@db.invalid/mirror');
    expect(error).toMatchObject({
      message: expect.stringMatching(/host of DATABASE_URL, db\.invalid, is not known \((ENOTFOUND|EAI_AGAIN)\)/),
    });
    expect(String(error)).not.toContain('sesame');
  });

  it.runIf(inject('postgresUrl'))('succeeds while another process replaces views', async () => {
    const url = await copyPostgres();
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    let isOpening = true;
    const replacing = (async () => {
      for (let column = 0; isOpening; column += 1) {
        await other.query('drop view if exists replaced');
        await other.query(`create view replaced as select 1 as "column ${column}"`);
      }
    })();
    for (let round = 0; round < 3; round += 1) await (await openStore(needs, url)).close();
    isOpening = false;
    await replacing;
    await other.end();
  });

  it('fails as transient when no PostgreSQL answers, without the password in the message', async () => {
    const error = await failure('postgres://someone:sesame@127.0.0.1:1/mirror');
    expect(isTransient(error)).toBe(true);
    expect(String(error)).not.toContain('sesame');
    expect(String(error)).toContain('ECONNREFUSED 127.0.0.1:1');
  });

  it.runIf(inject('postgresUrl'))(
    'names a database or a user that PostgreSQL does not know, and how to fix it',
    async () => {
      const missing = new URL(inject('postgresUrl'));
      missing.pathname = '/missing_mirror';
      expect(await failure(missing.href)).toMatchObject({
        message: 'PostgreSQL has no database called "missing_mirror" (3D000).',
        hint: expect.stringContaining('createdb missing_mirror') as string,
      });
      const unknown = new URL(inject('postgresUrl'));
      unknown.username = 'nobody_known';
      unknown.password = 'sesame';
      const error = await failure(unknown.href);
      expect(error).toMatchObject({
        message: expect.stringMatching(/^PostgreSQL does not let the user "nobody_known" in: .*\(28/) as string,
        hint: expect.stringContaining('create the user') as string,
      });
      expect(String(error)).not.toContain('sesame');
    },
  );

  // As PgBouncer 1.18 answered.
  it.each([
    ['unsupported startup parameter: options', 'ignore_startup_parameters = options'],
    ['no such database: crm', '[databases]'],
    ['transaction blocks not allowed in statement pooling mode', 'pool_mode = transaction'],
    ['SASL authentication failed', 'the password in DATABASE_URL'],
    ['login rejected', 'auth_type'],
    ['no more connections allowed (max_client_conn)', 'max_client_conn'],
    ['something else', 'the log of PgBouncer'],
  ])('says what PgBouncer answered, with the hint that fits: %s (S8)', async (answer, hint) => {
    const fields = `SFATAL\0C08P01\0M${answer}\0\0`;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(fields.length + 4);
    const server = createServer((socket) => {
      socket
        .on('error', () => {})
        .once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)])));
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const error = await failure(`postgres://ada@127.0.0.1:${Object(server.address()).port}/crm`);
      expect(error).toMatchObject({
        message: `DATABASE_URL seems to lead to PgBouncer, which refuses the connection: ${answer} (08P01).`,
        hint: expect.stringContaining(hint) as string,
      });
    } finally {
      server.close();
    }
  });

  it.runIf(inject('postgresUrl'))(
    'names the right that a user of PostgreSQL lacks in order to create the tables, and how to give it',
    async () => {
      const server = new pg.Client({ connectionString: inject('postgresUrl') });
      await server.connect();
      await server.query(`do $$ begin create role without_tables login; exception when duplicate_object then end $$`);
      await server.end();
      const url = new URL(await createDatabase(inject('postgresUrl')));
      url.username = 'without_tables';
      expect(await failure(withSchema(url.href, 'public'))).toMatchObject({
        message: 'PostgreSQL does not let the user of DATABASE_URL create tables (42501).',
        hint: expect.stringContaining('grant create on schema') as string,
      });
    },
  );
});

describe('a transaction that met a conflict', () => {
  /** Attempts that fail with this code, each of which takes a minute; answers how many there were. */
  async function slowAttempts(code: string): Promise<number> {
    let attempts = 0;
    using _clock = vi.spyOn(performance, 'now').mockImplementation(() => attempts * 60_000);
    const work = async (): Promise<void> => {
      attempts += 1;
      throw Object.assign(new Error('conflict'), { code });
    };
    await expect(retryContention(work)).rejects.toThrow('conflict');
    return attempts;
  }

  it('is tried three times, however long that takes; one that waited for a lock in vain is not', async () => {
    expect(await slowAttempts('40001')).toBe(3);
    expect(await slowAttempts('55P03')).toBe(1);
  });
});
