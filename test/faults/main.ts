// `npm run faults`: injects faults into an installation, prints what each view reports, and writes docs/proof/faults.md after a run of all.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeRunnableBundle } from '../../.ci/bundle.ts';
import { observe, waitUntilWell, wrongViews, type Row } from './observe.ts';
import { lineOf, minutesSince, withResults } from './page.ts';
import { groups } from './rows.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false } },
});
// The processes that were started end with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const isChosen = ({ name }: { readonly name: string }): boolean =>
  positionals.length === 0 || positionals.some((part) => name.includes(part));
const chosen = groups.map((group) => group.filter(isChosen)).filter((group) => group.length > 0);

if (values.list) for (const { name } of chosen.flat()) print(name);
else if (chosen.length === 0) {
  print(`No fault has this in its name: ${positionals.join(', ')}.\n→ npm run faults -- --list names the faults.`);
  process.exitCode = 2;
} else await run();

async function run(): Promise<void> {
  const begunMs = Date.now();
  const rows: Row[] = [];
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'slotstream-faults-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  // Commands run all the time: the bundle takes half of the processor time. What starts the product reads the variable once.
  process.env['TEST_PRODUCT'] ??= await writeRunnableBundle(join(folder, 'product'));
  const { openInstallation } = await import('./installation.ts');
  const installation = await openInstallation(resources);
  let earlier = (await waitUntilWell(installation, [])).remaining;
  for (const group of chosen) {
    const found = await observe(installation, group, group.some(({ name }) => name === 'none') ? [] : earlier);
    for (const row of found) print(lineOf(row));
    rows.push(...found);
    earlier = found[0]?.remaining ?? [];
  }
  print(`${rows.length} faults in ${minutesSince(begunMs)} minutes.`);
  if (positionals.length === 0) {
    const page = new URL('../../docs/proof/faults.md', import.meta.url);
    await writeFile(page, withResults(await readFile(page, 'utf8'), begunMs, rows));
    print('Written: docs/proof/faults.md');
  }
  if (rows.every((row) => wrongViews(row).length === 0)) return;
  process.exitCode = 1;
  const logs = await mkdtemp(join(tmpdir(), 'slotstream-faults-logs-'));
  for (const [name, text] of Object.entries(installation.outputs())) await writeFile(join(logs, `${name}.log`), text);
  print(`Logs of the processes: ${logs}`);
}
