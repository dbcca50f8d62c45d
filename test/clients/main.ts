// `npm run clients`: installs clients of the service that others wrote, runs the first day of each on the sandbox in both forms and on a
// mirror, prints what worked, and writes it down after a run of all. It fails when something does not work that worked in the run before.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createMirror } from '#src/library/mirror.ts';
import { startSandbox } from '#src/library/sandbox.ts';
import { conformancePage, readRows } from '../../.ci/conformance-page.ts';
import { endWithThisProcess } from '../harness/children.ts';
import { freePort } from '../harness/ports.ts';
import { callbackEvents, type Client, knownCallbackUrl, operationNames } from './client.ts';
import type { Report } from './day-child.ts';
import { client as kashew } from './drivers/kashew.ts';
import { client as mcp } from './drivers/mcp.ts';
import { client as n8n } from './drivers/n8n.ts';
import { client as nodeCalendly } from './drivers/node-calendly.ts';
import { client as pipedream } from './drivers/pipedream.ts';
import { install, nameOf, versionOf } from './install.ts';
import { type ClientResults, type Place, places } from './results.ts';

const clients: Readonly<{ [driver: string]: Client }> = { 'node-calendly': nodeCalendly, kashew, n8n, pipedream, mcp };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  // `--from NAME=FILE.tgz`: a package from a file, where the registry does not have it.
  options: { from: { type: 'string', multiple: true, default: [] } },
});
const replaced = new Map(values.from.map((each) => each.split('=') as [string, string]));
const chosen = Object.entries(clients).filter(([driver]) => positionals.length === 0 || positionals.includes(driver));
const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface Target {
  readonly place: Place;
  readonly url: string;
  readonly token: string;
  readonly organization: string;
  /** Of the service, also where the clients ask the mirror. */
  readonly serviceToken: string;
}

await using resources = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), 'slotstream-clients-'));
resources.defer(() => rm(folder, { recursive: true, force: true }));
const targets = await openTargets();

/** A mirror lists its own subscriptions only: not those of other programs. */
const own = await ownSubscriptions();
const found: ClientResults['clients'][number][] = [];
for (const [driver, client] of chosen) {
  const [first = ''] = client.packages;
  const name = nameOf(first);
  const home = join(folder, driver);
  try {
    await install(client, home, replaced);
  } catch (error) {
    const missing = / (E?\d{3}|404 Not Found)/.exec(String(error))?.[1] ?? String(error).split('\n', 1)[0] ?? '';
    found.push({ name, version: first.slice(name.length + 1), source: 'registry', missing, operations: {} });
    print(`${name}: not installed (${missing})`);
    continue;
  }
  const operations: { [operation: string]: { [place: string]: string } } = {};
  const earlier = new Map<string, readonly string[]>();
  for (const target of targets)
    for (const report of await runDay(driver, home, target)) {
      const verdict = judge(report, target, earlier);
      (operations[report.operation] ??= {})[target.place] = verdict;
      print(`${name}  ${report.operation}  ${target.place}: ${verdict}`);
    }
  const source = replaced.has(name) ? 'file' : 'registry';
  found.push({ name, version: await versionOf(home, name), source, operations: inOrder(operations) });
}

/** What worked in the run before, and does not now. */
const before = JSON.parse(await readFile(new URL('results.json', import.meta.url), 'utf8')) as ClientResults;
const broken = before.clients.flatMap(({ name, operations }) => {
  const now = found.find((client) => client.name === name && client.missing === undefined);
  return Object.entries(now ? operations : {}).flatMap(([operation, verdicts]) =>
    Object.keys(verdicts).flatMap((place) =>
      verdicts[place] === 'worked' && now?.operations[operation]?.[place] !== 'worked'
        ? [`${name}  ${operation}  ${place}: ${now?.operations[operation]?.[place] ?? 'not reached'}`]
        : [],
    ),
  );
});
if (broken.length > 0) {
  print(['Worked in the run before, and does not now:', ...broken].join('\n'));
  process.exitCode = 1;
}

if (positionals.length === 0) {
  const date = new Date().toISOString().slice(0, 10);
  const results: ClientResults = { date, node: process.versions.node, clients: found };
  await writeFile(new URL('results.json', import.meta.url), `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile('docs/proof/conformance.md', conformancePage(readRows('test/conformance'), results));
  print('Written: docs/proof/conformance.md');
}

async function openTargets(): Promise<readonly Target[]> {
  const asPublic = resources.use(await startSandbox({ as: 'public' }));
  const asSpecified = resources.use(await startSandbox({ as: 'specification' }));
  for (const sandbox of [asPublic, asSpecified]) await subscribe(sandbox);
  const [port, adminPort] = [await freePort(), await freePort()];
  const token = 'a token of programs that read';
  const mirror = resources.use(
    await createMirror({
      apiBaseUrl: asPublic.url,
      apiToken: asPublic.token,
      dataDir: join(folder, 'mirror'),
      host: '127.0.0.1',
      port,
      publicUrl: `http://127.0.0.1:${port}`,
      adminPort,
      adminReadToken: token,
      minFreeDiskMb: 0,
      register: true,
    }),
  );
  await mirror.backfill();
  const [first, second, third] = places;
  const targetOf = (place: Place, sandbox: typeof asPublic): Target => ({
    place,
    url: sandbox.url,
    token: sandbox.token,
    organization: sandbox.organization,
    serviceToken: sandbox.token,
  });
  return [
    targetOf(first, asPublic),
    targetOf(second, asSpecified),
    { ...targetOf(third, asPublic), url: `http://127.0.0.1:${adminPort}/api`, token },
  ];
}

/** A subscription that is there before the mirror and the clients look. */
async function subscribe({ url, token, organization }: Awaited<ReturnType<typeof startSandbox>>): Promise<void> {
  const answer = await fetch(`${url}/webhook_subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: knownCallbackUrl, events: callbackEvents, organization, scope: 'organization' }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

async function ownSubscriptions(): Promise<readonly string[]> {
  const [service] = targets;
  if (service === undefined) return [];
  const asked = new URLSearchParams({ organization: service.organization, scope: 'organization', count: '100' });
  const answer = await fetch(`${service.url}/webhook_subscriptions?${asked}`, {
    headers: { authorization: `Bearer ${service.token}` },
  });
  const { collection } = (await answer.json()) as {
    collection: readonly { readonly uri: string; readonly callback_url: string }[];
  };
  return collection.filter(({ callback_url: to }) => to !== knownCallbackUrl).map(({ uri }) => uri);
}

async function runDay(driver: string, home: string, target: Target): Promise<readonly Report[]> {
  const { place, url: BASE_URL, token: TOKEN, organization: ORGANIZATION, serviceToken: SERVICE_TOKEN } = target;
  const isMirror = place === 'mirror';
  const child = endWithThisProcess(
    fork(join(import.meta.dirname, 'day-child.ts'), {
      execArgv: ['--import', join(import.meta.dirname, 'service-address.ts')],
      env: {
        DRIVER: driver,
        FOLDER: home,
        BASE_URL,
        TOKEN,
        ORGANIZATION,
        SERVICE_TOKEN,
        ...(isMirror && { READS_ONLY: 'yes' }),
      },
      cwd: home,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      timeout: 120_000,
    }),
  );
  const reports: Report[] = [];
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.on('message', (report) => reports.push(report as Report));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return reports;
  // What it did not come to is not in the table: the last one that it came to says why.
  const reason = errors.split('\n').find((line) => line.includes('Error')) ?? errors.slice(0, 300);
  const operation = operationNames[reports.length] ?? 'delete';
  return [...reports, { operation, error: `the client ended with ${code}: ${reason}` }];
}

/** `earlier` is what the same client read from the service that the mirror mirrors. */
function judge(
  { operation, uris = [], missing = [], error }: Report,
  { place }: Target,
  earlier: Map<string, readonly string[]>,
): string {
  if (error !== undefined) return `failed: ${error}`;
  const [first, , mirror] = places;
  if (place === first) earlier.set(operation, uris);
  if (uris.length === 0) return 'failed: it read nothing';
  if (operation === 'delete') return missing.length === uris.length ? 'worked' : 'failed: it is still there';
  if (missing.length > 0) return `failed: the service does not have ${missing[0]}`;
  const expected = earlier.get(operation)?.filter((uri) => operation !== 'list webhooks' || own.includes(uri));
  if (place === mirror && String(uris) !== String(expected))
    return `failed: ${uris.length} records, ${expected?.length} at the service, or in another order`;
  return 'worked';
}

function inOrder<Found>(operations: Readonly<{ [operation: string]: Found }>): { [operation: string]: Found } {
  return Object.fromEntries(
    operationNames.flatMap((name) => (operations[name] === undefined ? [] : [[name, operations[name]]])),
  );
}
