// The world of a seed is the same at whatever time it is opened, and its making reports progress.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

describe('a seed', () => {
  it(
    'makes the same records at any time of any day',
    async () => {
      const instants = fc.date({ min: new Date('2024-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
      const size = fc.record({ contacts: fc.nat(40), bookings: fc.nat(60), seed: fc.nat(9) });
      await fc.assert(
        fc.asyncProperty(size, instants, instants, async (world, one, other) => {
          expect(await addressesOf(world, one.getTime())).toEqual(await addressesOf(world, other.getTime()));
        }),
        runs(8),
      );
    },
    propertyTimeoutMs,
  );

  it('makes at any hour what it makes at noon', async () => {
    const made = (time: string) =>
      addressesOf({ contacts: 50, bookings: 150, seed: 1 }, Date.parse(`2026-05-04T${time}Z`));
    const noon = await made('12:00:00');
    for (const time of ['00:00:00', '08:29:59', '16:45:12', '23:59:59'])
      expect([time, await made(time)]).toEqual([time, noon]);
  });
});

it('the seeding of a world reports progress once per second, and nothing in the first', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const progress = createProgress(
    (line) => void lines.push(line),
    () => nowMs,
  );
  for (let done = 0; done < 35; done += 1) {
    progress(done, 50);
    nowMs += 100;
  }
  expect(lines).toEqual(['Seeding the world: 20 %', 'Seeding the world: 40 %', 'Seeding the world: 60 %']);
});
