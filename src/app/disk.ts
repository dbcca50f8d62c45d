// Which disks the parts of this process write to, and what each part does while its disk is almost full: the queue and the disk log
// accept nothing, and the worker takes no batch.
import { accessSync, constants, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { diskError } from '#src/base/disk-failure.ts';
import { makeFolder } from '#src/base/durable-file.ts';
import { inMegabytes, openDiskSpace, type DiskFolders, type DiskSpace, type FreeBytes } from '#src/base/disk-space.ts';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import type { Config } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';
import { embeddedFolder } from '#src/queue/registry.ts';
import type { Fallback, Health } from '#src/receiver/health.ts';
import { sqliteFile } from '#src/store/open-store.ts';

/** A disk may come back; whose folder it is, a person must change. */
const unusableFolder = (folder: string, what: string, cause: unknown): SlotstreamError =>
  noFolder(folder) ??
  diskError(`DATA_DIR ${folder} cannot be used`, cause) ??
  new SlotstreamError('config', `DATA_DIR ${folder} ${what} (${codeOf(cause)}).`, {
    hint: 'Give the folder to that user (chown), or set DATA_DIR to a folder that the user may write to.',
    cause,
  });

/** The system only says that a file may not be searched. */
const noFolder = (folder: string): SlotstreamError | undefined =>
  statSync(folder, { throwIfNoEntry: false })?.isFile()
    ? new SlotstreamError('config', `DATA_DIR ${folder} is a file, not a folder.`, {
        hint: 'Set DATA_DIR to a folder, or move that file away.',
      })
    : undefined;

/** Creates the data folder, or says why this process cannot use it. */
export function openDataFolder({ dataDir }: Pick<Config, 'dataDir'>): void {
  try {
    makeFolder(dataDir);
  } catch (error) {
    throw unusableFolder(dataDir, `cannot be created by the user ${userName()}`, error);
  }
  requireWritableFolder(dataDir);
}

export function requireWritableFolder(folder: string): void {
  try {
    accessSync(join(folder, '.'), constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusableFolder(folder, `is not a folder that the user ${userName()} may write to`, error);
  }
}

/** A container often runs with a number that no user has. */
export function userName(readUser: () => { readonly username: string } = userInfo): string {
  try {
    return readUser().username;
  } catch {
    return String(process.getuid?.());
  }
}

interface DiskRoles {
  readonly receives: boolean;
  readonly works: boolean;
}

export const diskLogFolder = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'disk-log');

/** The folders that a process of these roles writes to, and its data folder where none of them is in it. */
export function diskFolders(config: Config, { receives, works }: DiskRoles): DiskFolders {
  const { dataDir, databaseUrl, queueUrl } = config;
  const file = works ? sqliteFile(databaseUrl) : undefined;
  const queue = embeddedFolder(queueUrl, dataDir);
  const isUnused = queue === undefined && !receives && (file === undefined || dirname(file) !== dataDir);
  return {
    ...(queue !== undefined && { queue }),
    ...(receives && { disk_log: diskLogFolder(config) }),
    ...(file !== undefined && { store: dirname(file) }),
    ...(isUnused && { data: dataDir }),
  };
}

export function openDisks(
  {
    config,
    log,
    freeBytes,
  }: { readonly config: Config; readonly log: Log; readonly freeBytes?: FreeBytes | undefined },
  roles: DiskRoles,
): DiskSpace {
  return openDiskSpace({
    folders: diskFolders(config, roles),
    minFreeBytes: config.minFreeDiskBytes,
    clock: () => performance.now(),
    ...(freeBytes && { freeBytes }),
    onChange({ part, freeBytes: bytes, hasRoom }) {
      const fields = { part, freeMb: inMegabytes(bytes) };
      if (hasRoom) log.info(fields, 'the disk has room again');
      else
        log.error(
          { ...fields, hint: 'Free disk space.' },
          `the disk is almost full${part === 'data' ? '' : `: the ${part.replace('_', ' ')} is paused`}`,
        );
    },
  });
}

/** Not ready while a disk is almost full; a receiver is only degraded as long as it accepts deliveries. */
export function addDiskHealth(health: Pick<Health, 'add'>, disks: Pick<DiskSpace, 'full'>, accepts?: Fallback): void {
  const check = async (): Promise<void> => {
    if ((await disks.full()).length > 0) throw new SlotstreamError('store_unavailable', 'A disk is almost full.');
  };
  health.add('disk', check, accepts);
}
