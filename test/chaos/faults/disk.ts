// A small disk of its own (a tmpfs) that a scenario can fill and clear.
import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { succeeds } from '../../harness/ports.ts';

export type SmallDisk = Awaited<ReturnType<typeof mountSmallDisk>>;

const run = promisify(execFile);
export const megabyte = 1024 ** 2;
const topUpMs = 100;

export async function mountSmallDisk(resources: AsyncDisposableStack, megabytes: number) {
  const folder = await mkdtemp(join(tmpdir(), 'slotstream-chaos-disk-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder]);
  resources.defer(async () => void (await run('umount', ['--lazy', folder])));
  const filler = join(folder, 'filler');
  const clearing = new AbortController();
  let filling: Promise<void> | undefined;
  resources.defer(() => clearing.abort());

  const freeBytes = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };
  /** Leaves so many bytes free. */
  const fill = async (leaveBytes: number): Promise<void> => {
    await using file = await open(filler, 'a');
    try {
      for (let room = await freeBytes(); room > leaveBytes; room = await freeBytes())
        await file.appendFile(Buffer.alloc(Math.min(room - leaveBytes, megabyte)));
    } catch (error) {
      if (!isFull(error)) throw error;
    }
  };
  return {
    folder,
    freeBytes,
    fill,
    /** Takes every byte, and takes again what the processes release, until `clear`. */
    fillUp(): void {
      const topUp = async (): Promise<void> => {
        for (; !clearing.signal.aborted; await sleep(topUpMs)) await fill(0);
      };
      filling = topUp();
    },
    async clear(): Promise<void> {
      clearing.abort();
      await filling;
      await rm(filler, { force: true });
    },
  };
}

const isFull = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOSPC';

export async function diskObstacle(): Promise<string | undefined> {
  await using resources = new AsyncDisposableStack();
  const isMounted = await succeeds(mountSmallDisk(resources, 1));
  return isMounted ? undefined : 'a tmpfs cannot be mounted (root only)';
}
