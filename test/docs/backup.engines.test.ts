// The first block of docs/backup.md runs in any installation, also in a script that ends at the first failure.
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';

const page = readFileSync(join(import.meta.dirname, '../../docs/backup.md'), 'utf8');
const [, script = ''] = /^```\n([^]*?)^```$/m.exec(page) ?? [];

const hasSqlite = spawnSync('sqlite3', ['--version']).status === 0;
if (!hasSqlite)
  console.warn(
    'No sqlite3 here: that the backup of docs/backup.md runs is skipped. Install sqlite3 (Debian: apt-get install sqlite3).',
  );

const installations: Readonly<Record<string, readonly string[]>> = {
  'keys in files': ['data/signing-keys', 'data/admin-token', '.env'],
  'keys in .env (B12)': ['.env'],
  'keys in files and no .env': ['data/signing-keys', 'data/admin-token'],
  'logins and a disk log': [
    'data/signing-keys',
    'data/admin-token',
    'data/oauth-tokens.json',
    'data/disk-log/0/1',
    '.env',
  ],
};

describe.runIf(hasSqlite)('the backup of docs/backup.md', () => {
  it.each(Object.entries(installations))('copies everything that there is: %s', (_, files) => {
    const folder = mkdtempSync(join(tmpdir(), 'slotstream-backup-'));
    try {
      mkdirSync(join(folder, 'data/disk-log/0'), { recursive: true });
      if (!files.some((path) => path.includes('disk-log'))) rmSync(join(folder, 'data/disk-log'), { recursive: true });
      for (const path of files) writeFileSync(join(folder, path), path);
      using database = opened(join(folder, 'data/mirror.db'));
      database.exec('create table t (x)');
      execFileSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, stdio: 'pipe' });
      const copies = globSync('**/*', { cwd: join(folder, 'backup') }).filter((path) =>
        statSync(join(folder, 'backup', path)).isFile(),
      );
      const expected = files.map((path) => (path === '.env' ? 'env' : path.replace('data/', '')));
      expect(copies.toSorted()).toEqual([...expected, 'mirror.db'].toSorted());
      using copy = opened(join(folder, 'backup/mirror.db'));
      expect(copy.prepare('select name from sqlite_master').pluck().all()).toEqual(['t']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

const opened = (path: string) => {
  const database = new Sqlite(path);
  return Object.assign(database, { [Symbol.dispose]: () => void database.close() });
};
