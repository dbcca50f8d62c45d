// Where an export goes, in a folder that others may write to, or that we may not read.
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFileOutput } from '#src/addons/export/output.ts';

const unprivilegedUser = 65_534;
const source = new URL('../../../../src/addons/export/output.ts', import.meta.url).href;

const own = { dataDir: '/nowhere/data' };

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'slotstream-output-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a file that is written', () => {
  it('is never written through a link that another user left at its path', async () => {
    const path = join(folder, 'contacts.csv');
    const victim = join(folder, 'victim');
    await writeFile(victim, 'precious');
    await symlink(victim, `${path}.partial-${process.pid}`);
    {
      await using file = await openFileOutput(path, own);
      await file.write(Buffer.from('rows'));
      await file.complete();
    }
    expect(await readFile(victim, 'utf8')).toBe('precious');
    expect(await readFile(path, 'utf8')).toBe('rows');
  });

  it('is written to a folder that did not exist', async () => {
    // Where the folder above is missing too, the path is probably mistyped (A30).
    await expect(openFileOutput(join(folder, 'exports', 'today', 'contacts.csv'), own)).rejects.toMatchObject({
      code: 'output',
    });
    const path = join(folder, 'exports', 'contacts.csv');
    {
      await using file = await openFileOutput(path, own);
      await file.write(Buffer.from('rows'));
      await file.complete();
    }
    expect(await readFile(path, 'utf8')).toBe('rows');
  });

  it('is written to a folder that is writable but not readable', async () => {
    const path = join(folder, 'contacts.csv');
    // Root may read everything. The child gives its rights up once it has loaded our code: another user may not be allowed to.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await chown(folder, unprivilegedUser, unprivilegedUser);
    await chmod(folder, 0o300);
    const program = `
      const { openFileOutput } = await import(${JSON.stringify(source)});
      if (${isRoot}) {
        process.setgroups([]);
        process.setgid(${unprivilegedUser});
        process.setuid(${unprivilegedUser});
      }
      await using file = await openFileOutput(${JSON.stringify(path)}, ${JSON.stringify(own)});
      await file.write(Buffer.from('rows'));
      await file.complete();`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    await chmod(folder, 0o700);
    expect([await readdir(folder), await readFile(path, 'utf8')]).toEqual([['contacts.csv'], 'rows']);
  });

  it('is never a file that the program runs on, also through links and names that lead there (N8)', async () => {
    const [dataDir, other, linked] = [join(folder, 'data'), join(folder, 'other'), join(folder, 'linked')];
    for (const each of [dataDir, other]) await mkdir(each);
    await symlink(dataDir, linked);
    const database = join(other, 'mirror.db');
    const contents = 'SQLite format 3\0 and pages';
    for (const path of [database, `${database}-wal`, join(folder, 'a.csv'), join(dataDir, 'mirror.db')])
      await writeFile(path, contents);
    await symlink(database, join(folder, 'link.csv'));
    await symlink(join(dataDir, 'mirror.db'), join(folder, 'second.csv'));
    const refused: Readonly<Record<string, string>> = {
      'data/mirror.db': 'is in DATA_DIR',
      'data/new.csv': 'is in DATA_DIR',
      'data/deep/new.csv': 'is in DATA_DIR',
      'linked/new.csv': 'is in DATA_DIR',
      'other/../data/queue/jobs.db': 'is in DATA_DIR',
      'second.csv': 'is in DATA_DIR',
      'other/mirror.db': 'is the database of the mirror',
      'other/mirror.db-wal': 'is the database of the mirror',
      'other/mirror.db-shm': 'is the database of the mirror',
      'link.csv': 'is the database of the mirror',
      'a.csv': 'is a SQLite database',
    };
    for (const [name, message] of Object.entries(refused))
      await expect(openFileOutput(join(folder, name), { dataDir, database })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining(message),
      });
    expect((await readdir(folder, { recursive: true })).filter((name) => name.includes('new'))).toEqual([]);
    expect(await readFile(database, 'utf8')).toBe(contents);
    for (const name of ['database.csv', 'other/b.csv', 'database.csv']) {
      await using file = await openFileOutput(join(folder, name), { dataDir, database });
      await file.write(Buffer.from('rows'));
      await file.complete();
    }
  });
});
