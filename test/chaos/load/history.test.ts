// The history of a chaos run: the same for a seed, of every kind, and every person and secret in it is a canary.
import { expect, it } from 'vitest';
import { readBody } from '../oracle/facts.ts';
import { history } from './history.ts';
import { canaries } from './world.ts';

const startMs = Date.UTC(2026, 0, 1);

it('is the same for the same seed, and has every kind of event', () => {
  const bodies = history({ seed: 5, count: 1000, startMs });
  expect(history({ seed: 5, count: 1000, startMs })).toEqual(bodies);
  expect(history({ seed: 6, count: 10, startMs })).not.toEqual(bodies.slice(0, 10));
  expect(new Set(bodies).size).toBe(1000);
  const read = bodies.map(readBody);
  expect(read.filter(({ state }) => state !== 'sound')).toEqual([]);
  expect(new Set(read.map(({ fact }) => fact?.event)).size).toBe(14);
  for (const canary of Object.values(canaries(5))) expect(bodies.some((body) => body.includes(canary))).toBe(true);
  const addresses = bodies.flatMap((body) => body.match(/[^"]+@example\.test/g) ?? []);
  const people = addresses.filter((address) => address !== 'host@example.test');
  expect(people.filter((address) => !address.includes(canaries(5).address))).toEqual([]);
});
