// Loads everything that rules and messages need about bookings, with one query per table for any number of bookings.
import { attendanceOfBookings } from '#src/read/bookings/booking-attendance.ts';
import { lowerCaseEmail } from '#src/store/sql-dialect.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { readColumns } from '#src/store/rows.ts';
import { erasedAmong } from '#src/read/deliveries/log-changes.ts';
import { customFieldReader } from '#workers/alerts/rules/custom-fields.ts';
import { hostsOf } from '#workers/alerts/rules/filter.ts';
import { contactsByAddress, distinct, openMarks } from '#src/read/contacts/contacts-by-address.ts';
import {
  contextColumns,
  type BookingContext,
  type ContactContext,
  type ContextRow,
} from '#workers/alerts/rules/rule.ts';

type Invitee = ContextRow<'invitees'>;
type ScheduledEvent = ContextRow<'scheduled_events'>;

/** By the invitee's URI. Leaves out unknown invitees, and those of erased people: nothing is reported about them. */
export async function loadBookingContexts(
  from: Store | Unit,
  uris: readonly string[],
  { withAttendance = false }: { readonly withAttendance?: boolean } = {},
): Promise<ReadonlyMap<string, BookingContext>> {
  const all = await readColumns(from, 'invitees', lookup(contextColumns.invitees, [...new Set(uris)]));
  // An erased invitee has no e-mail address: only those are checked.
  const erased = await erasedAmong(
    from,
    all.filter(({ email }) => email === null).map(({ uri }) => uri),
  );
  const invitees = all.filter(({ uri }) => !erased.has(uri));
  const addresses = distinct(invitees.map(addressOf));
  const eventUris = distinct(invitees.map(({ event_uri: uri }) => uri));
  const eventRows = await readColumns(from, 'scheduled_events', lookup(contextColumns.scheduled_events, eventUris));
  const events = new Map(eventRows.map((row) => [row.uri, row]));
  const typeUris = distinct(eventRows.map(({ event_type: uri }) => uri));
  const typeRows = await readColumns(from, 'event_types', lookup(['uri', 'name'], typeUris));
  const typeNames = new Map(typeRows.map(({ uri, name }) => [uri, name]));
  const zones = await zonesOf(from, eventRows);
  const contacts = await contactsOf(from, addresses);
  const marks = await openMarks(from, 'address', addresses);
  const inviteeUris = invitees.map(({ uri }) => uri);
  const unaddressed = invitees.filter(({ email }) => email === null).map(({ uri }) => uri);
  const ownMarks = await openMarks(from, 'invitee', unaddressed);
  const attendance = withAttendance ? await attendanceOfBookings(from, inviteeUris) : undefined;
  return new Map(
    invitees.map((invitee) => {
      const event = events.get(invitee.event_uri ?? '');
      const address = addressOf(invitee);
      return [
        invitee.uri,
        {
          invitee,
          event,
          eventTypeName: typeNames.get(event?.event_type ?? '') ?? null,
          hostTimezone: zones.get(firstHostOf(event) ?? '') ?? null,
          zoneOf: (host) => zones.get(host),
          attendance: attendance?.get(invitee.uri),
          contact: address === undefined ? undefined : contacts.get(address),
          marks: (address === undefined ? ownMarks.get(invitee.uri) : marks.get(address)) ?? [],
        },
      ];
    }),
  );
}

const lookup = <const Column extends string>(columns: readonly Column[], values: readonly string[]) =>
  ({ columns, key: 'uri', values }) as const;

const addressOf = ({ email }: Pick<Invitee, 'email'>): string | undefined =>
  email === null ? undefined : lowerCaseEmail(email);

const firstHostOf = (event: ScheduledEvent | undefined): string | undefined => hostsOf({ event })[0]?.uri;

async function zonesOf(
  from: Store | Unit,
  events: readonly ScheduledEvent[],
): Promise<ReadonlyMap<string, string | null>> {
  const values = distinct(events.flatMap((event) => hostsOf({ event }).map(({ uri }) => uri)));
  const users = await readColumns(from, 'users', lookup(['uri', 'timezone'], values));
  return new Map(users.map(({ uri, timezone }) => [uri, timezone]));
}

/** The first contact with each e-mail address that is not deleted. */
async function contactsOf(
  from: Store | Unit,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, ContactContext>> {
  const byAddress = await contactsByAddress(from, addresses);
  const uris = distinct([...byAddress.values()].flat());
  const contactRows = await readColumns(from, 'contacts', lookup(contextColumns.contacts, uris));
  const rows = new Map(contactRows.map((row) => [row.uri, row]));
  const customFields = await customFieldReader(from, contactRows);
  const known = new Map<string, ContactContext>();
  for (const [address, candidates] of byAddress) {
    const row = candidates.flatMap((uri) => rows.get(uri) ?? []).find(({ deleted_at: at }) => at === null);
    if (row === undefined) continue;
    known.set(address, { row, ...customFields(row) });
  }
  return known;
}
