// A load generator in a process of its own: raw keep-alive sockets, each sending its next request after the response. It counts
// responses by status and measures the server, not an HTTP client.
//   node bench/load.ts PORT CONNECTIONS SECONDS BODIES
import { connect } from 'node:net';
import { bodies, request } from './deliveries.ts';

const [port = 0, connections = 1, seconds = 1, count = 1] = process.argv.slice(2).map(Number);
const requests = bodies(count, 11).map((body) => request(body));
const statuses: Record<string, number> = {};
let next = 0;
const startedAt = performance.now();
const endAt = startedAt + seconds * 1000;

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const send = () => socket.write(requests[next++ % requests.length] as Buffer);
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => resolve());
    let pending = '';
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1');
      // One request is in flight at a time, so a response is complete once its body is.
      const end = pending.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(pending)?.[1] ?? 0);
      if (pending.length < end + 4 + length) return;
      const status = pending.slice(9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
      pending = '';
      if (performance.now() < endAt) send();
      else socket.end();
    });
  });
}

await Promise.all(Array.from({ length: connections }, open));
process.stdout.write(JSON.stringify({ statuses, seconds: (performance.now() - startedAt) / 1000 }));
