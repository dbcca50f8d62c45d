// What needs a person is counted within a period: nothing that is settled, canceled, moved or still to come.
import { describe, expect, it } from 'vitest';
import { dayMs, hourMs, instantOf } from '#src/base/time.ts';
import { refillBookings } from '#src/store/bookings/booking-follower.ts';
import { writeRows, type StoredRow } from '#src/store/rows.ts';
import { findBookings } from '#src/read/bookings/bookings.ts';
import { countUnbooked, countUnconfirmed } from '#src/read/bookings/needs-attention.ts';
import { availableEngines } from '../../../harness/stores.ts';

const uri = (kind: string, id: string): string => `https://api.example.test/${kind}/${id}`;
const ago = (ms: number): string => instantOf(Date.now() - ms);

/** A booking of a meeting that ended so long ago. */
const booking = (id: string, endedMs: number, more: StoredRow = {}, meeting: StoredRow = {}) => ({
  invitee: {
    uri: uri('invitees', id),
    event_uri: uri('events', id),
    email: `${id}@example.test`,
    status: 'active',
    rescheduled: false,
    created_at: ago(30 * dayMs),
    ...more,
  },
  meeting: {
    uri: uri('events', id),
    status: 'active',
    start_time: ago(endedMs + hourMs),
    end_time: ago(endedMs),
    ...meeting,
  },
});

const bookings = [
  booking('open', dayMs),
  booking('without-end', 2 * dayMs, {}, { end_time: null }),
  booking('overnight', 6.5 * dayMs, {}, { start_time: ago(7.4 * dayMs) }),
  booking('too-old', 8 * dayMs),
  booking('under-way', -hourMs / 2),
  booking('upcoming', -2 * dayMs),
  booking('missed', dayMs, { no_show_uri: uri('no_shows', '1'), no_show_at: ago(dayMs) }),
  booking('canceled', dayMs, { status: 'canceled' }),
  booking('canceled-meeting', dayMs, {}, { status: 'canceled' }),
  booking('moved', dayMs, { rescheduled: true }),
  booking('moved-to', dayMs, { new_invitee: uri('invitees', 'other') }),
  booking('recapped', dayMs),
  booking('listed', dayMs),
  booking('recap-deleted', dayMs),
];

const submission = (id: string, madeMs: number, result_type = 'event_type') => ({
  uri: uri('submissions', id),
  created_at: ago(madeMs),
  result_type,
});

describe.each(availableEngines)('what needs a person on $name', ({ fresh }) => {
  it('is a meeting that ended without evidence that the invitee came', async () => {
    await using opened = await fresh();
    const { store } = opened;
    expect(await countUnconfirmed(store, Date.now() - 7 * dayMs)).toBe(0);
    await store.transaction(async (unit) => {
      await writeRows(
        unit,
        'invitees',
        bookings.map(({ invitee }) => invitee),
      );
      await writeRows(
        unit,
        'scheduled_events',
        bookings.map(({ meeting }) => meeting),
      );
      await writeRows(unit, 'meeting_recaps', [
        { uri: uri('recaps', '1'), event_uri: uri('events', 'recapped') },
        {
          uri: uri('recaps', '2'),
          event_uri: uri('events', 'listed'),
          attendees: [{ user_email: 'listed@example.test' }],
        },
        { uri: uri('recaps', '3'), event_uri: uri('events', 'recap-deleted'), deleted_at: ago(hourMs) },
      ]);
      await refillBookings(unit);
    });
    const found = async (sinceMs: number) => {
      const since = Date.now() - sinceMs;
      const search = { unconfirmedSince: instantOf(since) };
      const { items } = await findBookings(store, search, { count: 100, descending: true, backwards: false });
      expect(items).toHaveLength(await countUnconfirmed(store, since));
      return items.map((row) => row.last_invitee?.split('/').at(-1)).toSorted();
    };
    // The recap of `recapped` does not say who came.
    expect(await found(7 * dayMs)).toEqual(['open', 'overnight', 'recap-deleted', 'recapped', 'without-end']);
    expect(await found(1.5 * dayMs)).toEqual(['open', 'recap-deleted', 'recapped']);
  });

  it('is a form that led to a booking page and to no booking', async () => {
    await using opened = await fresh();
    const { store } = opened;
    expect(await countUnbooked(store, Date.now() - 7 * dayMs)).toBe(0);
    await store.transaction(async (unit) => {
      await writeRows(unit, 'routing_form_submissions', [
        submission('open', dayMs),
        submission('booked', dayMs),
        submission('elsewhere', dayMs, 'external_url'),
        submission('too-old', 8 * dayMs),
      ]);
      await writeRows(unit, 'invitees', [
        { uri: uri('invitees', '1'), created_at: ago(hourMs), routing_form_submission: uri('submissions', 'booked') },
        { uri: uri('invitees', '2'), created_at: ago(hourMs) },
      ]);
    });
    expect(await countUnbooked(store, Date.now() - 7 * dayMs)).toBe(1);
  });
});
