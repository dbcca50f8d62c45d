// Compares this tree with another commit: runs the same benchmarks in both by turns, so that whatever else the machine does
// falls on both, and prints medians, spread and ratio per figure.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { renderTable } from '#src/cli/terminal.ts';
import { sharedBodiesVariable } from './deliveries.ts';
import { median, type Figure, type Measurement } from './measure.ts';
import { productTreeVariable, temporaryFolder } from './processes.ts';

const root = join(import.meta.dirname, '..');

export interface Comparison {
  readonly commit: string;
  readonly measurements: readonly Measurement[];
  readonly rounds: number;
}

export interface ComparedFigure {
  readonly name: string;
  readonly unit?: string | undefined;
  readonly here: readonly number[];
  readonly there: readonly number[];
}

export async function compare({ commit, measurements, rounds }: Comparison): Promise<readonly ComparedFigure[]> {
  // A stop signal reaches the running benchmark too; its end lets the worktree be removed.
  process.on('SIGINT', () => {}).on('SIGTERM', () => {});
  using bodies = temporaryFolder();
  using there = checkOut(commit);
  const found = new Map<string, { here: number[]; there: number[]; unit: string | undefined }>();
  const run = async (measurement: Measurement, tree: string, side: 'here' | 'there'): Promise<void> => {
    for (const { name: figure, value, unit } of await runBench(tree, { measurement, bodies: bodies.path })) {
      const values = found.get(figure) ?? { here: [], there: [], unit };
      values[side].push(value);
      found.set(figure, values);
    }
  };
  for (const measurement of measurements)
    for (let round = 1; round <= rounds; round += 1) {
      process.stderr.write(`${measurement.name}: round ${round} of ${rounds}\n`);
      // This tree first: it writes the deliveries that both trees process.
      await run(measurement, root, 'here');
      await run(measurement, there.path, 'there');
    }
  return [...found].map(([name, values]) => ({ name, ...values }));
}

/** A worktree of a commit, outside the repository. It shares the packages of this tree unless it names others. */
function checkOut(commit: string) {
  const folder = temporaryFolder();
  const path = join(folder.path, 'tree');
  const git = (...args: readonly string[]): unknown => execFileSync('git', args, { cwd: root, stdio: 'pipe' });
  git('worktree', 'add', '--detach', path, commit);
  const [ours, theirs] = [root, path].map((tree) => readFileSync(join(tree, 'package-lock.json'), 'utf8'));
  if (ours === theirs) symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
  else execFileSync('npm', ['ci'], { cwd: path, stdio: ['ignore', 'ignore', 'inherit'] });
  return {
    path,
    [Symbol.dispose]() {
      rmSync(join(path, 'node_modules'), { recursive: true, force: true });
      git('worktree', 'remove', '--force', path);
      folder[Symbol.dispose]();
    },
  };
}

async function runBench(
  tree: string,
  { measurement, bodies }: { readonly measurement: Measurement; readonly bodies: string },
): Promise<readonly Figure[]> {
  const { name, drivesProcesses } = measurement;
  // The other commit may not have this benchmark, and need not.
  const product = drivesProcesses === true ? { [productTreeVariable]: tree } : {};
  const child = spawn(process.execPath, ['bench/main.ts', name, '--json'], {
    cwd: drivesProcesses === true ? root : tree,
    env: { ...process.env, [sharedBodiesVariable]: bodies, ...product },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  // 1 means that a figure missed its limit, which is not the question here.
  if (code !== 0 && code !== 1) throw new Error(`the benchmark ${name} failed in ${tree} with exit code ${code}`);
  return JSON.parse(output);
}

export function comparisonTable(figures: readonly ComparedFigure[], commit: string): string {
  return renderTable(
    ['figure', 'this tree: median (min–max)', `${commit}: median (min–max)`, 'ratio this/that (min–max of rounds)'],
    figures.map(({ name, unit, here, there }) => [
      `${name}${unit ? ` ${unit}` : ''}`,
      spread(here),
      spread(there),
      spread(there.length === 0 ? [] : here.map((value, round) => value / (there[round] ?? Number.NaN))),
    ]),
  );
}

function spread(values: readonly number[]): string {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)].map(
    (value) => `${Number(value.toPrecision(3))}`,
  );
  return values.length === 0 ? '–' : `${middle} (${least}–${most})`;
}
