// The user that an error about the data folder names, also in a container that runs with a number of its own.
import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { openDataFolder, userName } from '#src/app/disk.ts';

it('is the name of the user of this process', () => {
  expect(() => openDataFolder({ dataDir: '/etc/passwd/folder' })).toThrow(
    `cannot be created by the user ${userInfo().username}`,
  );
});

it('is the number of the user when no name belongs to it', () => {
  const withoutName = () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  expect(userName(withoutName)).toBe(String(process.getuid?.()));
});
