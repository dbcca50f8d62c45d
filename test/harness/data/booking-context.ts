// Booking contexts for tests of alerts, with as few values as a test needs.
import type { BookingContext } from '#src/read/bookings/booking-context.ts';
import { tables, type TableName, type TableRow } from '#src/store/schema/tables.ts';
import type { buildReport } from '#workers/out/alerts/message/digest.ts';

/** A row with these values and null everywhere else. */
export function rowOf<Name extends TableName>(name: Name, known: Partial<TableRow<Name>>): TableRow<Name> {
  const empty = Object.fromEntries(Object.keys(tables[name].columns).map((column) => [column, null]));
  return { ...empty, ...known } as TableRow<Name>;
}

export interface Booking {
  readonly invitee?: Partial<TableRow<'invitees'>>;
  readonly event?: Partial<TableRow<'scheduled_events'>>;
  readonly known?: Partial<BookingContext>;
}

export const inviteeUri = 'https://api.example.test/scheduled_events/E1/invitees/I1';

/** What the view would say of it: whether it was canceled, and how long before the start. */
function stateOf({ invitee = {}, event = {} }: Booking): BookingContext['booking'] {
  const { status, canceled_at = null, canceler_type = null, rescheduled, new_invitee: next } = invitee;
  const state = { canceled_at, canceler_type, attendance: null, recapAt: null };
  if (rescheduled === true || next != null) return { ...state, outcome: 'moved', cancel_notice_seconds: null };
  if (status !== 'canceled')
    return { ...state, outcome: 'unknown', attendance: 'unconfirmed', cancel_notice_seconds: null };
  const noticeMs = Date.parse(event.start_time ?? firstStart) - Date.parse(canceled_at ?? '');
  const outcome =
    canceler_type === 'host' ? 'canceled_by_host' : canceler_type === null ? 'canceled' : 'late_cancellation';
  return { ...state, outcome, cancel_notice_seconds: Number.isNaN(noticeMs) ? null : noticeMs / 1_000 };
}

const firstStart = '2026-11-16T14:00:00.000000Z';

/** Ada did not show up for an hour with Grace in Berlin. */
export function bookingContext({ invitee, event, known }: Booking = {}): BookingContext {
  return {
    invitee: rowOf('invitees', {
      uri: inviteeUri,
      name: 'Ada Lovelace',
      email: 'ada@example.test',
      status: 'active',
      rescheduled: false,
      ...invitee,
    }),
    event: rowOf('scheduled_events', {
      uri: 'https://api.example.test/scheduled_events/E1',
      name: 'Introduction',
      start_time: firstStart,
      end_time: '2026-11-16T15:00:00.000000Z',
      hosts: [{ user: 'https://api.example.test/users/U1', user_name: 'Grace Hopper' }],
      ...event,
    }),
    booking: stateOf({ ...(invitee && { invitee }), ...(event && { event }) }),
    eventTypeName: 'Introduction',
    hostTimezone: 'Europe/Berlin',
    contact: undefined,
    marks: [
      {
        inviteeUri,
        noShowUri: 'https://api.example.test/invitee_no_shows/N1',
        markedAt: '2026-11-16T15:10:00.000000Z',
      },
    ],
    ...known,
  };
}

const evening = '2026-11-16T17:00:00.000000Z';

/** The evening report to a host about meetings of which nothing shows that the invitees came. */
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
