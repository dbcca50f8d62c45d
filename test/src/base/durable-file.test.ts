// Files that are never seen half written, and that survive a power cut.
import { readdirSync, readFileSync, statSync, mkdirSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFile, replaceFile } from '#src/base/durable-file.ts';

it('a file is created once, for its owner only, in a folder that is made where it is missing', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'slotstream-file-'));
  const path = join(folder.path, 'data', 'state.json');
  createFile(path, 'one');
  createFile(path, 'two');
  expect(readFileSync(path, 'utf8')).toBe('one');
  replaceFile(path, 'three');
  expect(readFileSync(path, 'utf8')).toBe('three');
  expect([path, join(path, '..')].map((made) => statSync(made).mode & 0o777)).toEqual([0o600, 0o700]);
  expect(readdirSync(join(path, '..'))).toEqual(['state.json']);
});

it('a file that cannot be written leaves nothing behind', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'slotstream-file-'));
  const path = join(folder.path, 'taken');
  mkdirSync(join(path, 'not-empty'), { recursive: true });
  expect(() => replaceFile(path, 'text')).toThrow('EISDIR');
  expect(readdirSync(folder.path)).toEqual(['taken']);
});
