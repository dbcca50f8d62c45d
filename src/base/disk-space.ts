// The free space of the disks that a process writes to. Below a limit nothing new is accepted: on a disk without a free byte, even
// the writes that finish or remove something fail.
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** What writes to a disk, and needs room there; `data` is a data folder that no delivery is written to. */
export type DiskPart = 'queue' | 'disk_log' | 'store' | 'data';
export type DiskFolders = Readonly<Partial<Record<DiskPart, string>>>;

/** Free bytes on the disk of a folder; undefined where the disk does not say. */
export type FreeBytes = (folder: string) => Promise<number | undefined>;

export interface LowDisk {
  readonly part: DiskPart;
  readonly freeBytes: number;
}

export interface DiskSpace {
  /** False while the disk of the part is almost full. True for parts that write to no disk of this machine. */
  hasRoom(part: DiskPart): Promise<boolean>;
  /** The parts that need room and whose disk is almost full. */
  full(): Promise<readonly LowDisk[]>;
  /** The parts whose disk is getting full: early enough to make room. */
  low(): Promise<readonly LowDisk[]>;
  free(): Promise<readonly LowDisk[]>;
  readonly folders: DiskFolders;
}

export interface DiskSpaceNeeds {
  readonly folders: DiskFolders;
  /** 0 turns the limit off. */
  readonly minFreeBytes: number;
  /** Milliseconds, any origin. */
  clock(): number;
  /** Called when a part runs out of room, and when it has room again. */
  onChange?(change: LowDisk & { readonly hasRoom: boolean }): void;
  readonly freeBytes?: FreeBytes;
}

/** However many deliveries arrive, the disks are asked once a second. */
const cacheMs = 1000;

/** With the default limit of 64 MB, a disk is getting full below 512 MB. */
const lowFactor = 8;
const lowWithoutLimit = 512 * 1024 ** 2;

export const lowBelow = (minFreeBytes: number): number =>
  minFreeBytes === 0 ? lowWithoutLimit : lowFactor * minFreeBytes;

export function openDiskSpace({ folders, minFreeBytes, clock, ...needs }: DiskSpaceNeeds): DiskSpace {
  const { freeBytes = freeBytesOf, onChange } = needs;
  const withoutRoom = new Set<DiskPart>();
  let cached: { readonly at: number; readonly free: Promise<readonly LowDisk[]> } | undefined;

  async function read(): Promise<readonly LowDisk[]> {
    const found: LowDisk[] = [];
    for (const part of partsOf(folders)) {
      const bytes = await freeBytes(folders[part] ?? '');
      if (bytes !== undefined) found.push({ part, freeBytes: bytes });
    }
    for (const one of found) noteChange(one);
    return found;
  }

  function noteChange(one: LowDisk): void {
    const hasRoom = one.freeBytes >= minFreeBytes;
    if (hasRoom !== withoutRoom.has(one.part)) return;
    if (hasRoom) withoutRoom.delete(one.part);
    else withoutRoom.add(one.part);
    onChange?.({ ...one, hasRoom });
  }

  function free(): Promise<readonly LowDisk[]> {
    const now = clock();
    if (!cached || Math.abs(now - cached.at) >= cacheMs) cached = { at: now, free: read() };
    return cached.free;
  }

  const below = async (bytes: number) => (await free()).filter((one) => one.freeBytes < bytes);
  return {
    hasRoom: async (part) => (await below(minFreeBytes)).every((one) => one.part !== part),
    full: async () => (await below(minFreeBytes)).filter(({ part }) => part !== 'data'),
    low: () => below(lowBelow(minFreeBytes)),
    free,
    folders,
  };
}

export const freeBytesOf: FreeBytes = async (folder) => {
  try {
    const { bavail, bsize, blocks } = await statfs(existingFolder(folder));
    // Some network file systems report no size at all.
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    return undefined;
  }
};

/** The folder, or the closest parent that exists: it will be created there. */
export const existingFolder = (path: string): string =>
  existsSync(path) ? path : existingFolder(dirname(resolve(path)));

export const partsOf = (folders: DiskFolders): readonly DiskPart[] =>
  (['queue', 'disk_log', 'store', 'data'] as const).filter((part) => folders[part] !== undefined);

export const inMegabytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);
