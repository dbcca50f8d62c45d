// The list of bookings by days. Its other filters are in the golden files of the API, and bookings.engines.test.ts.
import { expect, it } from 'vitest';
import { fillBookingInvitees } from '#src/store/bookings/booking-invitees.ts';
import { writeRows } from '#src/store/rows.ts';
import { uri } from '../../../harness/data/counted-bookings.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { availableEngines } from '../../../harness/stores.ts';

it.each(availableEngines)(
  'bookings and no-shows of a day do not include the first moment of the next, on $name',
  async ({ fresh }) => {
    await using api = await openReadApi(fresh);
    const starts = { last: '2031-05-01T23:59:59.999999Z', next: '2031-05-02T00:00:00.000000Z' };
    await api.store.transaction(async (unit) => {
      for (const [id, time] of Object.entries(starts)) {
        const [invitee, event] = [uri('invitees', id), uri('events', id)];
        await writeRows(unit, 'invitees', [{ uri: invitee, event_uri: event, created_at: time, no_show_at: time }]);
        await writeRows(unit, 'scheduled_events', [{ uri: event, start_time: time }]);
        await writeRows(unit, 'no_shows', [{ invitee_uri: invitee, no_show_uri: uri('marks', id), marked_at: time }]);
      }
      await fillBookingInvitees(unit);
    });
    const day = 'min_start_time=2031-05-01&max_start_time=2031-05-01';
    const listed = async (address: string) => (await api.get(address)).body.collection;
    expect(await listed(`/api/bookings?${day}`)).toMatchObject([{ uri: uri('invitees', 'last') }]);
    expect(await listed(`/api/no_shows?${day}`)).toMatchObject([{ uuid: 'last' }]);
    expect(await listed(`/api/bookings?min_start_time=2031-05-01&max_start_time=${starts.next}`)).toHaveLength(2);
  },
);
