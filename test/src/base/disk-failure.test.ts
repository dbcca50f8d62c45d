// Which errors are those of a disk, which may come back, and which a person must mend.
import { describe, expect, it } from 'vitest';
import { anyDiskError, diskError } from '#src/base/disk-failure.ts';
import { exitCodeOf } from '#src/base/errors.ts';

const withCode = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });

describe('an error of a disk', () => {
  it.each([
    ['EROFS', 'mounted read-only'],
    ['ENOSPC', 'is full'],
    ['SQLITE_FULL', 'is full'],
    ['SQLITE_IOERR_SHMSIZE', 'is full'],
    ['EDQUOT', 'quota'],
    ['EIO', 'has failed'],
    ['SQLITE_IOERR_READ', 'has failed'],
    ['ENOENT', 'is not there'],
    ['ENOTCONN', 'is not there'],
    ['ESTALE', 'is not there'],
  ])('%s says what is wrong, and ends with exit code 1, so that a service manager tries again (B11)', (code, cause) => {
    const error = diskError('DATA_DIR /data cannot be used', withCode(code));
    expect(error?.message).toMatch(
      new RegExp(`^DATA_DIR /data cannot be used: its disk .*${cause}.*\\(${code}\\)\\.$`),
    );
    expect(error?.hint).toMatch(/\.$/);
    expect(exitCodeOf(error)).toBe(1);
  });

  it.each(['EACCES', 'EPERM', 'ENOTDIR', 'EISDIR', 'SQLITE_NOTADB', 'ECONNREFUSED'])('is not %s', (code) => {
    expect(diskError('x', withCode(code))).toBeUndefined();
  });

  it('is known wherever it comes from, with its file; a missing file and a silent server are something else', () => {
    expect(anyDiskError(withCode('ENOSPC', { path: '/data/signing-keys' }))?.message).toBe(
      '/data/signing-keys cannot be read or written: its disk is full (ENOSPC).',
    );
    expect(anyDiskError(withCode('EIO'))?.message).toBe('A file cannot be read or written: its disk has failed (EIO).');
    for (const code of ['ENOENT', 'ETIMEDOUT', 'SQLITE_FULL']) expect(anyDiskError(withCode(code))).toBeUndefined();
  });
});
