// A booking as the API shows it: one row of the view `bookings`.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { idOf } from '#schemas/wire.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { attendances, outcomes } from '#src/store/bookings/words.ts';
import { viewColumns } from '#src/store/views/views.ts';
import type { BookingRow } from '#src/read/bookings/bookings.ts';

const bookingColumns = viewColumns('bookings');
const about = (name: string): string => bookingColumns[name]?.about ?? '';

/** Columns of the view, as the API shows them. */
function columns<Name extends string>(...names: readonly Name[]): Record<Name, z.ZodType<string | null>>;
function columns(...names: readonly string[]): Record<string, z.ZodType<string | null>> {
  const schemaOf = (name: string) => (bookingColumns[name]?.kind === 'time' ? instant : z.string()).nullable();
  return Object.fromEntries(names.map((name) => [name, schemaOf(name).describe(about(name))]));
}

export const bookingFields = {
  uuid: z.string().describe('The last part of `last_invitee`: the booking is at `/api/bookings/{uuid}`.'),
  uri: z.string().describe(about('uri')),
  first_invitee: z.string().describe(about('first_invitee')),
  last_invitee: z.string().describe(about('last_invitee')),
  invitees: z.int().describe(about('invitees')),
  moves: z.int().describe(about('moves')),
  outcome: z.enum(outcomes).nullable().describe(about('outcome')),
  attendance: z.enum(attendances).nullable().describe(about('attendance')),
  ...columns('attendance_basis', 'invitee_name', 'invitee_email', 'invitee_timezone', 'contact_uri', 'event_uri'),
  ...columns('event_type', 'event_type_name', 'host', 'host_name', 'booked_at', 'made_at'),
  ...columns('start_time', 'end_time', 'canceled_at', 'canceler_type', 'cancel_reason', 'no_show_at'),
  ...columns('scheduling_method', 'routing_form_submission', 'utm_source', 'utm_medium', 'utm_campaign'),
};

export function bookingRecord(booking: BookingRow): StoredRow {
  const row: StoredRow = { ...booking, uuid: idOf(booking.last_invitee) };
  return Object.fromEntries(Object.keys(bookingFields).map((name) => [name, row[name] ?? null]));
}
