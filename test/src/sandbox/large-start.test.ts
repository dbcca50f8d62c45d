// Starting with a large world: it says how far it is, and prepares what will be asked for.
import { describe, expect, it } from 'vitest';
import { seededPeople } from '#src/sandbox/seed/contacts-people.ts';
import { seedHistory } from '#src/sandbox/seed/history.ts';
import { createProgress } from '#src/sandbox/seed/progress.ts';
import { createBookingWorld } from '../../harness/booking-world.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';

describe('the making of a world', () => {
  it('says how far it is once a second, and nothing in the first', () => {
    const said: string[] = [];
    let nowMs = 0;
    const progress = createProgress(
      (line) => void said.push(line),
      () => nowMs,
    );
    for (let done = 0; done < 35; done += 1) {
      progress(done, 50);
      nowMs += 100;
    }
    expect(said).toEqual(['Making the world: 20 %', 'Making the world: 40 %', 'Making the world: 60 %']);
  });

  it('tells of every step of its history', () => {
    const { service, handles } = createBookingWorld();
    const steps: [number, number][] = [];
    seedHistory(service, {
      organization: handles.organization,
      bookings: 20,
      progress: (done, all) => void steps.push([done, all]),
    });
    expect(steps.length).toBeGreaterThanOrEqual(20);
    expect(steps).toEqual(steps.map((_, done) => [done, steps.length]));
  });
});

describe('the order of a large address book', () => {
  const size = 100_000;
  const open = () =>
    seededPeople({
      seed: 1,
      size,
      baseUrl: '',
      nowMs: Date.parse('2026-05-04T09:00:00Z'),
      owners: [''],
      definitions: [],
    });

  it('is the same whether it was prepared, in part, or not at all', () => {
    const [prepared, begun, fresh] = [open(), open(), open()];
    let pieces = 1;
    while (prepared.prepare()) pieces += 1;
    expect(pieces).toBeGreaterThan(3);
    expect(begun.prepare()).toBe(true);
    expect(begun.prepare()).toBe(true);
    const order = [...fresh.byUpdate];
    expect([...prepared.byUpdate]).toEqual(order);
    expect([...begun.byUpdate]).toEqual(order);
    expect(begun.prepare()).toBe(false);
    expect(order.toSorted((a, b) => a - b)).toEqual([...order.keys()]);
    const times = order.map((row) => fresh.time('updated_at', row));
    expect(times).toEqual(times.toSorted());
  });

  it('is prepared by itself once the sandbox is open', async () => {
    await using sandbox = await openTestSandbox({ contacts: size, bookings: 0 });
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    for (const book of sandbox.service.state.contacts.values()) expect(book.prepare()).toBe(false);
  });
});
