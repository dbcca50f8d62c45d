// The limit of connections: however many others open, and whatever they do with them, a genuine sender gets in.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../harness/moments.ts';
import { exchange, openReceiver, signingKey, testQueue } from '../../harness/mirror/receiver.ts';
import { until } from '../../harness/ports.ts';

type Receiver = Awaited<ReturnType<typeof openReceiver>>;
const limit = 60;
const listener = { maxConnections: limit };
const impatient = { ...listener, idleAfterMs: 1 };
const healthCheck = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';

/** Opens connections one by one; each sends the text and, if asked, waits for a response. */
async function openMany({ port }: Receiver, many: { count: number; text?: string; isAnswered?: boolean }) {
  const sockets: Socket[] = [];
  for (let n = 0; n < many.count; n += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    if (many.text !== undefined) socket.write(many.text);
    if (many.isAnswered) await once(socket, 'data');
    else socket.resume();
  }
  return { sockets, [Symbol.dispose]: () => sockets.forEach((socket) => void socket.destroy()) };
}

/** The answers to deliveries, each on a connection of its own. */
async function answersTo(receiver: Receiver, count: number): Promise<string[]> {
  const answers: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const body = JSON.stringify({ event: 'genuine', n });
    const headers = Object.entries({
      ...receiver.sign(body),
      Connection: 'close',
      'Content-Length': String(body.length),
    });
    const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const answer = await exchange(receiver.port, [`POST /webhooks HTTP/1.1\r\nHost: a\r\n${head}\r\n${body}`]);
    answers.push(answer.slice(9, 12));
  }
  return answers;
}

const all = (count: number): string[] => Array<string>(count).fill('202');
const evictions = (receiver: Receiver, reason: string): Promise<number> =>
  receiver.counted(`slotstream_evictions_total{reason="${reason}"}`);

describe('a genuine delivery is accepted while the limit is filled', () => {
  const start = 'POST /webhooks HTTP/1.1\r\n';
  it.each([
    ['with connections that wait after a response', impatient, [{ count: limit, text: healthCheck, isAnswered: true }]],
    ['with those that send nothing, or never end their headers', listener, [{}, { text: `${start}X: ` }]],
    [
      'with bodies that do not end',
      listener,
      [{ count: limit + 10, text: `${start}Host: a\r\nContent-Length: 50000\r\n\r\nhalf` }],
    ],
  ])('%s', async (_, options, crowds) => {
    await using receiver = await openReceiver({ listener: options });
    using others = new DisposableStack();
    for (const crowd of crowds) others.use(await openMany(receiver, { count: limit, ...crowd }));
    expect(await answersTo(receiver, 10)).toEqual(all(10));
    expect(await evictions(receiver, options === impatient ? 'idle_connection' : 'slow_connection')).toBeGreaterThan(
      10,
    );
    expect(await evictions(receiver, 'connection_limit')).toBe(0);
  });
});

/** A queue that takes nothing until it is released. */
function heldQueue() {
  const queue = testQueue();
  const { enqueue } = queue;
  const { promise, resolve: release } = Promise.withResolvers<void>();
  queue.enqueue = (batch) => promise.then(() => enqueue(batch));
  return { queue, release };
}

describe('near the limit', () => {
  const text = healthCheck;

  it('the longest idle connections are closed first, and only as many as needed', async () => {
    await using receiver = await openReceiver({ listener: impatient });
    using idle = await openMany(receiver, { count: 45, text, isAnswered: true });
    idle.sockets[0]?.write(text);
    await once(idle.sockets[0] as Socket, 'data');
    using _more = await openMany(receiver, { count: 2 });
    for (const closed of [1, 2]) {
      const socket = idle.sockets[closed] as Socket;
      if (!socket.closed) await once(socket.resume(), 'close');
    }
    expect(idle.sockets.filter((socket) => socket.closed)).toHaveLength(2);
    expect(await evictions(receiver, 'idle_connection')).toBe(2);
  });

  it('a connection whose delivery is being stored stays open', async () => {
    const { queue, release } = heldQueue();
    await using receiver = await openReceiver({ queue, listener });
    const delivery = answersTo(receiver, 1);
    using _others = await openMany(receiver, { count: limit * 2, text, isAnswered: true });
    release();
    expect(await delivery).toEqual(['202']);
  });

  it('connections are kept alive for a shorter time, and longer again when there are few', async () => {
    await using receiver = await openReceiver({ listener });
    const keepAlive = async () => (await fetch(`${receiver.url}/healthz`)).headers.get('keep-alive');
    expect(await keepAlive()).toBe('timeout=65');
    const busy = await openMany(receiver, {
      count: 50,
      text: 'POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n',
    });
    expect(await keepAlive()).toBe('timeout=5');
    busy[Symbol.dispose]();
    await eventually(keepAlive).toBe('timeout=65');
  });

  it('a connection is refused, and counted, only while every other one has a complete request in progress', async () => {
    const { queue, release } = heldQueue();
    let verified = 0;
    const keysAt = () => {
      verified += 1;
      return [signingKey];
    };
    const limits = { listener: { maxConnections: 4 }, circuitTimeoutMs: 60_000 };
    await using receiver = await openReceiver({ queue, keysAt, ...limits });
    const deliveries: Promise<string[]>[] = [];
    for (let n = 1; n <= 4; n += 1) {
      deliveries.push(answersTo(receiver, 1));
      await until(() => verified === n, 'the whole delivery has arrived');
    }
    expect(await answersTo(receiver, 1)).toEqual(['']);
    expect(await evictions(receiver, 'connection_limit')).toBe(1);
    release();
    expect((await Promise.all(deliveries)).flat()).toEqual(all(4));
  });
});
