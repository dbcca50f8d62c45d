// Checks of this machine: misspelt settings, files that others can read, the data folder, signing keys, damaged files of the
// disk log and the embedded queue.
import { slotstream } from '#src/base/command.ts';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { diskLogFolder, requireWritableFolder } from '#src/app/disk.ts';
import { damagedPrefix } from '#src/base/durable-file.ts';
import { pollPeriodMs } from '#src/config/polling.ts';
import { embeddedFolder } from '#src/queue/registry.ts';
import { openKeyRing } from '#src/signing/key-ring.ts';
import type { Check } from './check.ts';

/** `checkKeys` reports ALLOW_UNSIGNED, as a problem. */
export const checkSettings: Check = async ({ config }, report) => {
  for (const warning of config.warnings.filter((text) => !text.startsWith('ALLOW_UNSIGNED')))
    report.warning('settings', warning, 'Correct the name, or remove the variable, and restart.');
};

/** A folder that does not exist yet is created by the first start. A group may read it, as that of a backup. */
export const checkDataFolder: Check = async ({ config: { dataDir } }, report) => {
  if (!existsSync(dataDir)) return;
  requireWritableFolder(dataDir);
  if (await isOpenToOthers(dataDir))
    report.warning('data folder', `Every user of this machine can read ${dataDir}.`, `chmod 700 ${dataDir}`);
};

/** Its settings may have come from elsewhere; it holds secrets all the same. */
export const checkEnvFile: Check = async (_needs, report) => {
  if (await isOpenToOthers('.env'))
    report.warning('.env', `Every user of this machine can read ${resolve('.env')}.`, `chmod 600 ${resolve('.env')}`);
};

async function isOpenToOthers(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats !== undefined && (stats.mode & 0o007) !== 0;
}

export const checkKeys: Check = async ({ config, now }, report) => {
  const { keys, allowUnsigned } = config.signing;
  if (keys === undefined && pollPeriodMs(config) !== undefined) return;
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

export const checkDamagedFiles: Check = async ({ config }, report) => {
  const folders = { 'disk log': diskLogFolder(config), queue: embeddedFolder(config.queueUrl, config.dataDir) };
  for (const [name, folder = ''] of Object.entries(folders)) {
    // Without a folder, nothing was ever written there.
    const files = await readdir(folder).catch(() => []);
    const damaged = files.filter((file) => file.startsWith(damagedPrefix) && !/-(wal|shm)$/.test(file));
    if (damaged.length === 0) continue;
    report.problem(
      name,
      `${damaged.length} damaged ${damaged.length === 1 ? 'file' : 'files'} (${damaged.toSorted()[0]}); deliveries in them may be lost.`,
      `${slotstream} reconcile --repair, then rm ${join(folder, `${damagedPrefix}*`)}`,
    );
  }
};
