// The data folder: room for what comes in, and no spool file that could not be read.
import { existsSync } from 'node:fs';
import { readdir, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Check } from './check.ts';
import { ill, well } from './finding.ts';

const scarceBytes = 512 * 1024 ** 2;

export const checkDisk: Check = async ({ config }) => {
  const { bavail, bsize } = await statfs(standing(resolve(config.dataDir)));
  const free = bavail * bsize;
  const shown = `${Math.round(free / 1024 ** 2)} MB free for ${config.dataDir}.`;
  return [
    free < scarceBytes ? ill('disk', shown, 'Make room, or move DATA_DIR to a larger disk.') : well('disk', shown),
  ];
};

/** The folder, or before it is made the one it will be made in. */
const standing = (path: string): string => (existsSync(path) ? path : standing(dirname(path)));

export const checkSpool: Check = async ({ config }) => {
  const spool = join(config.dataDir, 'spool');
  // No folder: nothing was ever spooled.
  const files = await readdir(spool).catch(() => []);
  const damaged = files.filter((file) => file.startsWith('damaged-'));
  if (damaged.length === 0) return [];
  return [
    ill(
      'spool',
      `${damaged.length} damaged ${damaged.length === 1 ? 'file is' : 'files are'} kept (${damaged.toSorted()[0]}); deliveries in them may be lost.`,
      `npx slotstream reconcile --repair, then delete them: rm ${join(spool, 'damaged-*')}`,
    ),
  ];
};
