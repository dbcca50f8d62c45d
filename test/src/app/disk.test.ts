// The data folder of a process whose user has no name, as in a container that runs with a number of its own.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openDataFolder } from '#src/app/disk.ts';

vi.mock('node:os', async (original) => ({
  ...(await original<object>()),
  userInfo: () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  },
}));

it('is created', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slotstream-'));
  try {
    openDataFolder({ dataDir: join(folder, 'data') });
    expect(statSync(join(folder, 'data')).isDirectory()).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('is named with the number of the user when it cannot be used', () => {
  expect(() => openDataFolder({ dataDir: '/etc/passwd/folder' })).toThrow(
    `cannot be created by the user ${process.getuid?.()}`,
  );
});
