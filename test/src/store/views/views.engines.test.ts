// The views over a small world (its picture is in `counted-bookings.ts`), on each store. The golden files were counted by hand.
import { afterAll, beforeAll, describe, it } from 'vitest';
import { ingestCountedBookings } from '../../../harness/data/counted-bookings.ts';
import { expectGolden, yamlOf } from '../../../harness/golden.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';
import { availableEngines, type TestStore } from '../../../harness/stores.ts';

for (const engine of availableEngines)
  describe(`in a small world on ${engine.name}`, () => {
    let opened: TestStore;
    beforeAll(async () => {
      opened = await engine.fresh();
      await ingestCountedBookings(opened.store);
    });
    afterAll(() => opened[Symbol.asyncDispose]());

    it.each([
      ['booking_journeys', 'a chain of reschedules is one journey, also through a booking never seen'],
      ['bookings_daily', 'each day has what happened on it'],
      ['no_show_rate', 'no-shows are counted by event type, host, weekday and hour, month, and where they came from'],
      ['scheduled_event_hosts', 'every host of a meeting is a row'],
      ['scheduled_event_guests', 'every guest of a meeting is a row'],
      ['routing_funnel', 'each form says how many of its submissions were booked, and how many of those were held'],
      ['revenue', 'a payment counts once however often its booking was moved, and only when it succeeded'],
    ])('%s: %s', async (name) => {
      await expectGolden(yamlOf(await viewRows(opened.store, name)), `golden/${name}.txt`);
    });
  });
