// Scheduled events and their invitees.
import { invitee, scheduledEvent, type Invitee, type ScheduledEvent } from '#schemas/invitee.ts';
import { inviteeListQuery, scheduledEventListQuery } from '#schemas/list-query.ts';
import type { Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, type ListQuery } from '#src/upstream/request.ts';

/** The query must name an organization, a user or a group. */
export function listScheduledEvents(
  client: Client,
  query: ListQuery<typeof scheduledEventListQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<ScheduledEvent>> {
  const path = '/scheduled_events';
  return callForList(client, { path, asks: scheduledEventListQuery, query, reads: scheduledEvent }, options);
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
