// A start on a disk that is read-only, full or not there: exit code 1, so that a service manager starts it again when the disk is back.
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { diskObstacle, mountSmallDisk } from '../../chaos/faults/disk.ts';
import { openHome } from '../../harness/product.ts';

const obstacle = await diskObstacle();
if (obstacle !== undefined) console.warn(`Starts on a full and on a read-only disk are skipped: ${obstacle}.`);

const readOnly = async (folder: string) => void (await promisify(execFile)('mount', ['-o', 'remount,ro', folder]));

describe.runIf(obstacle === undefined)('on a disk of its own', () => {
  it.each(['read-only', 'full'] as const)('that is %s, a start names the disk and ends with 1 (B11)', async (state) => {
    await using stack = new AsyncDisposableStack();
    const home = stack.use(await openHome());
    const disk = await mountSmallDisk(stack, 2);
    const existing = join(disk.folder, 'existing');
    mkdirSync(existing);
    if (state === 'full') await disk.fill(0);
    else await readOnly(disk.folder);
    const cause =
      state === 'full'
        ? /: its disk is full \(\w+\)\.\n→ Free disk space\./
        : /: its disk is mounted read-only \(EROFS\)\.\n→ Mount/;
    const elsewhere = { DATA_DIR: home.dataDir };
    const starts = [
      { DATA_DIR: existing, DATABASE_URL: `sqlite:${join(existing, 'mirror.db')}` },
      { DATA_DIR: join(disk.folder, 'new'), DATABASE_URL: `sqlite:${join(disk.folder, 'new', 'mirror.db')}` },
      { ...elsewhere, DATABASE_URL: `sqlite:${join(existing, 'mirror.db')}` },
      { ...elsewhere, DATABASE_URL: `sqlite:${join(disk.folder, 'other', 'mirror.db')}` },
    ];
    for (const settings of starts) {
      const { code, err } = await home.run(['start'], settings);
      expect([settings, code, err]).toEqual([settings, 1, expect.stringMatching(cause)]);
    }
    // The files of the folder itself: who only receives writes no SQLite file.
    const receiver = { DATA_DIR: join(disk.folder, 'receiver'), QUEUE_URL: inject('redisUrl') };
    if (receiver.QUEUE_URL === '') return;
    const { code, err } = await home.run(['receive'], receiver);
    expect([code, err]).toEqual([1, expect.stringMatching(cause)]);
  });
});

describe('a disk that is not mounted', () => {
  it('is named where the data folder would be, and ends with 1 (B11)', async () => {
    await using home = await openHome();
    const link = join(home.dataDir, 'link');
    symlinkSync(join(home.dataDir, 'not-mounted', 'slotstream'), link);
    // In /proc no folder can be created, as below a mount point of autofs.
    for (const folder of [link, '/proc/nope/deeper']) {
      const { code, err } = await home.run(['start'], { DATA_DIR: folder });
      const named = `✗ DATA_DIR ${folder} cannot be used: its disk is not there (ENOENT).\n→ Mount the disk`;
      expect([code, err]).toEqual([1, expect.stringContaining(named)]);
    }
  });

  it('is named where the secrets would be; a missing file beside others is a mistake (B11)', async () => {
    await using home = await openHome();
    const missing = join(home.dataDir, 'not-mounted', 'key');
    const away = await home.run(['start'], { SIGNING_KEYS: '', SIGNING_KEYS_FILE: missing });
    expect([away.code, away.err]).toEqual([
      1,
      expect.stringContaining(
        `✗ SIGNING_KEYS_FILE points to ${missing}, which cannot be read: its disk is not there (ENOENT).`,
      ),
    ]);
    const misspelt = await home.run(['start'], { SIGNING_KEYS: '', SIGNING_KEYS_FILE: join(home.dataDir, 'kye') });
    expect([misspelt.code, misspelt.err]).toEqual([2, expect.stringContaining('points to a file that cannot be read')]);
    const both = await home.run(['start'], { SIGNING_KEYS: '', SIGNING_KEYS_FILE: missing, PORT: 'x' });
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('PORT must be')]);
  });
});

it('a file as DATA_DIR is called one (A29)', async () => {
  await using home = await openHome();
  const file = join(home.dataDir, 'notes.txt');
  writeFileSync(file, 'notes');
  const { code, err } = await home.run(['start'], { DATA_DIR: file });
  expect([code, err]).toEqual([2, expect.stringContaining(`DATA_DIR ${file} is a file, not a folder.`)]);
  expect(err).toContain('Set DATA_DIR to a folder');
});
