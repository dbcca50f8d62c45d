// A booking as the API shows it: one journey of the view `booking_journeys`, with the contact of its address.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { idOf } from '#schemas/wire.ts';
import type { Store } from '#src/store/contract.ts';
import { readColumns, type StoredRow } from '#src/store/rows.ts';
import { lowerCaseEmail } from '#src/store/sql-dialect.ts';
import { utmColumns } from '#src/store/schema/tables.ts';
import { attendances } from '#src/store/bookings/evidence.ts';
import { viewColumns } from '#src/store/views/views.ts';
import type { BookingRow } from '#src/read/bookings/bookings.ts';
import { contactsByAddress } from '#src/read/contacts/contacts-by-address.ts';

export const outcomes = [
  'upcoming',
  'held',
  'no_show',
  'canceled_by_host',
  'canceled_by_invitee',
  'late_cancellation',
  'canceled',
  'rescheduled',
] as const;

const journeyColumns = viewColumns('booking_journeys');
const about = (name: string): string => journeyColumns[name]?.about ?? '';

/** Columns of the view, as the API shows them. */
function columns<Name extends string>(...names: readonly Name[]): Record<Name, z.ZodType<string | null>>;
function columns(...names: readonly string[]): Record<string, z.ZodType<string | null>> {
  const schemaOf = (name: string) => (journeyColumns[name]?.kind === 'time' ? instant : z.string()).nullable();
  return Object.fromEntries(names.map((name) => [name, schemaOf(name).describe(about(name))]));
}

export const bookingFields = {
  uuid: z.string().describe('The last part of `last_invitee`: the booking is at `/api/bookings/{uuid}`.'),
  journey_uri: z.string().describe(about('journey_uri')),
  first_invitee: z.string().describe(about('first_invitee')),
  last_invitee: z.string().describe(about('last_invitee')),
  invitees: z.int().describe(about('invitees')),
  moves: z.int().describe(about('moves')),
  outcome: z.enum(outcomes).nullable().describe(about('outcome')),
  attendance: z.enum(attendances).nullable().describe(about('attendance')),
  ...columns('attendance_basis', 'invitee_name', 'invitee_email', 'invitee_timezone', 'contact_uri', 'event_uri'),
  ...columns('event_type', 'event_type_name', 'host', 'host_name', 'location_kind', 'booked_at', 'first_start_time'),
  ...columns('start_time', 'end_time', 'canceled_at', 'canceler_type', 'cancel_reason', 'no_show_at'),
  ...columns('scheduling_method', 'routing_form_submission', ...utmColumns),
};

export async function bookingRecords(store: Store, bookings: readonly BookingRow[]): Promise<readonly StoredRow[]> {
  const addressOf = ({ invitee_email: email }: BookingRow) => (email === null ? '' : lowerCaseEmail(email));
  const contacts = await contactUris(store, [...new Set(bookings.map(addressOf))]);
  return bookings.map((booking) => {
    const row: StoredRow = {
      ...booking,
      uuid: idOf(booking.last_invitee),
      contact_uri: contacts.get(addressOf(booking)) ?? null,
    };
    return Object.fromEntries(Object.keys(bookingFields).map((name) => [name, row[name] ?? null]));
  });
}

/** The contact of each address (in lower case), as the view chooses it. */
async function contactUris(store: Store, addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const byAddress = await contactsByAddress(store, addresses);
  const values = [...new Set([...byAddress.values()].flat())];
  const rows = await readColumns(store, 'contacts', { columns: ['uri', 'deleted_at'], key: 'uri', values });
  const existing = new Set(rows.filter(({ deleted_at: at }) => at === null).map(({ uri }) => uri));
  return new Map(
    [...byAddress].flatMap(([address, uris]) => {
      const uri = uris.find((one) => existing.has(one));
      return uri === undefined ? [] : [[address, uri] as const];
    }),
  );
}
