// Measures each test file for `npm run times`: its processor time, that of the processes which it started and which have ended, and the time
// that passed, in seconds.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { afterAll, expect } from 'vitest';

/** What Linux counts in, in milliseconds. */
const tickMs = 10;

/** Of this process without its children, or of this thread. */
function ownMs(): number {
  const { user, system } = isMainThread ? process.cpuUsage() : process.threadCpuUsage();
  return (user + system) / 1_000;
}

function childrenMs(): number {
  if (!isMainThread) return 0;
  // The fields after the name of the program, which may contain spaces: cutime and cstime are the 14th and 15th of them.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * tickMs;
}

const begun = { own: ownMs(), children: childrenMs(), at: performance.now() };

afterAll(() => {
  const times = [ownMs() - begun.own, childrenMs() - begun.children, performance.now() - begun.at];
  const columns = times.map((ms) => (ms / 1_000).toFixed(1).padStart(9)).join('');
  mkdirSync('build', { recursive: true });
  appendFileSync('build/times.txt', `${columns}  ${relative(process.cwd(), expect.getState().testPath ?? '')}\n`);
});
