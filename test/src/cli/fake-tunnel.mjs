// A tunnel for tests: an HTTPS listener that leads to $PORT of this machine. `node fake-tunnel.mjs FOLDER MODE`.
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';

const [folder, mode] = process.argv.slice(2);
writeFileSync(`${folder}/environment`, JSON.stringify({ pid: process.pid, env: process.env }));
const say = (line) => process.stderr.write(`${line}\n`);
say('INF Thank you for trying this tunnel: https://docs.example.test/tunnels and https://www.example.test/terms/');
if (mode === 'dying') {
  say('ERR no such account');
  process.exit(1);
}
const beganMs = Date.now();
const server = createServer(
  { key: readFileSync(`${folder}/key.pem`), cert: readFileSync(`${folder}/cert.pem`) },
  (incoming, answer) => {
    if (incoming.url === '/die') process.exit(1);
    if (mode === 'late' && Date.now() - beganMs < 10_000) return answer.writeHead(502).end();
    const { method, url: path, headers } = incoming;
    const passed = request({ port: process.env.PORT, host: '127.0.0.1', method, path, headers }, (response) => {
      answer.writeHead(response.statusCode, response.headers);
      response.pipe(answer);
    });
    passed.on('error', () => answer.writeHead(502).end());
    incoming.pipe(passed);
  },
);
server.listen(0, '127.0.0.1', () => {
  if (mode !== 'silent') say(`INF |  https://localhost:${server.address().port}   |`);
  if (mode === 'twice') say('INF |  https://another.example.test  |');
});
