// Where an export goes, in a folder that others may write to, or that we may not read.
import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFileOutput } from '#src/export/output.ts';

const unprivilegedUser = 65_534;
const source = new URL('../../../src/export/output.ts', import.meta.url).href;

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
      await using file = await openFileOutput(path);
      await file.write(Buffer.from('rows'));
      await file.complete();
    }
    expect(await readFile(victim, 'utf8')).toBe('precious');
    expect(await readFile(path, 'utf8')).toBe('rows');
  });

  it('is written to a folder that did not exist', async () => {
    const path = join(folder, 'exports', 'today', 'contacts.csv');
    {
      await using file = await openFileOutput(path);
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
      await using file = await openFileOutput(${JSON.stringify(path)});
      await file.write(Buffer.from('rows'));
      await file.complete();`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    await chmod(folder, 0o700);
    expect([await readdir(folder), await readFile(path, 'utf8')]).toEqual([['contacts.csv'], 'rows']);
  });
});
