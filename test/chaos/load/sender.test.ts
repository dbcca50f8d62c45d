// The sender repeats a body at the next target until it gets 2xx, sends some bodies twice and others late, and gives up only for good.
import { expect, it } from 'vitest';
import { until } from '../../harness/ports.ts';
import { openCallback } from '../../harness/sandbox/callback-server.ts';
import { startLoad } from './sender.ts';

it('sends every body until it is accepted, some twice and not in order, and repeats at the next target', async () => {
  await using broken = await openCallback();
  broken.answer = 'cut';
  await using sound = await openCallback();
  sound.answer = ({ body }) => (body.n === 0 ? 413 : 202);
  const bodies = Array.from({ length: 241 }, (_, n) => JSON.stringify({ n }));
  const load = startLoad({
    seed: 1,
    key: 'k',
    targets: [sound.url, broken.url, sound.url, sound.url],
    perSecond: 400,
    bodies,
  });
  await until(() => load.offered.length >= 100, 'deliveries are offered');
  const before = load.offered.length;
  expect(load.isSpent()).toBe(false);
  await load.burst(bodies.length, 10);
  // All are offered, and some are not accepted yet.
  expect(load.isSpent()).toBe(false);
  expect(load.offered.map(({ body }) => body)).toEqual(bodies);
  await load.finish(120_000);
  expect(load.isSpent()).toBe(true);
  load.close();

  expect(load.acceptedBodies()).toEqual(new Set(bodies.slice(1)));
  const answers = load.offered.map((each) => each.answers.map(({ status }) => status));
  expect(answers[0]?.at(-1)).toBe(413);
  expect(answers.flat()).toContain('ECONNRESET');
  const copies = answers.filter((each) => each.filter((status) => status === 202).length > 1);
  expect(copies.length).toBeGreaterThan(0);
  expect(copies.length).toBeLessThan(before / 4);
  const firstSeen = [...new Set(sound.received.map(({ body }) => Number(body.n)))].filter((n) => n < before);
  expect(firstSeen).not.toEqual(firstSeen.toSorted((a, b) => a - b));
});
