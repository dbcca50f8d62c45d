// One owner at a time, also within one process. The death of an owner is tested with the embedded queue.
import { mkdtempDisposable, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { takeLock } from '#src/base/process-lock.ts';

it('a lock has one owner until it is released, only its owner can read the file, and it needs its folder', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'slotstream-lock-'));
  const path = join(folder.path, 'x.lock');
  const first = takeLock(path);
  expect(first).toBeDefined();
  expect(takeLock(path)).toBeUndefined();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  first?.release();
  const second = takeLock(path);
  expect(second).toBeDefined();
  second?.release();
  expect(takeLock(join(folder.path, 'no-such-folder', 'x.lock'))).toBeUndefined();
});
