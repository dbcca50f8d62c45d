// Sends prepared requests over raw keep-alive sockets, in a process of its own: as fast as the responses come, or so many a
// second; each once, or again and again for some seconds. A request that is due while every socket is busy counts from the
// moment it was due.
import { connect, type Socket } from 'node:net';
import type { SendOrder, SendReport } from './processes.ts';

process.once('message', async (order: SendOrder) => {
  process.send?.(await send(order), () => process.disconnect());
});

const now = (): number => performance.timeOrigin + performance.now();

async function send({ port, requests, connections, perSecond, seconds }: SendOrder): Promise<SendReport> {
  const statuses: Record<string, number> = {};
  const dueAt: number[] = [];
  const latencies: number[] = [];
  const idle: Socket[] = [];
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const startedAt = now();
  const hasNext = (): boolean => (seconds === undefined ? next < requests.length : now() < startedAt + seconds * 1000);
  let next = 0;
  let answered = 0;
  const { promise: finished, resolve: finish, reject } = Promise.withResolvers<void>();
  const due = (index: number): number => (perSecond === undefined ? now() : startedAt + (index * 1000) / perSecond);
  const turn = (socket: Socket): void => {
    const at = hasNext() ? due(next) : Infinity;
    if (at > now()) return void idle.push(socket);
    const index = next++;
    dueAt[index] = at;
    socket.write(requests[index % requests.length] as Uint8Array);
    let pending = '';
    socket.on('data', function read(chunk) {
      pending += chunk.toString('latin1');
      if (!isWhole(pending)) return;
      socket.off('data', read);
      const status = pending.slice(9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
      latencies[index] = now() - at;
      answered += 1;
      turn(socket);
      if (answered === next && !hasNext()) finish();
    });
  };
  for (const socket of sockets) socket.on('error', reject).on('close', () => reject(new Error('a connection closed')));
  sockets.forEach(turn);
  const pacing = setInterval(() => {
    for (const socket of idle.splice(0)) turn(socket);
  }, 1);
  await finished;
  clearInterval(pacing);
  const endedAt = now();
  for (const socket of sockets) socket.destroy();
  return { startedAt, endedAt, statuses, dueAt, latencies };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** One request is in flight at a time, so a response is complete once its body is. */
function isWhole(response: string): boolean {
  const end = response.indexOf('\r\n\r\n');
  return end >= 0 && response.length >= end + 4 + Number(/content-length: (\d+)/i.exec(response)?.[1] ?? 0);
}
