// Records as the public service shows them, where it has fields that the specification does not. What the world does not hold follows
// from the id of the record, so that it stays the same.
import type { OrganizationResource } from '#schemas/resources/organization.ts';
import type { EventTypeResource } from '#schemas/resources/event-type.ts';
import type {
  PublicEventTypeResource,
  PublicOrganizationResource,
  PublicScheduledEventResource,
} from '#schemas/resources/public-form.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { idOf, isObject } from '#schemas/wire.ts';
import { randomOf, type Random } from '#src/sandbox/random.ts';
import type { State, StoredEventType } from './service.ts';

type Location = ScheduledEventResource['location'];

/** At most 32 letters and digits. */
const textOf = (random: Random, length: number): string => random.uuid().replaceAll('-', '').slice(0, length);

/** What the conference provider answered: half of the accounts at Zoom have numbers to dial. */
const dialIn = {
  settings: {
    global_dial_in_numbers: [
      { number: '+1 202 555 0142', country: 'US', country_name: 'US', city: 'Washington DC', type: 'toll' },
      { number: '+1 202 555 0187', country: 'US', country_name: 'US', type: 'toll' },
    ],
  },
  extra: { intl_numbers_url: 'https://zoom.example.test/u/numbers' },
};

/** The type of a conference at Zoom is `zoom`; its `data`, and that of Webex, have a password. */
export function publicLocation({ uri, location }: Pick<ScheduledEventResource, 'uri' | 'location'>): Location {
  const random = randomOf('location', idOf(uri));
  const { type, data } = location;
  if (type === 'zoom_conference') {
    const numbers = random.chance(0.5) ? dialIn : {};
    const known = isObject(data) ? data : {};
    return { ...location, type: 'zoom', data: { ...known, ...numbers, password: textOf(random, 6) } };
  }
  if (type !== 'webex_conference') return location;
  return { ...location, data: { id: textOf(random, 32), password: textOf(random, 8) } };
}

/** The calendars that hosts have connected; some have none. */
const calendars = ['google', 'google', 'outlook', null] as const;

/** With the entry in the calendar of the first host. */
export function publicMeeting(meeting: ScheduledEventResource): PublicScheduledEventResource {
  const kind = randomOf('calendar', idOf(meeting.event_memberships[0]?.user ?? '')).pick(calendars);
  const calendar_event = kind && { kind, external_id: textOf(randomOf('calendar', idOf(meeting.uri)), 26) };
  return { ...meeting, location: publicLocation(meeting), calendar_event };
}

export function publicUser(user: UserResource): UserResource & { readonly time_notation: '12h' | '24h' } {
  return { ...user, time_notation: user.timezone.startsWith('America/') ? '12h' : '24h' };
}

export function publicEventType(
  record: EventTypeResource,
  stored: Pick<StoredEventType, 'price' | 'duration_options'> | undefined,
): PublicEventTypeResource {
  const { price = null, duration_options = null } = stored ?? {};
  return { ...record, duration_options: duration_options && [...duration_options], is_paid: price !== null };
}

/** It is as old as its first membership. The recorded plan of a free account is `basic`. */
export function publicOrganization(
  { resource_type: _type, ...organization }: OrganizationResource,
  { memberships }: State,
): PublicOrganizationResource {
  const members = memberships.of('organization', organization.uri);
  const created_at = members.map((one) => one.created_at).toSorted()[0] ?? '';
  const { plan } = organization;
  return {
    ...organization,
    plan: plan === 'free' ? 'basic' : plan,
    id: randomOf('organization', idOf(organization.uri)).int(1_000_000, 99_999_999),
    kind: members.length > 1 ? 'team' : 'single',
    created_at,
    updated_at: created_at,
  };
}
