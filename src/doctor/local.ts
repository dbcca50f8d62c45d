// Checks of this machine: signing keys, free disk space, damaged files of the spool and the journal.
import { existsSync } from 'node:fs';
import { readdir, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { damagedPrefix } from '#src/receiver/segments/segment-folders.ts';
import { openKeyRing } from '#src/signing/key-ring.ts';
import type { Check } from './check.ts';

export const checkKeys: Check = async ({ config, now }, report) => {
  const { keys, allowUnsigned } = config.signing;
  if (allowUnsigned)
    return report.problem(
      'signing key',
      'ALLOW_UNSIGNED accepts deliveries from anyone.',
      'Set SIGNING_KEYS, remove ALLOW_UNSIGNED and restart the receiver.',
    );
  const ring = openKeyRing({ keys, dataDir: config.dataDir, generate: false, allowUnsigned });
  if (ring.warnings.length > 0)
    return ring.warnings.forEach((text) =>
      report.warning('signing key', `${text}.`, 'Set SIGNING_KEYS to 32 random bytes: openssl rand -base64 32'),
    );
  const count = ring.keysAt(now().getTime()).length;
  return report.ok(
    'signing key',
    `${count} ${count === 1 ? 'key verifies' : 'keys verify'} deliveries, from the ${ring.source}.`,
  );
};

const minFreeBytes = 512 * 1024 ** 2;

export const checkDisk: Check = async ({ config }, report) => {
  const { bavail, bsize } = await statfs(existingFolder(resolve(config.dataDir)));
  const free = bavail * bsize;
  const message = `${Math.round(free / 1024 ** 2)} MB free for ${config.dataDir}.`;
  if (free >= minFreeBytes) return report.ok('disk', message);
  return report.problem('disk', message, 'Free disk space, or move DATA_DIR to a larger disk.');
};

/** The folder, or the closest parent that exists: it will be created there. */
const existingFolder = (path: string): string => (existsSync(path) ? path : existingFolder(dirname(path)));

export const checkSegments: Check = async ({ config }, report) => {
  for (const name of ['spool', 'journal']) {
    const folder = join(config.dataDir, name);
    // Without a folder, nothing was ever written there.
    const files = await readdir(folder).catch(() => []);
    const damaged = files.filter((file) => file.startsWith(damagedPrefix));
    if (damaged.length === 0) continue;
    report.problem(
      name,
      `${damaged.length} damaged ${damaged.length === 1 ? 'file' : 'files'} (${damaged.toSorted()[0]}); deliveries in them may be lost.`,
      `npx slotstream spool recover, then npx slotstream reconcile --repair, then delete what is left: rm ${join(folder, `${damagedPrefix}*`)}`,
    );
  }
};
