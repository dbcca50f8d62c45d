// The evening report to a host about meetings of which nothing shows that the invitees came.
import type { BookingContext } from '#src/read/bookings/booking-context.ts';
import type { buildReport } from '#workers/alerts/message/digest.ts';

const evening = '2026-11-16T17:00:00.000000Z';

export const eveningReport = (id: string, contexts: readonly BookingContext[]): Parameters<typeof buildReport>[1] => ({
  id,
  rule: {
    name: 'asks',
    title: 'Unconfirmed meetings',
    about: 'Meetings ended, and nothing shows that the invitees came.',
    page: '/bookings?attendance=unconfirmed',
  },
  occurredAt: evening,
  about: {
    host: 'https://api.example.test/users/U1',
    name: 'Grace Hopper',
    bookings: contexts.map((context) => ({ context, fact: { kind: 'unconfirmed', evening } })),
  },
});
