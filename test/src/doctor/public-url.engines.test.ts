// Doctor asks a public URL behind which there are two receivers, and finds the one that is bad, whichever answers first.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { openApp } from '#src/app/app.ts';
import { loadConfig } from '#src/config/load.ts';
import { Report } from '#src/doctor/check.ts';
import { checkPublicUrl } from '#src/doctor/public-url.ts';
import { createLog } from '#src/observability/log.ts';
import { openHome, type Home } from '../../harness/product.ts';

const log = createLog({ level: 'fatal', pretty: false });
const roles = { receives: true, works: true, makesKey: false };

const openReceiver = (home: Home, freeBytes: number) =>
  openApp({ config: loadConfig(home.settings), log, freeBytes: async () => freeBytes }, roles);

/** Each connection leads to the next of these ports. */
async function openBalancer(ports: readonly (number | undefined)[]) {
  let opened = 0;
  const server = createServer((client) => {
    const upstream = connect(ports[opened++ % ports.length] ?? 0, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one
        .on('error', () => other.destroy())
        .on('close', () => other.destroy())
        .pipe(other);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

it.each([
  ['has the same key and room', {}, 2 ** 40, 'ok', /^reaches this receiver/],
  ['has a full disk', {}, 1024, 'problem', /^[1-7] of 8 times a receiver that takes no deliveries answers\.$/],
  [
    'has another key',
    { SIGNING_KEYS: 'another-key-of-twenty-four-bytes' },
    2 ** 40,
    'problem',
    /^[1-7] of 8 times the receiver rejects our signing key/,
  ],
])(
  'doctor says of two receivers behind one URL whether the other %s',
  async (_, settings, freeBytes, state, message) => {
    await using home = await openHome();
    await using otherHome = await openHome({ SIGNING_KEYS: home.signingKey, ...settings });
    await using good = await openReceiver(home, 2 ** 40);
    await using other = await openReceiver(otherHome, freeBytes);
    using balancer = await openBalancer([good.port, other.port]);
    const report = new Report();
    const config = loadConfig({ ...home.settings, PUBLIC_URL: balancer.url });
    await checkPublicUrl({ config, now: () => new Date() }, report);
    expect(report.findings).toEqual([expect.objectContaining({ state, sentence: expect.stringMatching(message) })]);
  },
);
