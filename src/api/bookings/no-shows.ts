// The no-shows as a worklist: each mark with what a person needs to act on it.
import { z } from 'zod';
import { pageQuery } from '#schemas/pagination.ts';
import { instant } from '#schemas/resources/values.ts';
import { idOf, uri } from '#schemas/wire.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import { listing } from '#src/http/pagination.ts';
import { boundary, plainText } from '#src/http/request.ts';
import { alertsAbout, type Alert } from '#src/store/alerts/alert-rows.ts';
import { alertStates } from '#src/store/schema/own-state.ts';
import { findNoShows } from '#src/read/bookings/no-shows.ts';
import type { TableRow } from '#src/store/schema/tables.ts';
import { zonedSpan } from '#src/base/zoned-time.ts';
import { loadBookingContexts } from '#src/read/bookings/booking-context.ts';
import { hostsOf } from '#src/read/bookings/hosts.ts';
import { noShowsUpTo, type BookingContext } from '#src/read/bookings/booking-context.ts';

const text = z.string().nullable();

const noShow = z
  .strictObject({
    uuid: z.string().describe('Of the invitee: the booking is at `/api/bookings/{uuid}`.'),
    invitee_uri: z.string(),
    no_show_uri: z.string(),
    marked_at: instant,
    unmarked_at: instant.nullable().describe('When the mark was removed; null while it is open.'),
    name: text.describe('Null for a person who was erased.'),
    email: text,
    company: text.describe('Of the contact with this address.'),
    contact_uri: text,
    event_name: text,
    event_type_name: text,
    hosts: z.array(z.string()).describe('Their names.'),
    start_time: instant.nullable(),
    end_time: instant.nullable(),
    host_time: text.describe(
      'When the meeting was, as text in the time zone of the first host; in UTC when that is unknown.',
    ),
    invitee_time: text.describe('The same in the time zone of the invitee.'),
    reschedule_url: text.describe('The link of the service to book another time.'),
    missed_before: z.int().describe('Other open no-show marks of this person that are older.'),
    alerts: z
      .array(
        z.strictObject({
          rule: z.string(),
          channel: z.string(),
          state: z.enum(alertStates),
          sent_at: instant.nullable(),
        }),
      )
      .describe('The alerts about this mark.'),
  })
  .meta({ id: 'NoShow' });

const listQuery = pageQuery.extend({
  state: z.enum(['open', 'undone']).default('open').describe('`undone`: marks that were removed.'),
  q: plainText.max(200).optional().describe('A part of the name or of the e-mail address; A to Z in any letter case.'),
  host: uri.optional().describe('The URI of one of the hosts.'),
  event_type: uri.optional().describe('The URI of the event type.'),
  min_start_time: boundary(false).optional().describe('The meeting started then or later: a time, or a day in UTC.'),
  max_start_time: boundary('included')
    .optional()
    .describe('The meeting started then or before: a time, or a day in UTC.'),
});

export const listNoShows = defineOperation({
  id: 'listNoShows',
  method: 'GET',
  path: '/api/no_shows',
  tag: 'Bookings',
  summary: 'No-show marks, newest first',
  description:
    'The open marks of bookings that were neither canceled nor rescheduled, with what is needed to act: person, meeting, both local times, the link to reschedule, and the alerts about it.',
  query: listQuery,
  answers: 'collection',
  schema: noShow,
  async run({ reading, query, pageIn }) {
    const { state, q, host, event_type, min_start_time, max_start_time } = query;
    const search = { state, q, user: host, event_type, min_start_time, max_start_time };
    const page = await findNoShows(reading, search, pageIn('marked_at:desc'));
    const invitees = page.items.map((mark) => mark.invitee_uri);
    const contexts = await loadBookingContexts(reading, invitees);
    const alerts = Map.groupBy(await alertsAbout(reading, invitees), ({ fact }) => fact);
    const positionOf = ({ marked_at, invitee_uri }: TableRow<'no_shows'>) => ({ key: marked_at, uri: invitee_uri });
    return listing({ ...page, positionOf }, (mark) =>
      recordOf(mark, contexts.get(mark.invitee_uri), alerts.get(mark.no_show_uri) ?? []),
    );
  },
});

function recordOf(
  { invitee_uri, no_show_uri, marked_at, unmarked_at }: TableRow<'no_shows'>,
  context: BookingContext | undefined,
  alerts: readonly Alert[],
): z.output<typeof noShow> {
  const { invitee, event, eventTypeName = null, hostTimezone = null, contact } = context ?? {};
  const { start_time = null, end_time = null } = event ?? {};
  const timeIn = (zone: string | null) => (start_time === null ? null : zonedSpan(start_time, end_time, zone));
  const names = [invitee?.first_name, invitee?.last_name].filter(Boolean).join(' ');
  // The mark itself counts, while it is open.
  const marks = context
    ? noShowsUpTo({ inviteeUri: invitee_uri, noShowUri: no_show_uri, markedAt: marked_at }, context)
    : 0;
  return {
    uuid: idOf(invitee_uri),
    invitee_uri,
    no_show_uri,
    marked_at,
    unmarked_at,
    name: invitee?.name || names || null,
    email: invitee?.email ?? null,
    company: contact?.row.company ?? null,
    contact_uri: contact?.row.uri ?? null,
    event_name: event?.name ?? null,
    event_type_name: eventTypeName,
    hosts: hostsOf({ event }).flatMap(({ name, email }) => name ?? email ?? []),
    start_time,
    end_time,
    host_time: timeIn(hostTimezone),
    invitee_time: timeIn(invitee?.timezone ?? null),
    reschedule_url: invitee?.reschedule_url ?? null,
    missed_before: Math.max(0, marks - (unmarked_at === null ? 1 : 0)),
    alerts: alerts.map(({ rule, channel, state, sent_at }) => ({ rule, channel, state, sent_at })),
  };
}
