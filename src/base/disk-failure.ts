// Why a disk cannot be used, in words, and what helps. These causes end without a change of the settings, so a process that stopped for one
// of them is started again; whose folder it is, and whether it is one, is for a person to correct.
import { codeOf, SlotstreamError } from './errors.ts';

const missing = ['its disk is not there', 'Mount the disk, or start what mounts it.'] as const;
const faulty = [
  'its disk has failed',
  'Look for errors of the disk in the log of the kernel (dmesg), and replace or repair it.',
] as const;
const full = ['its disk is full', 'Free disk space.'] as const;

const causes: Readonly<Record<string, readonly [cause: string, hint: string]>> = {
  EROFS: [
    'its disk is mounted read-only',
    'Mount it writable. Linux turns a disk read-only after an error: look in the log of the kernel (dmesg).',
  ],
  ENOSPC: full,
  EDQUOT: ['its disk quota is used up', 'Free disk space, or raise the quota.'],
  SQLITE_FULL: full,
  SQLITE_IOERR_SHMSIZE: full,
  EIO: faulty,
  EUCLEAN: faulty,
  // A path that nothing stands at: our own folders are created, so only a mount, or what a link points to, is missing.
  ENOENT: missing,
  ENODEV: missing,
  ENXIO: missing,
  // Network disks whose server, or FUSE disks whose process, has gone.
  ESTALE: missing,
  ENOTCONN: missing,
  EHOSTDOWN: missing,
  ETIMEDOUT: missing,
};

const causeOf = (code: string) => causes[code] ?? (code.startsWith('SQLITE_IOERR') ? faulty : undefined);

/** An error that says what cannot be done (`… cannot be opened`) and why; undefined for an error that is not one of the disk. */
export function diskError(what: string, error: unknown): SlotstreamError | undefined {
  const code = codeOf(error);
  const [cause, hint] = causeOf(code) ?? [];
  if (cause === undefined || hint === undefined) return undefined;
  return new SlotstreamError('disk_unavailable', `${what}: ${cause} (${code}).`, { hint, cause: error });
}

/** The same for an error of any call: a missing file and a silent server have nothing to do with a disk. */
export function anyDiskError(error: unknown): SlotstreamError | undefined {
  if (!/^(EROFS|ENOSPC|EDQUOT|EIO|EUCLEAN)$/.test(codeOf(error))) return undefined;
  const path = error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : 'A file';
  return diskError(`${path} cannot be read or written`, error);
}
