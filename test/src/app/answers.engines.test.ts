// Signed links are served by a process that only receives too. test/src/library/mirror.test.ts has the other processes.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, inject, it } from 'vitest';
import { answerPages } from '#src/app/answers.ts';
import { loadConfig } from '#src/config/load.ts';
import { openTail } from '#src/feed/tail.ts';
import { createLog } from '#src/observability/log.ts';
import { openHome } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';

/** Has the form of a token, and is none. */
const forged = `/answers/forged.${'a'.repeat(43)}`;

it.runIf(inject('redisUrl'))('a process that only receives opens the database for signed links', async () => {
  await using redis = await startRedis();
  await using home = await openHome({ ANSWERS: 'on', QUEUE_URL: redis.url });
  const { url } = await home.open('receive');
  for (const method of ['GET', 'POST']) {
    const answer = await fetch(new URL(forged, url), { method });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('not valid any more');
  }
});

it('what cannot be a link opens nothing, and a silent database is asked once for all other links (N9)', async () => {
  await using silent = await openSilent();
  await using opened = new AsyncDisposableStack();
  const log = createLog({ level: 'silent', pretty: false });
  const config = loadConfig({ ANSWERS: 'on', DATABASE_URL: silent.url });
  const tail = openTail({ lastSeq: async () => 0 });
  const pages = answerPages({ config, log, tail, store: undefined, nowMs: Date.now, opened });
  const ask = async (path: string) => {
    const answer = await pages?.(new Request(new URL(path, 'https://hooks.example.test')), '');
    return [answer?.status, (await answer?.text())?.includes('not valid any more')];
  };
  const mac = 'a'.repeat(43);
  for (const token of ['forged.token', 'a', `a.${'a'.repeat(42)}`, `a.b.${mac}`, `${'a'.repeat(957)}.${mac}`])
    expect([token, await ask(`/answers/${token}`)]).toEqual([token, [404, true]]);
  expect(silent.connections()).toBe(0);

  const first = await Promise.all(Array.from({ length: 20 }, () => ask(forged)));
  expect(first).toEqual(Array.from({ length: 20 }, () => [503, false]));
  const asked = silent.connections();
  expect(asked).toBeGreaterThan(0);
  for (let times = 0; times < 50; times += 1) expect(await ask(forged)).toEqual([503, false]);
  expect(silent.connections()).toBe(asked);
  expect(await ask('/answers/forged.token')).toEqual([404, true]);
});

/** Lets everybody in, and says nothing. */
async function openSilent() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://ada@127.0.0.1:${port}/mirror`,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
