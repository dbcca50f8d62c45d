// The world of a seed is the same at whatever time it is opened, and its making reports progress.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createProgress } from '#src/sandbox/seed/history.ts';
import { openTestSandbox } from '../../../harness/sandbox.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

/** Every address of every record, in the order of the records: their own, and those they point to. */
async function addressesOf(size: { contacts: number; bookings: number; seed: number }, nowMs: number) {
  await using sandbox = await openTestSandbox(size, { realMs: () => nowMs });
  const { state, options } = sandbox.service;
  const lists = (await sandbox.control('GET', '/state?organization=all')).body;
  const rest = [state.users, state.memberships, state.groups, state.definitions, state.routingForms];
  const text = JSON.stringify([lists, rest.map((shelf) => [...shelf.values()]), [...state.transcripts.keys()]]);
  return text.match(new RegExp(`${options.baseUrl}[^"]*`, 'g'))?.map((uri) => uri.slice(options.baseUrl.length));
}

it('a seed makes the same records at any time of any day', { timeout: propertyTimeoutMs }, async () => {
  const instant = fc
    .date({ min: new Date('2024-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
    .map((date) => date.getTime());
  const size = fc.record({ contacts: fc.nat(40), bookings: fc.nat(60), seed: fc.nat(9) });
  const midnight = Date.parse('2026-05-04T00:00:00Z');
  const large = { contacts: 50, bookings: 150, seed: 1 };
  await fc.assert(
    fc.asyncProperty(size, instant, instant, async (world, one, other) => {
      expect(await addressesOf(world, one)).toEqual(await addressesOf(world, other));
    }),
    { ...runs(8), examples: [[large, midnight, midnight + 86_399_000]] },
  );
});

it('the seeding of a world reports progress once per second, and nothing in the first', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const progress = createProgress(
    (line) => void lines.push(line),
    () => nowMs,
  );
  for (let done = 0; done < 35; done += 1, nowMs += 100) progress(done, 50);
  expect(lines).toEqual(['Seeding the world: 20 %', 'Seeding the world: 40 %', 'Seeding the world: 60 %']);
});
