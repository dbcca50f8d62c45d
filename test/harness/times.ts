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
    const lines = readFileSync(path, 'utf8').trim().split('\n').filter(Boolean);
    const files = lines.map((line) => JSON.parse(line) as FileTime);
    const say = (name: string, rows: readonly FileTime[]): void => {
      const sums = (['ownMs', 'childrenMs', 'wallMs'] as const).map((key) =>
        (rows.reduce((total, time) => total + time[key], 0) / 1_000).toFixed(1).padStart(9),
      );
      process.stdout.write(`${sums.join('')}  ${name}\n`);
    };
    process.stdout.write(
      '\nSeconds of processor time: of the test itself, of processes that it started and that ended; and the time that passed.\n     test  started   passed\n',
    );
    const projects = Map.groupBy(files, ({ file }) => /\.(engines|process)\.test\.ts$/.exec(file)?.[1] ?? 'pure');
    for (const [project, rows] of [...projects, ['all', files] as const]) say(`${project}: ${rows.length} files`, rows);
    const sorted = files.toSorted((a, b) => b.ownMs + b.childrenMs - a.ownMs - a.childrenMs);
    for (const time of sorted.slice(0, longest)) say(time.file, [time]);
    rmSync(dirname(path), { recursive: true });
  },
});
