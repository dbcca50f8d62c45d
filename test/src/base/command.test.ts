// Messages name the command by a path: a bare name would be looked up in a public registry by `npx`.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandIn } from '#src/base/command.ts';

const root = join(import.meta.dirname, '../../..');

describe('commandIn', () => {
  it.each([
    ['the folder of the project', root, './bin/slotstream'],
    ['a folder above it', join(root, '..'), `./${join(root, 'bin/slotstream').slice(join(root, '..').length + 1)}`],
    ['a folder inside it', join(root, 'src'), join(root, 'bin/slotstream')],
    ['another folder', '/somewhere/else', join(root, 'bin/slotstream')],
  ])('is a path that works in %s', (_, folder, command) => {
    expect(commandIn(folder)).toBe(command);
  });
});
