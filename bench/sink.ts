// A minimal receiver: reads requests off the socket and responds with 202.   node bench/sink.ts PORT
import { createServer } from 'node:net';

const response = Buffer.from('HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n');
const endOfHead = '\r\n\r\n';

const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(endOfHead); end >= 0; end = rest.indexOf(endOfHead)) {
      const length = Number(/content-length: (\d+)/i.exec(rest.toString('latin1', 0, end))?.[1] ?? 0);
      const whole = end + endOfHead.length + length;
      if (rest.length < whole) return;
      rest = rest.subarray(whole);
      socket.write(response);
    }
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1');
