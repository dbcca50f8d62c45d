// Real message brokers for tests: what was published can be read back, and a test may stop, freeze and restart them. Kafka is the
// broker inside librdkafka, which `kcat` starts and reads: it speaks Kafka's protocol, and lives in memory.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as openSocket, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager, type JetStreamManager, type StreamConfig } from '@nats-io/jetstream';
import { connect, nkeys } from '@nats-io/transport-node';
import { inject } from 'vitest';
import { freePort, until } from './ports.ts';

export interface Published {
  /** The NATS subject, or the key of Kafka. */
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly event: {
    readonly id: string;
    readonly source: string;
    readonly subject?: string;
    readonly data?: { readonly seq: number };
  };
}

export interface TestBroker extends AsyncDisposable {
  readonly url: string;
  /** In order; on Kafka, in order per key. */
  published(): Promise<readonly Published[]>;
  /** Breaks all connections in the middle of what they do, and accepts no others. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** `cut` kills the server; `restore` starts it on the same port and folder. */
export async function startNats({ args = [] as readonly string[], login = '' } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'slotstream-nats-'));
  const port = await freePort();
  const url = `nats://${login}127.0.0.1:${port}`;
  const [user, pass] = login.replace('@', '').split(':');
  const ask = () => connect({ servers: [`127.0.0.1:${port}`], reconnect: false, ...(login !== '' && { user, pass }) });
  const start = async () => {
    const options = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', dir, ...args];
    const started = spawn(inject('natsPath'), options, { stdio: 'ignore' });
    await until(() => answers(port), 'nats-server answers');
    return started;
  };
  const manage = async (work: (manager: JetStreamManager) => Promise<unknown>): Promise<void> => {
    const connection = await ask();
    await work(await jetstreamManager(connection)).finally(() => connection.close());
  };
  let server = await start();
  // Each message is read once.
  const found: Published[] = [];
  return {
    url,
    async published(): Promise<readonly Published[]> {
      await manage(async ({ streams }) => {
        const { state } = await streams.info('slotstream');
        for (let seq = found.length + 1; seq <= state.last_seq; seq += 1) {
          const message = await streams.getMessage('slotstream', { seq });
          if (message === null) throw new Error(`there is no message ${seq}`);
          const headers = Object.fromEntries(message.header.keys().map((name) => [name, message.header.get(name)]));
          found.push({ key: message.subject, headers, event: message.json<Published['event']>() });
        }
      });
      return [...found];
    },
    createStream: (config: Partial<StreamConfig> & { readonly name: string }) =>
      manage(({ streams }) => streams.add(config)),
    deleteStream: (name: string) => manage(({ streams }) => streams.delete(name)).finally(() => found.splice(0)),
    cut: () => end(server),
    restore: async () => void (server = await start()),
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await end(server);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = openSocket(port, '127.0.0.1');
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
    socket.once('data', () => socket.destroy());
  });
}

/** `cut` and `restore` are of a proxy before the broker, which would lose everything if it were killed. */
export async function startKafka(): Promise<TestBroker> {
  const topic = 'slotstream.feed';
  const format = '%k\t%h\t%s\n';
  const options = [...'-b unused:1 -X test.mock.num.brokers=1 -d mock -C -u -t'.split(' '), topic, '-f', format];
  const kcat = spawn(inject('kcatPath'), options, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, log] = ['', ''];
  kcat.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  // After its address, the log is of no interest and grows with every request.
  kcat.stderr.setEncoding('utf8').on('data', (chunk: string) => (log = log.length < 10_000 ? log + chunk : log));
  const address = /bootstrap\.servers=127\.0\.0\.1:(\d+)/;
  await until(() => address.test(log), 'the Kafka broker has an address');
  const proxy = await openKafkaProxy(Number(address.exec(log)?.[1]));
  return {
    url: `kafka://127.0.0.1:${proxy.port}/${topic}`,
    published: async () =>
      output
        .split('\n')
        .slice(0, -1)
        .map((line) => {
          const [key = '', headers = '', event = ''] = line.split('\t');
          const pairs = headers.split(',').map((pair) => pair.split(/=(.*)/s, 2));
          return { key, headers: Object.fromEntries(pairs), event: JSON.parse(event) as Published['event'] };
        }),
    cut: proxy.close,
    restore: proxy.open,
    freeze: () => void kcat.kill('SIGSTOP'),
    thaw: () => void kcat.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await end(kcat);
    },
  };
}

/** Brokers name their own addresses, so the proxy writes its port in the place of the broker's. */
async function openKafkaProxy(target: number) {
  const port = await freePort();
  const named = (at: number) =>
    Buffer.concat([Buffer.from('\0\u0009127.0.0.1'), Buffer.from([0, 0, at >> 8, at & 255])]);
  const sockets = new Set<Socket>();
  const rewrite = (chunk: Buffer): Buffer => {
    const at = chunk.indexOf(named(target));
    if (at >= 0) named(port).copy(chunk, at);
    return chunk;
  };
  let server: Server | undefined;
  const open = async (): Promise<void> => {
    server = createServer((client) => {
      const broker = openSocket(target, '127.0.0.1');
      for (const [from, to] of [
        [client, broker],
        [broker, client],
      ] as const) {
        sockets.add(from);
        from.on('data', (chunk) => to.write(from === broker ? rewrite(chunk) : chunk));
        from
          .on('error', () => undefined)
          .on('close', () => {
            sockets.delete(from);
            to.destroy();
          });
      }
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await open();
  return {
    port,
    open,
    async close() {
      if (server?.listening !== true) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** The paths of the configuration of a server, which knows the key of one user, and of that user's credentials. */
export async function writeNatsCredentials(): Promise<{ readonly config: string; readonly credentials: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'slotstream-creds-'));
  const [config, credentials] = [join(dir, 'server.conf'), join(dir, 'user.creds')];
  const user = nkeys.createUser();
  await writeFile(config, `authorization { users = [{ nkey: ${user.getPublicKey()} }] }`);
  // The token says who may do what; this server does not read it.
  const parts = { 'NATS USER JWT': 'unread', 'USER NKEY SEED': new TextDecoder().decode(user.getSeed()) };
  const lines = Object.entries(parts).map(
    ([name, part]) => `-----BEGIN ${name}-----\n${part}\n------END ${name}------\n`,
  );
  await writeFile(credentials, lines.join('\n'));
  return { config, credentials };
}
