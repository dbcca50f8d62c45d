// Loads everything that rules and messages need about bookings, with one query per table for any number of bookings.
import { statesOfBookings, type BookingState } from './booking-attendance.ts';
import { lowerCaseEmail } from '#src/store/sql-dialect.ts';
import type { Readable } from '#src/store/contract.ts';
import { readColumns } from '#src/store/rows.ts';
import { columnsOf, type TableRow } from '#src/store/schema/tables.ts';
import { erasedAmong } from '#src/read/deliveries/log-changes.ts';
import { customFieldReader, type FieldValues } from '#src/read/contacts/custom-fields.ts';
import { hostsOf } from './hosts.ts';
import { contactsByAddress, distinct, openMarks, type NoShowMark } from '#src/read/contacts/contacts-by-address.ts';

/** The columns that rules and messages use. */
export const contextColumns = {
  invitees: columnsOf(
    'invitees',
    'uri email name first_name last_name timezone status rescheduled new_invitee event_uri created_at cancel_reason reschedule_url no_show_uri no_show_at utm_source utm_medium utm_campaign utm_content utm_term',
  ),
  scheduled_events: columnsOf('scheduled_events', 'uri name event_type start_time end_time hosts'),
  contacts: columnsOf(
    'contacts',
    'uri name primary_email timezone job_title company country state city linkedin creation_source deleted_source emails phone_numbers custom_fields first_email_date last_email_date next_meeting_date last_meeting_date last_interaction_date created_at updated_at deleted_at as_of',
  ),
};

export type ContextRow<Name extends keyof typeof contextColumns> = Pick<
  TableRow<Name>,
  Extract<(typeof contextColumns)[Name][number], keyof TableRow<Name>>
>;

/** A contact, with its custom fields by label. */
export interface ContactContext extends FieldValues {
  readonly row: ContextRow<'contacts'>;
}

/** Everything known about one booking at the moment the rules are evaluated. */
export interface BookingContext {
  readonly invitee: ContextRow<'invitees'>;
  readonly event: ContextRow<'scheduled_events'> | undefined;
  readonly eventTypeName: string | null;
  /** The time zone of the first host's profile, in which messages show times; null when it is unknown. */
  readonly hostTimezone: string | null;
  zoneOf?(host: string): string | null | undefined;
  /** What the view says of the booking; undefined for an invitee that another one followed, or whose meeting is not known. */
  readonly booking?: BookingState | undefined;
  /** The contact with the invitee's e-mail address; undefined when there is none. */
  readonly contact: ContactContext | undefined;
  /** All open no-show marks of the person with the invitee's e-mail address, oldest first, including this booking's. */
  readonly marks: readonly NoShowMark[];
}

type Invitee = ContextRow<'invitees'>;
type ScheduledEvent = ContextRow<'scheduled_events'>;

/** By the invitee's URI. Leaves out unknown invitees, and those of erased people: nothing is reported about them. */
export async function loadBookingContexts(
  from: Readable,
  uris: readonly string[],
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
  const states = await statesOfBookings(from, inviteeUris);
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
          booking: states.get(invitee.uri),
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

async function zonesOf(from: Readable, events: readonly ScheduledEvent[]): Promise<ReadonlyMap<string, string | null>> {
  const values = distinct(events.flatMap((event) => hostsOf({ event }).map(({ uri }) => uri)));
  const users = await readColumns(from, 'users', lookup(['uri', 'timezone'], values));
  return new Map(users.map(({ uri, timezone }) => [uri, timezone]));
}

/** The first contact with each e-mail address that is not deleted. */
async function contactsOf(from: Readable, addresses: readonly string[]): Promise<ReadonlyMap<string, ContactContext>> {
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

/** The no-shows of the person up to the mark of this booking: a later mark does not make an earlier one count. */
export function noShowsUpTo(mark: NoShowMark, { marks }: BookingContext, windowMs = Number.POSITIVE_INFINITY): number {
  const since = Date.parse(mark.markedAt) - windowMs;
  return marks.filter(({ markedAt }) => markedAt <= mark.markedAt && Date.parse(markedAt) > since).length;
}
