// The sender: it signs, repeats at the next target until it gets 2xx, sends some bodies twice and others late, and gives up only for good.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { until } from '../../harness/ports.ts';
import { startLoad } from './sender.ts';

const key = 'a signing key';

/** A target whose answers are decided by the body and how often it came; 0 breaks the connection. */
async function openTarget(answerTo: (body: string, copy: number) => number) {
  const received: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await text(incoming);
    received.push(body);
    const [, seconds, mac] = /^t=(\d+),v1=(\w+)$/.exec(String(incoming.headers['calendly-webhook-signature'])) ?? [];
    const isSigned = mac === createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex');
    const status = answerTo(body, received.filter((each) => each === body).length);
    if (status === 0) outgoing.destroy();
    else outgoing.writeHead(isSigned ? status : 401).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  return { url, received, [Symbol.asyncDispose]: close };
}

it('sends every body until it is accepted, some twice and not in order, and repeats at the next target', async () => {
  await using broken = await openTarget((body) => (body === 'too large' ? 413 : body.endsWith('7') ? 0 : 503));
  await using sound = await openTarget((body) => (body === 'too large' ? 413 : 202));
  const bodies = ['too large', ...Array.from({ length: 240 }, (_, n) => `body ${n}`)];
  const load = startLoad({ seed: 1, key, targets: [broken.url, sound.url], perSecond: 400, bodies });
  await until(() => load.offered.length >= 100, 'deliveries are offered');
  const before = load.offered.length;
  expect(load.isSpent()).toBe(false);
  await load.burst(bodies.length, 10);
  // All are offered, and some are not accepted yet.
  expect(load.isSpent()).toBe(false);
  expect(load.offered.map(({ body }) => body)).toEqual(bodies);
  load.retarget([sound.url]);
  await load.finish(120_000);
  expect(load.isSpent()).toBe(true);
  load.close();

  expect(load.acceptedBodies()).toEqual(new Set(bodies.slice(1)));
  expect(load.accepted()).toBe(240);
  expect(load.offered[0]?.answers.map(({ status }) => status)).toContain(413);
  expect(load.offered.flatMap(({ answers }) => answers.map(({ status }) => status))).toContain('ECONNRESET');
  const copies = load.offered.filter(({ answers }) => answers.filter(({ status }) => status === 202).length > 1);
  expect(copies.length).toBeGreaterThan(0);
  expect(copies.length).toBeLessThan(before / 4);
  const firstSeen = [...new Set(sound.received)].filter((body) => bodies.indexOf(body) < before);
  expect(firstSeen).not.toEqual(firstSeen.toSorted((a, b) => bodies.indexOf(a) - bodies.indexOf(b)));
});
