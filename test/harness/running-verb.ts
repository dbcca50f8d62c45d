// A verb of the product as a child process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from './children.ts';
import { happened } from './moments.ts';

export type Settings = Readonly<Record<string, string>>;

export type RunningVerb = Omit<Running, 'ended' | 'hasEnded'> & AsyncDisposable;

export interface Running {
  readonly ended: Promise<number | null>;
  readonly input: Writable;
  hasEnded(): boolean;
  out(): string;
  err(): string;
  /** Answers its exit code. */
  signal(name: NodeJS.Signals): Promise<number | null>;
}

export interface Child extends Running {
  readonly process: ChildProcess;
}

/** The built product where there is one, otherwise the sources. */
export const productMain =
  process.env['TEST_PRODUCT'] ?? fileURLToPath(new URL('../../bin/slotstream.js', import.meta.url));

export function spawnMain(args: readonly string[], env: Settings): Child {
  // Away from the repository: no `.env` lying there has a say.
  const child = endWithThisProcess(
    spawn(process.execPath, [productMain, ...args], { env, cwd: tmpdir(), stdio: 'pipe' }),
  );
  // One that has ended reads nothing more.
  child.stdin.on('error', () => {});
  const heard = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      heard[name] += chunk;
      happened();
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  void ended.then(happened);
  return {
    process: child,
    ended,
    input: child.stdin,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    out: () => heard.stdout,
    err: () => heard.stderr,
    signal(name) {
      child.kill(name);
      return ended;
    },
  };
}
