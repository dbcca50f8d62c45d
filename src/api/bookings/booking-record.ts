// A booking as the API shows it: one journey of the view `booking_journeys`, with the contact of its address.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { idOf } from '#src/api/row-record.ts';
import type { Store } from '#src/store/contract.ts';
import { readColumns, type StoredRow } from '#src/store/rows.ts';
import { lowerCaseEmail } from '#src/store/sql-dialect.ts';
import { attendances } from '#src/store/views/attendance.ts';
import { bookingJourneys } from '#src/store/views/booking-journeys.ts';
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

const about = (name: string): string => bookingJourneys.columns[name]?.about ?? '';
const text = (name: string) => z.string().nullable().describe(about(name));
const time = (name: string) => instant.nullable().describe(about(name));

export const bookingFields = {
  uuid: z.string().describe('The last part of `last_invitee`: the booking is at `/api/bookings/{uuid}`.'),
  journey_uri: z.string().describe(about('journey_uri')),
  first_invitee: z.string().describe(about('first_invitee')),
  last_invitee: z.string().describe(about('last_invitee')),
  invitees: z.int().describe(about('invitees')),
  moves: z.int().describe(about('moves')),
  outcome: z.enum(outcomes).nullable().describe(about('outcome')),
  attendance: z.enum(attendances).nullable().describe(about('attendance')),
  attendance_basis: text('attendance_basis'),
  invitee_name: text('invitee_name'),
  invitee_email: text('invitee_email'),
  invitee_timezone: text('invitee_timezone'),
  contact_uri: text('contact_uri'),
  event_uri: text('event_uri'),
  event_type: text('event_type'),
  event_type_name: text('event_type_name'),
  host: text('host'),
  host_name: text('host_name'),
  location_kind: text('location_kind'),
  booked_at: time('booked_at'),
  first_start_time: time('first_start_time'),
  start_time: time('start_time'),
  end_time: time('end_time'),
  canceled_at: time('canceled_at'),
  canceler_type: text('canceler_type'),
  cancel_reason: text('cancel_reason'),
  no_show_at: time('no_show_at'),
  scheduling_method: text('scheduling_method'),
  routing_form_submission: text('routing_form_submission'),
  utm_source: text('utm_source'),
  utm_medium: text('utm_medium'),
  utm_campaign: text('utm_campaign'),
  utm_content: text('utm_content'),
  utm_term: text('utm_term'),
};

/** The records of these journeys, in order. */
export async function bookingRecords(store: Store, journeys: readonly StoredRow[]): Promise<readonly StoredRow[]> {
  const addressOf = ({ invitee_email: email }: StoredRow) => (typeof email === 'string' ? lowerCaseEmail(email) : '');
  const contacts = await contactUris(store, [...new Set(journeys.map(addressOf))]);
  return journeys.map((journey) => {
    const own = {
      uuid: idOf(String(journey['last_invitee'])),
      contact_uri: contacts.get(addressOf(journey)) ?? null,
    };
    const row: StoredRow = { ...journey, ...own };
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
