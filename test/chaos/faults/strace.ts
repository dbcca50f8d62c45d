// Makes every fsync of a running process fail with EIO, with strace, and counts the failures.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../harness/ports.ts';

export interface FailingFsync {
  /** How many calls have failed so far. */
  injected(): number;
  /** Lets fsync work again. */
  stop(): Promise<void>;
}

const calls = 'fsync,fdatasync';
const attachLimitMs = 20_000;

export async function failFsync(pid: number): Promise<FailingFsync> {
  const args = ['-f', '-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`, '-p', String(pid)];
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
    injected: () => output.split('(INJECTED)').length - 1,
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
