// `npm run chaos`: runs the scenarios, prints a line for each, and writes docs/proof/chaos.md after a run of all of them. That page says
// which options there are.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lineOf, withResults, type NotRun, type SuiteRun } from './report.ts';
import type { Row, Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String((Math.floor(Date.now() / 1000) % 1_000_000) + 1) },
    runs: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    list: { type: 'boolean', default: false },
  },
});

function wholeNumber(option: 'seed' | 'runs' | 'jobs'): number {
  const number = Number(values[option]);
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${option} must be a whole number, at least 1.`);
  return number;
}

// The processes that the suite has started end with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const chosen = scenarios.filter(
  ({ name, on }) => positionals.length === 0 || positionals.some((part) => `${name} ${on}`.includes(part)),
);

async function runAll(seed: number, jobs: number): Promise<SuiteRun> {
  const begunMs = Date.now();
  const rows: Row[] = [];
  const notRun: NotRun[] = [];
  const failed: NotRun[] = [];
  const waiting = chosen.entries();
  const done = (): string => `${rows.length + notRun.length + failed.length}/${chosen.length}`;
  const runOne = async (scenario: Scenario, seed: number): Promise<void> => {
    const { name, on } = scenario;
    const reason = await scenario.obstacle();
    if (reason !== undefined) {
      notRun.push({ name, on, reason });
      return say(`– ${name} (${on}): not run, ${reason}`);
    }
    try {
      const row = await scenario.run(seed);
      rows.push(row);
      say(`${lineOf(row)}  (${done()})`);
      if (row.failures.length > 0) await saveOutputs(row.outputs);
    } catch (error) {
      const { message, cause } = error instanceof Error ? error : new Error(String(error));
      failed.push({ name, on, reason: message });
      say(`✗ ${name} (${on}), seed ${seed}: ${message}`);
      if (cause) await saveOutputs(cause as Row['outputs']);
    }
  };
  const lane = async (): Promise<void> => {
    // All lanes take from one iterator.
    for (const [at, scenario] of waiting) await runOne(scenario, positionals.length === 0 ? seed + at : seed);
  };
  await Promise.all(Array.from({ length: jobs }, lane));
  return {
    seed,
    begun: new Date(begunMs).toISOString(),
    minutes: (Date.now() - begunMs) / 60_000,
    jobs,
    rows: chosen.flatMap(({ name, on }) => rows.filter((row) => row.name === name && row.on === on)),
    notRun,
    failed,
  };
}

async function saveOutputs(outputs: Row['outputs']): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slotstream-chaos-failed-'));
  for (const [name, text] of Object.entries(outputs)) await writeFile(join(folder, `${name}.log`), text);
  say(`  Logs of the processes: ${folder}`);
}

const isSound = ({ rows, failed }: SuiteRun): boolean =>
  failed.length === 0 && rows.length > 0 && rows.every(({ failures }) => failures.length === 0);

if (values.list) for (const { name, on } of chosen) say(`${name} (${on})`);
else if (chosen.length === 0) {
  say(`No row has this in its name: ${positionals.join(', ')}.\n→ npm run chaos -- --list names the rows.`);
  process.exitCode = 2;
} else {
  const [firstSeed, count, jobs] = [wholeNumber('seed'), wholeNumber('runs'), wholeNumber('jobs')];
  const runs: SuiteRun[] = [];
  for (let at = 0; at < count; at += 1) {
    const run = await runAll(firstSeed + at * 1_000, jobs);
    runs.push(run);
    const passed = run.rows.filter(({ failures }) => failures.length === 0).length;
    const others = `${chosen.length - passed - run.notRun.length} failed, ${run.notRun.length} not run`;
    say(`\n${passed} passed, ${others}; ${run.minutes.toFixed(1)} minutes, seed ${run.seed}.`);
  }
  if (positionals.length === 0) {
    const page = new URL('../../docs/proof/chaos.md', import.meta.url);
    await writeFile(page, withResults(await readFile(page, 'utf8'), runs));
    say('Written: docs/proof/chaos.md');
  }
  process.exitCode = runs.every(isSound) ? 0 : 1;
}
