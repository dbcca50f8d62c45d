// Bookings: making one, the meetings on the calendar, and who comes to them.
import type { z } from 'zod';
import { bookingRequest } from '#schemas/booking.ts';
import { invitee, scheduledEvent, type Invitee, type ScheduledEvent } from '#schemas/invitee.ts';
import { inviteeListQuery, scheduledEventListQuery } from '#schemas/list-query.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, callForRecord, checked, type Found, type ListQuery } from '#src/upstream/request.ts';

/** Books. Not repeated after a failure that leaves its outcome open: it sends invitations, and a second one takes another seat. */
export function createInvitee(
  client: Client,
  booking: z.input<typeof bookingRequest>,
  options?: CallOptions,
): Promise<Found<Invitee>> {
  const body = checked(bookingRequest, booking, 'POST /invitees');
  return callForRecord(
    client,
    { method: 'POST', path: '/invitees', body, reads: invitee, hasOwnLimits: true },
    options,
  );
}

/** One of organization, user and group must be named. */
export function listScheduledEvents(
  client: Client,
  query: ListQuery<typeof scheduledEventListQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<ScheduledEvent>> {
  const path = '/scheduled_events';
  return callForList(client, { path, asks: scheduledEventListQuery, query, reads: scheduledEvent }, options);
}

export function getScheduledEvent(client: Client, uri: string, options?: CallOptions): Promise<Found<ScheduledEvent>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: scheduledEvent }, options);
}

export type EventInviteesQuery = ListQuery<typeof inviteeListQuery> & {
  /** The URI of the scheduled event. */
  readonly event: string;
};

/** One call per event: there is no list of all invitees. */
export function listEventInvitees(
  client: Client,
  { event, ...query }: EventInviteesQuery,
  options?: PageOptions,
): AsyncGenerator<ApiPage<Invitee>> {
  return callForList(client, { path: `${event}/invitees`, asks: inviteeListQuery, query, reads: invitee }, options);
}

export function getInvitee(client: Client, uri: string, options?: CallOptions): Promise<Found<Invitee>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: invitee }, options);
}
