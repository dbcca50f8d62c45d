// The user that an error about the data folder names where it has a number only, as in a container. Others: data-folder.engines.test.ts.
import { expect, it } from 'vitest';
import { userName } from '#src/app/disk.ts';

it('is the number of the user when no name belongs to it', () => {
  const withoutName = () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  expect(userName(withoutName)).toBe(String(process.getuid?.()));
});
