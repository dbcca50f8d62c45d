// Meetings and who comes to them.
import { inviteeListQuery, scheduledEventListQuery } from '#schemas/list-query.ts';
import { inviteeResource, noShowResource } from '#schemas/resources/invitee.ts';
import { scheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { denied, notFound } from '#src/http/http-error.ts';
import { addressKey } from '#src/sandbox/world/contacts/contact-entry.ts';
import { organizationOf } from '#src/sandbox/world/event-types.ts';
import { pageOfList } from '#src/sandbox/world/page.ts';
import type { State } from '#src/sandbox/world/state.ts';
import { listing } from '#src/http/pagination.ts';
import { isAdministrator, noAccess, requestedUsers } from './permissions.ts';
import { defineOperation, type Caller } from './service-operation.ts';

const scopes = ['scheduled_events:read'] as const;

export const scheduledEventOperations = [
  defineOperation({
    id: 'listScheduledEvents',
    method: 'GET',
    path: '/scheduled_events',
    summary: 'Meetings of an organization, a user or a group',
    scopes,
    query: scheduledEventListQuery,
    answers: 'collection',
    schema: scheduledEventResource,
    run({ service: { state }, caller, query, pageIn }) {
      const users = requestedUsers(state, caller, query);
      const { invitee_email, status, min_start_time = '', max_start_time = '~' } = query;
      const matches = (event: ScheduledEventResource): boolean =>
        event.start_time >= min_start_time &&
        event.start_time <= max_start_time &&
        (status === undefined || event.status === status) &&
        event.event_memberships.some(({ user }) => users.has(user));
      const request = pageIn(query.sort);
      const page =
        invitee_email === undefined
          ? state.scheduledEvents.page('start', request, matches)
          : pageOfList(meetingsWith(state, invitee_email).filter(matches), request, (event) => event.start_time);
      return listing(page, (event) => event);
    },
  }),
  defineOperation({
    id: 'getScheduledEvent',
    method: 'GET',
    path: '/scheduled_events/{uuid}',
    summary: 'One meeting',
    scopes,
    answers: 'resource',
    schema: scheduledEventResource,
    run: ({ service, caller, uri }) => demandMeeting(service.state, caller, uri),
  }),
  defineOperation({
    id: 'listScheduledEventInvitees',
    method: 'GET',
    path: '/scheduled_events/{uuid}/invitees',
    summary: 'Who comes to a meeting',
    scopes,
    query: inviteeListQuery,
    answers: 'collection',
    schema: inviteeResource,
    run({ service: { state }, caller, uri, query: { email, status, sort }, pageIn }) {
      demandMeeting(state, caller, uri);
      const found = state.invitees
        .of('event', uri)
        .filter((one) => (email === undefined || one.email === email) && (status ?? one.status) === one.status);
      const page = pageOfList(found, pageIn(sort), ({ created_at }) => created_at);
      return listing(page, (invitee) => invitee);
    },
  }),
  defineOperation({
    id: 'getScheduledEventInvitee',
    method: 'GET',
    path: '/scheduled_events/{uuid}/invitees/{invitee_uuid}',
    summary: 'One invitee',
    scopes,
    answers: 'resource',
    schema: inviteeResource,
    run({ service: { state }, caller, uri }) {
      const invitee = state.invitees.get(uri);
      if (invitee === undefined) throw notFound('No such invitee.');
      demandMeeting(state, caller, invitee.event);
      return invitee;
    },
  }),
  defineOperation({
    id: 'getInviteeNoShow',
    method: 'GET',
    path: '/invitee_no_shows/{uuid}',
    summary: 'The mark of an invitee who did not come',
    scopes,
    answers: 'resource',
    schema: noShowResource,
    run({ service: { state }, caller, uri }) {
      const invitee = state.invitees.values().find(({ no_show }) => no_show?.uri === uri);
      if (!invitee?.no_show) throw notFound('No such no-show.');
      demandMeeting(state, caller, invitee.event);
      return { ...invitee.no_show, invitee: invitee.uri };
    },
  }),
] as const;

/** A meeting is seen by its hosts and by the administrators of their organization. */
function demandMeeting(state: State, caller: Caller, uri: string): ScheduledEventResource {
  const event = state.scheduledEvents.get(uri);
  if (event === undefined) throw notFound('No such scheduled event.');
  const hosts = event.event_memberships.map(({ user }) => user);
  const isOurs = organizationOf(state, hosts) === caller.organization.uri;
  if (!isOurs || !(isAdministrator(caller) || hosts.includes(caller.user.uri))) throw denied(noAccess);
  return event;
}

function meetingsWith(state: State, email: string): readonly ScheduledEventResource[] {
  const found = state.invitees.of('email', addressKey(email)).filter((invitee) => invitee.email === email);
  const events = new Set(found.map(({ event }) => event));
  return [...events].flatMap((uri) => state.scheduledEvents.get(uri) ?? []);
}
