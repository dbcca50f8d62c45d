// The installation that faults are injected into: engines, the sandbox as the service, two receivers behind a balancer, three workers,
// a recipient of alerts, and a Prometheus with the example rules.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../harness/ports.ts';
import { openCallback, type Callback } from '../harness/sandbox/callback-server.ts';
import { redisAndPostgres, type WithPostgres, type WithRedis } from '../chaos/engines.ts';
import { mountSmallDisk, type SmallDisk } from '../chaos/faults/disk.ts';
import { spawnMain } from '../harness/running-verb.ts';
import { startStack, type CommandResult, type Part } from '../chaos/stack.ts';
import { startPrometheus } from './prometheus.ts';

export interface Installation {
  readonly engines: WithRedis & WithPostgres;
  /** The first of them has no fault of its own: its pages are read. */
  readonly workers: readonly [Part, Part, Part];
  readonly receivers: readonly [Part, Part];
  /** Data folders of the last worker and of the second receiver. */
  readonly disks: { readonly worker: SmallDisk; readonly receiver: SmallDisk };
  readonly recipient: Callback;
  readonly prometheus: string;
  readonly token: string;
  /** Starts a part on its own data folder, also where that is a small disk. */
  start(part: Part): Promise<void>;
  /** Runs a command in the data folder of a part. */
  command(part: Part, args: readonly string[]): Promise<CommandResult>;
  /** A call to the service, or to the controls of the sandbox; answers the body. */
  service(method: string, path: string, body?: unknown): Promise<unknown>;
  outputs(): Readonly<Record<string, string>>;
}

/** docs/proof/faults.md names these three. */
const shortened = { WATCH_EVERY: '5s', ALERT_GRACE: '0' };
const scrapeSeconds = 5;
const activitiesPerSecond = 3;

/** More than is needed before it counts as filling, with the default MIN_FREE_DISK_MB. */
const diskMegabytes = 700;
const metricsToken = 'the-token-of-prometheus';

export async function openInstallation(resources: AsyncDisposableStack): Promise<Installation> {
  const engines = await redisAndPostgres(resources);
  const recipient = resources.use(await openCallback());
  const sandbox = await startSandbox(resources);
  const balancer = await openBalancer(resources);
  const disks = {
    worker: await mountSmallDisk(resources, diskMegabytes),
    receiver: await mountSmallDisk(resources, diskMegabytes),
  };
  const stack = resources.use(
    await startStack(engines, {
      ...shortened,
      PUBLIC_URL: balancer.url,
      API_BASE_URL: sandbox.base_url,
      API_TOKEN: sandbox.tokens.owner,
      METRICS_TOKEN: metricsToken,
      ALERT_WEBHOOK_URL: recipient.url,
      ALERT_WEBHOOK_SECRET: 'the-secret-of-the-recipient',
      ALERT_ALLOW_PRIVATE: 'true',
    }),
  );
  const [workers, receivers] = [
    stack.workers as unknown as Installation['workers'],
    stack.receivers as unknown as Installation['receivers'],
  ];
  const folders = new Map<Part, string>([
    [workers[2], disks.worker.folder],
    [receivers[1], disks.receiver.folder],
  ]);
  const folderOf = (part: Part): string => folders.get(part) ?? part.dataDir;
  const start = (part: Part): Promise<void> => part.start({ settings: { DATA_DIR: folderOf(part) } });
  for (const part of folders.keys()) await part.stop();
  await Promise.all([...folders.keys()].map(start));
  balancer.targets = receivers.map(({ webhook = '' }) => new URL(webhook).origin);
  for (const args of [['bootstrap'], ['backfill']]) {
    const { code, output } = await stack.command(args, { DATA_DIR: workers[0].dataDir });
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${output}`);
  }
  const parts = [...workers, ...receivers];
  return {
    engines,
    workers,
    receivers,
    disks,
    recipient,
    prometheus: await startPrometheus(resources, {
      targets: parts.map(({ admin }) => new URL(admin).host),
      token: metricsToken,
      everySeconds: scrapeSeconds,
    }),
    token: stack.secrets.adminToken,
    start,
    command: (part, args) => stack.command(args, { DATA_DIR: folderOf(part) }),
    async service(method, path, body) {
      const answer = await fetch(new URL(path, sandbox.base_url), {
        method,
        headers: { authorization: `Bearer ${sandbox.tokens.owner}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
    outputs: stack.outputs,
  };
}

interface SandboxHandles {
  readonly base_url: string;
  readonly tokens: { readonly owner: string };
}

async function startSandbox(resources: AsyncDisposableStack): Promise<SandboxHandles> {
  const args = ['sandbox', '--json', '--port', '0', '--event-types', '--no-rate-limits'];
  const child = spawnMain([...args, '--live', String(activitiesPerSecond)], { PATH: process.env['PATH'] ?? '' });
  resources.defer(() => void child.signal('SIGKILL'));
  await until(() => child.out().includes('\n'), 'the sandbox says where it is');
  return JSON.parse(child.out().split('\n')[0] ?? '') as SandboxHandles;
}

/** Gives requests to the targets in turn, and to the next one where one does not accept connections. */
async function openBalancer(resources: AsyncDisposableStack): Promise<{ url: string; targets: readonly string[] }> {
  let turn = 0;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const { targets } = balancer;
    turn += 1;
    for (const at of targets.keys()) {
      const target = targets[(turn + at) % targets.length];
      const answer = await fetch(`${target}${request.url}`, {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(body.length > 0 && { body }),
        signal: AbortSignal.timeout(10_000),
      })
        .then(async (found) => ({
          status: found.status,
          headers: { 'content-type': found.headers.get('content-type') ?? 'text/plain' },
          text: await found.text(),
        }))
        .catch(() => undefined);
      if (answer === undefined) continue;
      return void response.writeHead(answer.status, answer.headers).end(answer.text);
    }
    response.writeHead(502).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  resources.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const balancer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets: [] as readonly string[],
  };
  return balancer;
}
