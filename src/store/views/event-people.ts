// The hosts and the guests of scheduled events, one row each, out of the JSON lists of the events.
import { sql } from 'kysely';
import { integer, text, type View } from './view.ts';

export const scheduledEventHosts: View = {
  name: 'scheduled_event_hosts',
  about: 'One row per host of a scheduled event.',
  columns: {
    event_uri: text('URI of the scheduled event'),
    position: integer('position in the list of hosts, from 1; the first is `booking_journeys.host`'),
    user_uri: text('URI of the user; null if the list does not name one'),
    name: text('name of the user: from `users`, else as the event has it'),
    email: text('e-mail address of the user: from `users`, else as the event has it'),
  },
  key: ['event_uri', 'position'],
  since: undefined,
  select: ({ items, itemPosition, itemText }) => sql`
    select scheduled_events.uri as event_uri, ${itemPosition} as position, ${itemText('user')} as user_uri,
      coalesce(users.name, ${itemText('user_name')}) as name, coalesce(users.email, ${itemText('user_email')}) as email
    from scheduled_events cross join ${items(sql`scheduled_events.hosts`)}
    left join users on users.uri = ${itemText('user')}`,
};

export const scheduledEventGuests: View = {
  name: 'scheduled_event_guests',
  about: 'One row per guest whom an invitee added to a scheduled event. Guests are not invitees.',
  columns: {
    event_uri: text('URI of the scheduled event'),
    position: integer('position in the list of guests, from 1'),
    email: text('e-mail address of the guest'),
  },
  key: ['event_uri', 'position'],
  since: undefined,
  select: ({ items, itemPosition, itemText }) => sql`
    select scheduled_events.uri as event_uri, ${itemPosition} as position, ${itemText('email')} as email
    from scheduled_events cross join ${items(sql`scheduled_events.guests`)}`,
};
