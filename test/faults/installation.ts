// The installation that faults are injected into: engines, the sandbox as the service, two receivers behind a balancer, three workers,
// a recipient of alerts, and a Prometheus with the example rules.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { openServer, until } from '../harness/ports.ts';
import { openCallback } from '../harness/sandbox/callback-server.ts';
import { redisAndPostgres } from '../chaos/engines.ts';
import { mountSmallDisk } from '../chaos/faults/disk.ts';
import { spawnMain } from '../harness/running-verb.ts';
import { startStack, type Part } from '../chaos/stack.ts';
import { startPrometheus } from './prometheus.ts';

export type Installation = Awaited<ReturnType<typeof openInstallation>>;

/** docs/proof/faults.md names these, and the 5 s of Prometheus. */
const shortened = { WATCH_EVERY: '5s', ALERT_GRACE: '0' };
/** More than is needed before it counts as filling, with the default MIN_FREE_DISK_MB. */
const diskMegabytes = 700;
const metricsToken = 'the-token-of-prometheus';

export async function openInstallation(resources: AsyncDisposableStack) {
  const engines = await redisAndPostgres.open(resources);
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
  const workers = stack.workers as unknown as readonly [Part, Part, Part];
  const receivers = stack.receivers as unknown as readonly [Part, Part];
  const folders = new Map<Part, string>([
    [workers[2], disks.worker.folder],
    [receivers[1], disks.receiver.folder],
  ]);
  const folderOf = (part: Part): string => folders.get(part) ?? part.dataDir;
  /** Starts a part on its own data folder, also where that is a small disk. */
  const start = (part: Part): Promise<void> => part.start({ DATA_DIR: folderOf(part) });
  for (const part of folders.keys()) await part.stop();
  await Promise.all([...folders.keys()].map(start));
  balancer.targets = receivers.map(({ webhook = '' }) => new URL(webhook).origin);
  for (const verb of ['bootstrap', 'backfill']) {
    const { code, output } = await stack.command([verb], { DATA_DIR: workers[0].dataDir });
    if (code !== 0) throw new Error(`${verb} ended with ${code}:\n${output}`);
  }
  return {
    engines,
    /** The first of them has no fault of its own: its pages are read. */
    workers,
    receivers,
    /** Data folders of the last worker and of the second receiver. */
    disks,
    recipient,
    prometheus: await startPrometheus(
      resources,
      [...workers, ...receivers].map(({ admin }) => new URL(admin).host),
      metricsToken,
    ),
    token: stack.secrets.adminToken,
    start,
    /** Runs a command in the data folder of a part. */
    command: (part: Part, args: readonly string[]) => stack.command(args, { DATA_DIR: folderOf(part) }),
    /** A call to the service, or to the controls of the sandbox; answers the body. */
    async service(method: string, path: string, body?: unknown): Promise<unknown> {
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

/** It has three activities a second. */
async function startSandbox(resources: AsyncDisposableStack) {
  const args = 'sandbox --json --port 0 --event-types --no-rate-limits --live 3'.split(' ');
  const child = spawnMain(args, { PATH: process.env['PATH'] ?? '' });
  resources.defer(() => void child.signal('SIGKILL'));
  await until(() => child.out().includes('\n'), 'the sandbox says where it is');
  return JSON.parse(child.out().split('\n')[0] ?? '') as { base_url: string; tokens: { owner: string } };
}

/** Gives requests to the targets in turn, and to the next one where one does not accept connections. */
async function openBalancer(resources: AsyncDisposableStack): Promise<{ url: string; targets: readonly string[] }> {
  let turn = 0;
  const { url } = resources.use(await openServer(pass));
  const balancer = { url, targets: [] as readonly string[] };
  return balancer;

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await buffer(request);
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const { method = 'GET', url } = request;
    const body = bytes.length > 0 ? bytes : null;
    const { targets } = balancer;
    turn += 1;
    for (const at of targets.keys()) {
      const signal = AbortSignal.timeout(10_000);
      const sent = { method, headers: headers as Record<string, string>, body, signal };
      const answer = await fetch(`${targets[(turn + at) % targets.length]}${url}`, sent)
        .then(async (found) => ({
          status: found.status,
          type: found.headers.get('content-type'),
          text: await found.text(),
        }))
        .catch(() => undefined);
      if (answer === undefined) continue;
      response.setHeader('content-type', answer.type ?? 'text/plain');
      return void response.writeHead(answer.status).end(answer.text);
    }
    response.writeHead(502).end();
  }
}
