// `npm run times`: runs all tests, then prints the processor time of each project and of the test files that take most of it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Reporter } from 'vitest/node';

interface FileTime {
  readonly file: string;
  readonly ownMs: number;
  readonly childrenMs: number;
  readonly wallMs: number;
}

const longest = 40;

/** The file that the tests append their times to. */
export function createTimes(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'slotstream-times-')), 'times.ndjson');
  writeFileSync(path, '');
  return path;
}

export const times = (path: string): Reporter => ({
  onTestRunEnd() {
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    process.stdout.write(timesText(lines.filter(Boolean).map((line) => JSON.parse(line) as FileTime)));
    rmSync(dirname(path), { recursive: true });
  },
});

export function timesText(files: readonly FileTime[]): string {
  const row = (name: string, rows: readonly FileTime[]): string => {
    const sum = (key: 'ownMs' | 'childrenMs' | 'wallMs'): string =>
      (rows.reduce((total, time) => total + time[key], 0) / 1_000).toFixed(1).padStart(9);
    return `${sum('ownMs')}${sum('childrenMs')}${sum('wallMs')}  ${name}\n`;
  };
  const projects = Map.groupBy(files, ({ file }) => projectOf(file));
  const sorted = files.toSorted((a, b) => b.ownMs + b.childrenMs - a.ownMs - a.childrenMs);
  return [
    '\nSeconds of processor time: of the test itself, of processes that it started and that ended; and the time that passed.\n',
    '     test  started   passed\n',
    ...[...projects].map(([project, rows]) => row(`${project}: ${rows.length} files`, rows)),
    row(`all: ${files.length} files`, files),
    '\n',
    ...sorted.slice(0, longest).map((time) => row(time.file, [time])),
  ].join('');
}

const projectOf = (file: string): string => /\.(engines|process)\.test\.ts$/.exec(file)?.[1] ?? 'pure';
