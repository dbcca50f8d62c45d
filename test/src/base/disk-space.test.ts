// Free disk space: when a part may write, and what is reported.
import { mkdtempSync, rmSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freeBytesOf, openDiskSpace, type DiskFolders } from '#src/base/disk-space.ts';

const mb = 1024 ** 2;

function scene({ folders = { queue: '/a', store: '/b' } as DiskFolders, minFreeBytes = 64 * mb } = {}) {
  const free = new Map<string, number | undefined>(Object.values(folders).map((folder) => [folder, 1000 * mb]));
  const changes: string[] = [];
  const state = { nowMs: 0 };
  const disks = openDiskSpace({
    folders,
    minFreeBytes,
    clock: () => state.nowMs,
    onChange: ({ part, hasRoom }) => void changes.push(`${part} ${hasRoom}`),
    freeBytes: async (folder) => free.get(folder),
  });
  return { disks, free, changes, state };
}

it('a part has room until its own disk is below the limit, and again when it is above', async () => {
  const { disks, free, changes, state } = scene();
  expect([await disks.hasRoom('queue'), await disks.full()]).toEqual([true, []]);
  free.set('/a', 64 * mb - 1);
  state.nowMs += 1000;
  expect([await disks.hasRoom('queue'), await disks.hasRoom('store')]).toEqual([false, true]);
  expect(await disks.full()).toEqual([{ part: 'queue', freeBytes: 64 * mb - 1 }]);
  free.set('/a', 64 * mb);
  state.nowMs += 1000;
  expect(await disks.hasRoom('queue')).toBe(true);
  expect(changes).toEqual(['queue false', 'queue true']);
});

it('a disk is getting full long before the limit', async () => {
  const { disks, free } = scene();
  free.set('/b', 511 * mb);
  expect(await disks.low()).toEqual([{ part: 'store', freeBytes: 511 * mb }]);
  expect(await disks.full()).toEqual([]);
});

it('a part without a folder, a disk that does not say, and a limit of 0 always have room', async () => {
  const { disks, free } = scene();
  free.set('/a', undefined);
  expect([await disks.hasRoom('disk_log'), await disks.hasRoom('queue')]).toEqual([true, true]);
  const without = scene({ minFreeBytes: 0 });
  without.free.set('/a', 0);
  expect(await without.disks.hasRoom('queue')).toBe(true);
  expect(await without.disks.low()).toEqual([{ part: 'queue', freeBytes: 0 }]);
});

it('a folder that does not exist yet has the free space of its closest parent', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slotstream-disk-'));
  try {
    const { bavail, bsize } = await statfs(folder);
    const free = (await freeBytesOf(join(folder, 'not', 'there', 'yet'))) ?? 0;
    expect(free / (bavail * bsize)).toBeCloseTo(1, 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
