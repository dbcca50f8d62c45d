// Processor time and memory of processes, as Linux counts them in /proc.
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in ticks of a hundredth of a second. */
const ticksPerSecond = 100;

/** Seconds of a process, of its children that ended, and of those that run. */
export function cpuSeconds(pid: number): number {
  try {
    const fields = statFields(pid);
    const own = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) / ticksPerSecond;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + cpuSeconds(Number(child)), own);
  } catch {
    // It ended between the two reads; its parent then has its time.
    return 0;
  }
}

export const cpuSecondsOfAll = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);

export const parentOf = (pid: number): number => Number(statFields(pid)[1]);

/** The fields of /proc/PID/stat after the name, which may itself contain spaces. */
function statFields(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Over all threads. `cpuSeconds` is too coarse for an idle process. */
export function idleUsage(pid: number): { readonly cpuSeconds: number; readonly wakeups: number } {
  const usage = { cpuSeconds: 0, wakeups: 0 };
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ');
    const status = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
    usage.cpuSeconds += Number(nanoseconds) / 1e9;
    usage.wakeups += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return usage;
}

export function residentMb(pid: number): number {
  return megabytes(pid, 'VmRSS');
}

/** Reads the most memory that a process ever held, again and again until disposed: afterwards it may have ended. */
export function watchPeak(pid: number): Disposable & { readonly mb: number } {
  let mb = 0;
  const timer = setInterval(() => (mb = Math.max(mb, megabytes(pid, 'VmHWM'))), 100);
  return {
    get mb() {
      return Math.max(mb, megabytes(pid, 'VmHWM'));
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function megabytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
