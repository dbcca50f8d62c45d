// `npm run bench -- [NAME…] [--quick] [--json]` runs the benchmarks one after another and compares each figure with its limit.
// `npm run bench -- [NAME…] --against COMMIT [--rounds N] [--json]` compares this tree with another commit instead: it checks
// that commit out into a temporary worktree, runs both by turns (three rounds by default) and prints per figure
// the medians, the spread and the ratio. It judges no limit.
import { parseArgs } from 'node:util';
import { renderTable } from '#src/cli/terminal.ts';
import { ack } from './ack.ts';
import { compare, comparisonTable } from './against.ts';
import { door } from './door.ts';
import { embedded } from './embedded.ts';
import { growth } from './growth.ts';
import { idle } from './idle.ts';
import { live } from './live.ts';
import { holds, type Figure, type Measurement } from './measure.ts';
import { memory } from './memory.ts';
import { peersBench } from './peers/peers.ts';
import { project } from './project.ts';
import { reads } from './reads.ts';
import { rebuilding } from './rebuild.ts';
import { search } from './search.ts';
import { startup } from './startup.ts';
import { steady } from './steady.ts';
import { visible } from './visible.ts';

const measurements: readonly Measurement[] = [
  startup,
  ack,
  project,
  visible,
  live,
  steady,
  growth,
  memory,
  embedded,
  idle,
  rebuilding,
  reads,
  search,
  door,
  peersBench,
];

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    against: { type: 'string' },
    rounds: { type: 'string', default: '3' },
  },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !measurements.some((one) => one.name === name));
if (unknown.length > 0)
  throw new Error(
    `There is no benchmark ${unknown.join(', ')}; there are ${measurements.map(({ name }) => name).join(', ')}.`,
  );
const chosen = measurements.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

if (values.against === undefined) await judge();
else await compareWith(values.against);

async function judge(): Promise<void> {
  const figures: Figure[] = [];
  for (const { name, about, run } of chosen) {
    process.stderr.write(`${name}: ${about} …\n`);
    figures.push(...(await run({ quick: values.quick })));
  }
  if (values.json) print(JSON.stringify(figures.map((figure) => ({ ...figure, holds: holds(figure) }))));
  else print(renderTable(['figure', 'value', 'limit', ''], figures.map(figureCells)));
  process.exitCode = figures.every(holds) ? 0 : 1;
}

function figureCells(figure: Figure): readonly string[] {
  return [
    figure.name,
    `${short(figure.value)}${figure.spread ? ` (${figure.spread.map(short).join('–')})` : ''}${figure.unit ? ` ${figure.unit}` : ''}`,
    figure.limit ? figure.limit.join(' ') : '–',
    holds(figure) ? 'holds' : 'MISSED',
  ];
}

function short(value: number): number {
  return Number(value.toPrecision(4));
}

async function compareWith(commit: string): Promise<void> {
  const figures = await compare({ commit, measurements: chosen, rounds: Math.max(1, Number(values.rounds)) });
  print(values.json ? JSON.stringify(figures) : comparisonTable(figures, commit));
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
