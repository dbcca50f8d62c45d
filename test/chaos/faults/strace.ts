// Makes every fsync of a running process fail with EIO, with strace, or every write to its segments, and counts the failures.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../harness/ports.ts';

export type FailingCalls = Awaited<ReturnType<typeof failCalls>>;

const attachLimitMs = 20_000;
/** More than a receiver opens during a fault: after a failed write it begins the next one. */
const mostSegments = 2_000;

export const failFsync = (pid: number): Promise<FailingCalls> => failCalls(pid, 'fsync,fdatasync');

/** Segments are written with O_DSYNC, so no fsync follows: the write itself fails. `folder` has a folder of segments. */
export async function failSegmentWrites(pid: number, folder: string): Promise<FailingCalls> {
  const [own] = await readdir(folder);
  const names = Array.from({ length: mostSegments }, (_, at) => `${String(at + 1).padStart(10, '0')}.segment`);
  return failCalls(
    pid,
    'write,pwrite64',
    names.map((name) => join(folder, own ?? '', name)),
  );
}

/** With `paths`, only the calls for these files fail. */
async function failCalls(pid: number, calls: string, paths: readonly string[] = []) {
  const only = paths.flatMap((path) => ['-P', path]);
  const args = ['-f', '-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`, ...only, '-p', String(pid)];
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  strace.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const failed = new Promise<never>((_, reject) => strace.once('error', reject));
  const attached = until(
    () => {
      if (strace.exitCode !== null) throw new Error(`strace ended: ${output.slice(-500)}`);
      return output.includes(' attached');
    },
    'strace is attached',
    attachLimitMs,
  );
  await Promise.race([attached, failed]);
  return {
    /** How many calls have failed so far. */
    injected: () => output.split('(INJECTED)').length - 1,
    /** Lets the calls work again. */
    stop: () => detach(strace),
  };
}

async function detach(strace: ChildProcess): Promise<void> {
  if (strace.exitCode !== null || strace.signalCode !== null) return;
  const gone = once(strace, 'close');
  strace.kill('SIGINT');
  await gone;
}

export async function straceObstacle(): Promise<string | undefined> {
  const target = spawn('sleep', ['30'], { stdio: 'ignore' });
  try {
    const failing = await failFsync(target.pid ?? 0);
    await failing.stop();
    return undefined;
  } catch (error) {
    return `strace cannot be attached (${error instanceof Error ? error.message.slice(0, 200) : String(error)})`;
  } finally {
    target.kill();
  }
}

/** Open files of a process of the product, in its data folder or the folder of its store. */
export async function openFiles(pid: number): Promise<number> {
  const descriptors = `/proc/${pid}/fd`;
  const targets = (await readdir(descriptors)).map((each) => readlink(join(descriptors, each)).catch(() => ''));
  return (await Promise.all(targets)).filter((target) => target.startsWith(join(tmpdir(), 'slotstream-'))).length;
}
