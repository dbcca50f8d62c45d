// A draft is a complete file of its own beside the file that it will replace.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { syncFolder, syncFolderNow, writeDraft } from '#src/base/durable-file.ts';

it('a draft lies beside its target, readable by its owner only, and each one has its own name', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'slotstream-draft-'));
  const target = join(folder.path, 'state.json');
  const drafts = [writeDraft(target, 'one'), writeDraft(target, 'two')];
  expect(drafts.map((path) => readFileSync(path, 'utf8'))).toEqual(['one', 'two']);
  expect(drafts.map(dirname)).toEqual([folder.path, folder.path]);
  expect(drafts.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(readdirSync(folder.path)).toHaveLength(2);
  syncFolderNow(folder.path);
  await syncFolder(folder.path);
});

it('a draft that cannot be written leaves nothing behind', () => {
  expect(() => writeDraft(join(tmpdir(), 'slotstream-no-such-folder', 'x'), 'text')).toThrow('ENOENT');
});
