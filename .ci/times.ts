// `npm run times`, after the tests: their processor time, by kind of test and by file, the longest first.
import { readFileSync } from 'node:fs';

const path = 'build/times.txt';
const longest = 40;

const lines = readFileSync(path, 'utf8').trim().split('\n');
const files = lines.map((line) => {
  const [own, started, passed, file = ''] = line.trim().split(/\s+/);
  return { file, own: Number(own), started: Number(started), passed: Number(passed) };
});

function say(name: string, rows: typeof files): void {
  const sumOf = (key: 'own' | 'started' | 'passed') =>
    rows
      .reduce((sum, row) => sum + row[key], 0)
      .toFixed(1)
      .padStart(9);
  process.stdout.write(`${sumOf('own')}${sumOf('started')}${sumOf('passed')}  ${name}\n`);
}

process.stdout.write('Seconds of processor time: of the test itself, and of the processes that it started; ');
process.stdout.write('and seconds that passed.\n     test  started   passed\n');
const kinds = Map.groupBy(files, ({ file }) => /\.(engines|process)\.test\.ts$/.exec(file)?.[1] ?? 'pure');
for (const [kind, rows] of [...kinds, ['all', files] as const]) say(`${kind}: ${rows.length} files`, rows);
const sorted = files.toSorted((a, b) => b.own + b.started - a.own - a.started);
for (const row of sorted.slice(0, longest)) say(row.file, [row]);
process.stdout.write(`All files: ${path}\n`);
