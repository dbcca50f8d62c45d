// Doctor asks a public URL behind which there are two receivers, and finds the one that is bad, whichever answers first.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { openApp } from '#src/app/app.ts';
import { loadConfig } from '#src/config/load.ts';
import { Report } from '#src/doctor/check.ts';
import { checkPublicUrl } from '#src/doctor/public-url.ts';
import { createLog } from '#src/observability/log.ts';
import { openServer } from '../../harness/ports.ts';
import { openHome, type Home, type Settings } from '../../harness/product.ts';

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

it.each([
  ['another program', '{}', /^[1-7] of 8 times this is not the receiver: it answers 200/],
  [
    'a receiver of the version before proofs',
    '{"title":"Self-Test","message":"The signature is valid. Nothing was stored."}',
    /^[1-7] of 8 times a receiver of an older version answers/,
  ],
])('doctor says that %s answers beside our receiver (A25)', async (_, answer, message) => {
  await using home = await openHome();
  await using good = await openReceiver(home, 2 ** 40);
  await using stranger = await openServer((_request, response) => void response.end(answer));
  using balancer = await openBalancer([good.port, stranger.port]);
  const report = new Report();
  const config = loadConfig({ ...home.settings, PUBLIC_URL: balancer.url });
  await checkPublicUrl({ config, now: () => new Date() }, report);
  expect(report.findings).toEqual([
    expect.objectContaining({ state: 'problem', sentence: expect.stringMatching(message) }),
  ]);
});

it.each([
  [
    { ALLOW_UNSIGNED: 'true' },
    'warning',
    /verifies nothing \(ALLOW_UNSIGNED\), so it cannot prove that it is yours\.$/,
  ],
  [{ SIGNING_KEYS: 'the-signing-key-of-this-machine' }, 'problem', /^an unsigned delivery is not rejected\.$/],
] as const)(
  'doctor says of a receiver without a key, asked with %j, what that means (A25)',
  async (own, state, message) => {
    const noKeys = { SIGNING_KEYS: undefined } as unknown as Settings;
    await using home = await openHome({ ALLOW_UNSIGNED: 'true', ...noKeys });
    await using receiver = await openReceiver(home, 2 ** 40);
    const PUBLIC_URL = `http://127.0.0.1:${receiver.port}`;
    const config = loadConfig({ ...home.settings, ALLOW_UNSIGNED: 'false', ...own, PUBLIC_URL });
    const report = new Report();
    await checkPublicUrl({ config, now: () => new Date() }, report);
    expect(report.findings).toEqual([expect.objectContaining({ state, sentence: expect.stringMatching(message) })]);
  },
);
