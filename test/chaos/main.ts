// `npm run chaos`: runs the scenarios, prints a line for each, and writes docs/proof/chaos.md after a run of all of them.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lineOf, withResults, type NotRun, type SuiteRun } from './report.ts';
import type { Row, Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const usage = `Usage: npm run chaos -- [options] [part of a name …]

Runs an installation under load, injects one fault per row, and compares log and rows with an independent model.
Without names it runs all rows and writes docs/proof/chaos.md.

  --seed <n>    the same deliveries and choices as in an earlier run (default: from the time)
  --runs <n>    complete runs one after another, each with its own seed (default 1)
  --jobs <n>    rows at the same time (default 1)
  --json        one JSON object per row
  --list        names the rows
`;

const { values, positionals } = readOptions();

function readOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        seed: { type: 'string', default: String((Math.floor(Date.now() / 1000) % 1_000_000) + 1) },
        runs: { type: 'string', default: '1' },
        jobs: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return misused(error instanceof Error ? error.message : String(error));
  }
}

function misused(message: string): never {
  process.stderr.write(`${message}\n\n${usage}`);
  process.exit(2);
}

function wholeNumber(option: 'seed' | 'runs' | 'jobs'): number {
  const text = values[option];
  return /^[1-9]\d{0,8}$/.test(text)
    ? Number(text)
    : misused(`--${option} ${text}: it must be a whole number, at least 1.`);
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
  const waiting = chosen.map((scenario, at) => ({ scenario, at }));
  const timeLeft = (): string => {
    const done = rows.length + notRun.length + failed.length;
    const minutes = ((Date.now() - begunMs) / done) * (chosen.length - done) * (1 / 60_000);
    return `${done}/${chosen.length}, about ${Math.ceil(minutes)} min left`;
  };
  const runOne = async (scenario: Scenario, seed: number): Promise<void> => {
    const { name, on } = scenario;
    const reason = await scenario.obstacle();
    if (reason !== undefined) {
      notRun.push({ name, on, reason });
      say(values.json ? JSON.stringify({ name, on, notRun: reason }) : `– ${name} (${on}): not run, ${reason}`);
      return;
    }
    try {
      const row = await scenario.run(seed);
      rows.push(row);
      const { outputs, ...printed } = row;
      say(values.json ? JSON.stringify(printed) : `${lineOf(row)}  (${timeLeft()})`);
      if (row.failures.length > 0) say(`  Logs of the processes: ${await saveOutputs(outputs)}`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      failed.push({ name, on, reason });
      const outputs = error instanceof Error ? (error.cause as Row['outputs'] | undefined) : undefined;
      if (outputs) say(`  Logs of the processes: ${await saveOutputs(outputs)}`);
      say(
        values.json ? JSON.stringify({ name, on, seed, error: reason }) : `✗ ${name} (${on}), seed ${seed}: ${reason}`,
      );
    }
  };
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      await runOne(next.scenario, positionals.length === 0 ? seed + next.at : seed);
  };
  await Promise.all(Array.from({ length: jobs }, lane));
  const order = new Map(chosen.map(({ name, on }, at) => [`${name} ${on}`, at]));
  const placeOf = ({ name, on }: { name: string; on: string }): number => order.get(`${name} ${on}`) ?? 0;
  return {
    seed,
    begun: new Date(begunMs).toISOString(),
    minutes: (Date.now() - begunMs) / 60_000,
    jobs,
    rows: rows.toSorted((a, b) => placeOf(a) - placeOf(b)),
    notRun,
    failed,
  };
}

async function saveOutputs(outputs: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slotstream-chaos-failed-'));
  for (const [name, text] of Object.entries(outputs)) await writeFile(join(folder, `${name}.log`), text);
  return folder;
}

const isSound = ({ rows, failed }: SuiteRun): boolean =>
  failed.length === 0 && rows.length > 0 && rows.every(({ failures }) => failures.length === 0);

if (values.help) say(usage);
else if (values.list) for (const { name, on } of chosen) say(`${name} (${on})`);
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
    if (!values.json) say(`\n${passed} passed, ${others}; ${run.minutes.toFixed(1)} minutes, seed ${run.seed}.`);
  }
  if (positionals.length === 0) {
    const page = new URL('../../docs/proof/chaos.md', import.meta.url);
    await writeFile(page, withResults(await readFile(page, 'utf8'), runs));
    if (!values.json) say('Written: docs/proof/chaos.md');
  }
  process.exitCode = runs.every(isSound) ? 0 : 1;
}
