// Finds the bookings whose rules must be evaluated again after new log entries: those the entries are about, the invitees before and
// after their moves, those of the same meeting when it changed, and those of the same person when a rule depends on the person.
import { readJson } from '#schemas/json-text.ts';
import { isObject, propertyOf } from '#schemas/wire.ts';
import { isCreated } from '#src/base/changed-items.ts';
import type { Store } from '#src/store/contract.ts';
import { lowerCaseEmail } from '#src/store/sql-dialect.ts';
import { readColumns } from '#src/store/rows.ts';
import { alertedSubjects } from '#src/store/alerts/alert-rows.ts';
import { recentBookings } from '#src/read/bookings/recent-bookings.ts';
import { changesOfEntries, erasureFamily, type ChangeEntry } from '#src/read/deliveries/log-changes.ts';
import { embeddedUri, tableOfEvent } from '#workers/fold/projections/touches.ts';
import {
  addressesOf,
  bookingsByAddress,
  bookingsOfEvents,
  distinct,
  inviteesOfSameBookings,
  openMarks,
} from '#src/read/contacts/contacts-by-address.ts';

/** What the rules depend on besides the booking itself. */
export interface RuleDependencies {
  /** The names of the rules that depend on contacts. */
  readonly contacts: readonly string[];
  readonly marks: boolean;
  readonly attendance: boolean;
}

/** The bookings these entries may affect. Alerts about facts before `since` no longer change. */
export async function affectedBookings(
  store: Store,
  entries: readonly ChangeEntry[],
  { dependencies, since }: { readonly dependencies: RuleDependencies; readonly since: string },
): Promise<readonly string[]> {
  const direct = entries.filter(({ family }) => tableOfEvent(family) === 'invitees' || family === erasureFamily);
  const contacts = dependencies.contacts.length > 0 ? entries.filter(({ family }) => family === 'contact') : [];
  const recaps = dependencies.attendance
    ? entries.filter(({ family }) => tableOfEvent(family) === 'meeting_recaps')
    : [];
  const before = await changesOf(store, [...direct, ...contacts, ...recaps]);
  const linked = direct.flatMap(({ uri, seq }) => [uri, ...(before.get(seq)?.links ?? [])]);
  const read = entries.flatMap(({ family, uri }) => (family === 'scheduled_event' ? [uri] : []));
  const changed = [...direct, ...recaps].flatMap(({ seq }) => before.get(seq)?.event ?? []);
  const recapRows = await readColumns(store, 'meeting_recaps', {
    columns: ['event_uri'],
    key: 'uri',
    values: distinct(recaps.map(({ uri }) => uri)),
  });
  const recapped = recapRows.flatMap(({ event_uri: uri }) => uri ?? []);
  const found = [
    ...linked,
    ...(await inviteesOfSameBookings(store, distinct(linked))),
    ...(await bookingsOfEvents(store, distinct([...read, ...changed, ...recapped]))),
  ];
  if (dependencies.contacts.length > 0) {
    const former = contacts.flatMap(({ seq }) => before.get(seq)?.addresses ?? []);
    const addresses = [...(await addressesOf(store, distinct(contacts.map(({ uri }) => uri)))), ...former];
    found.push(...(await bookingsByAddress(store, distinct(addresses))));
    // The label of a field or an option changed: any contact may have it.
    const isDefinition = entries.some(({ family }) => family === 'custom_field_definition');
    if (isDefinition) found.push(...(await recentBookings(store, since)));
    if (isDefinition || entries.some(({ redacts }) => redacts))
      found.push(...(await alertedSubjects(store, dependencies.contacts, since)));
  }
  if (dependencies.marks) {
    const rows = await readColumns(store, 'invitees', { columns: ['email'], key: 'uri', values: distinct(found) });
    const former = direct.flatMap(({ seq }) => before.get(seq)?.addresses ?? []);
    const now = rows.flatMap(({ email }) => (email === null ? [] : [lowerCaseEmail(email)]));
    const marks = await openMarks(store, 'address', distinct([...now, ...former]));
    found.push(...[...marks.values()].flat().map(({ inviteeUri }) => inviteeUri));
  }
  return distinct(found);
}

interface PreviousValues {
  /** E-mail addresses before the change. */
  readonly addresses: readonly string[];
  /** The invitees that it named as the one before and the one after its move. */
  readonly links: readonly string[];
  /** The meeting, when columns changed that rules depend on: it may have other invitees. Of a recap, the meeting it was of before. */
  readonly event: string | undefined;
}

const eventColumns = [
  'name',
  'event_type',
  'status',
  'start_time',
  'end_time',
  'hosts',
  'canceler_type',
  'canceled_at',
];

async function changesOf(store: Store, entries: readonly ChangeEntry[]): Promise<ReadonlyMap<number, PreviousValues>> {
  const found = new Map<number, PreviousValues>();
  for await (const { seq, changes, body } of changesOfEntries(store, entries, { withBodies: true }))
    found.set(seq, previousValues(changes, body));
  return found;
}

/** The value of a column before a change. */
export const valueBefore = (change: unknown): unknown => propertyOf(change, '0');

function previousValues(changes: unknown, body: unknown): PreviousValues {
  const event = propertyOf(changes, 'scheduled_events');
  const emails = valueBefore(propertyOf(propertyOf(changes, 'contacts'), 'emails'));
  const listed = Array.isArray(emails) ? emails.map((each: unknown) => propertyOf(each, 'email')) : [];
  const [own, ...links] = ['email', 'old_invitee', 'new_invitee'].map((column) =>
    valueBefore(propertyOf(propertyOf(changes, 'invitees'), column)),
  );
  const recapped = valueBefore(propertyOf(propertyOf(changes, 'meeting_recaps'), 'event_uri'));
  return {
    addresses: [own, ...listed].flatMap((one) => (typeof one === 'string' ? [lowerCaseEmail(one)] : [])),
    links: links.filter((link) => typeof link === 'string'),
    event:
      isCreated(event) || eventColumns.some((column) => propertyOf(event, column) !== undefined)
        ? eventIn(body)
        : typeof recapped === 'string'
          ? recapped
          : undefined,
  };
}

/** The meeting in the body need not be the one in the row: a later fact may have changed it. */
function eventIn(body: unknown): string | undefined {
  const read = readJson(String(body));
  const payload = read.ok ? propertyOf(read.value, 'payload') : undefined;
  return isObject(payload) ? embeddedUri(payload, { key: 'scheduled_event' }) : undefined;
}
