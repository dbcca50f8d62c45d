// The job that keeps the table of bookings up to date: it follows the log, waits while the disk is almost full, and reports when it cannot.
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { bookingsJob } from '#src/app/bookings-job.ts';
import { openTail } from '#src/feed/tail.ts';
import { lastSeq } from '#src/store/log/read.ts';
import type { Store } from '#src/store/contract.ts';
import { eventually } from '../../harness/moments.ts';
import { freshSqlite, ingestBodies, rowsOf, storeEngines } from '../../harness/stores.ts';

const at = '2025-04-14T11:30:00.000000Z';
const delivery = (n: number) => {
  const event = `https://api.example.test/scheduled_events/${n}`;
  const payload = { uri: `${event}/invitees/${n}`, name: `Person ${n}`, created_at: at, updated_at: at };
  const scheduled_event = { uri: event, start_time: at, end_time: at };
  return JSON.stringify({ event: 'invitee.created', created_at: at, payload: { ...payload, scheduled_event } });
};

const bookings = async (store: Store) => (await rowsOf(store, 'bookings')).length;

/** Runs the job until the end of the test. */
function running(store: Store, disk = { hasRoom: true }) {
  const stopping = new AbortController();
  const reported: unknown[] = [];
  const tail = openTail({ lastSeq: () => lastSeq(store) });
  const report = (error: unknown) => void reported.push(error);
  const job = bookingsJob({ store, tail, report, hasRoom: async () => disk.hasRoom, pauseMs: 10 });
  const done = job.run(stopping.signal, () => true);
  return {
    reported,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await done;
    },
  };
}

describe.each(storeEngines)('the bookings job on $name', ({ available, fresh }) => {
  it.runIf(available)('adds the bookings of the log, then those that arrive', async () => {
    await using opened = await fresh();
    await ingestBodies(opened.store, [delivery(1), delivery(2)]);
    await using job = running(opened.store);
    await eventually(() => bookings(opened.store)).toBe(2);
    await ingestBodies(opened.store, [delivery(3)]);
    await eventually(() => bookings(opened.store)).toBe(3);
    expect(job.reported).toEqual([]);
  });
});

describe('the bookings job', () => {
  it('waits while the disk of the store is almost full', async () => {
    await using opened = await freshSqlite();
    const disk = { hasRoom: false };
    await ingestBodies(opened.store, [delivery(1)]);
    await using _job = running(opened.store, disk);
    await setTimeout(100);
    expect(await bookings(opened.store)).toBe(0);
    disk.hasRoom = true;
    await eventually(() => bookings(opened.store)).toBe(1);
  });

  it('reports once, without names, that the table cannot be updated', async () => {
    await using opened = await freshSqlite();
    const { store } = opened;
    await sql`create trigger full_disk before insert on bookings begin select raise(abort, 'no room for Person 1'); end`.execute(
      store.db,
    );
    await ingestBodies(store, [delivery(1)]);
    await using job = running(store);
    await eventually(() => job.reported.length).toBe(1);
    const [problem] = job.reported as Error[];
    expect(problem).toMatchObject({ name: 'SlotstreamError', hint: expect.stringContaining('disk') as string });
    expect(problem?.message).not.toContain('Person');
    await sql`drop trigger full_disk`.execute(store.db);
    await eventually(() => bookings(store)).toBe(1);
    expect(job.reported).toHaveLength(1);
  });
});
