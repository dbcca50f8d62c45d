// Meetings, who comes to them, booking one through the API, and marking who did not come.
import { bookingRequest, cancellationRequest, noShowRequest } from '#schemas/booking.ts';
import { cancellationMessages, endpointScopes, permissionMessages } from '#schemas/errors.ts';
import { inviteeListQuery, scheduledEventListQuery } from '#schemas/list-query.ts';
import { inviteeResource, noShowResource, type InviteeResource } from '#schemas/resources/invitee.ts';
import {
  cancellationResource,
  scheduledEventResource,
  type ScheduledEventResource,
} from '#schemas/resources/scheduled-event.ts';
import { denied } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import { instantOf } from '#src/sandbox/clock.ts';
import { demandBookable } from '#src/sandbox/world/bookings/booking-rules.ts';
import { book, cancelMeeting, markNoShow, unmarkNoShow } from '#src/sandbox/world/bookings/bookings.ts';
import { addressKey } from '#src/sandbox/world/contacts/contact-entry.ts';
import { organizationOf } from '#src/sandbox/world/event-types.ts';
import { pageOfList } from '#src/sandbox/world/page.ts';
import { found, type State } from '#src/sandbox/world/service.ts';
import {
  demandEventType,
  isAdministrator,
  isOnPlan,
  isVisible,
  requestedUsers,
  visible,
  type CallContext,
} from './permissions.ts';
import { create, get, list, remove, type ServiceContext } from './service-operation.ts';

const scopes = ['scheduled_events:read'] as const;
const writing = { scopes: [endpointScopes['POST /invitees']] } as const;
const bookingMessages = permissionMessages['POST /invitees'];

export const scheduledEventOperations = [
  create('createInvitee', '/invitees', {
    summary: 'Books an event type for an invitee, without any hosted page',
    ...writing,
    limited: 'bookings',
    permits(call) {
      if (!isOnPlan(call)) throw denied(bookingMessages.plan);
    },
    body: bookingRequest,
    schema: inviteeResource,
    run(call) {
      const { service, caller, body } = call;
      const eventType = demandEventType(call, body.event_type, 'event_type');
      // Administrators book whatever their organization offers, others what they host themselves.
      if (!isAdministrator(caller) && !eventType.hosts.includes(caller.user.uri)) throw denied(bookingMessages.role);
      demandBookable(service.clock, eventType, body);
      return book(service, {
        eventType,
        startTime: body.start_time,
        invitee: body.invitee,
        location: body.location,
        answers: body.questions_and_answers,
        tracking: body.tracking,
        guests: body.event_guests,
        scheduledBy: caller.user.uri,
        method: 'api',
      });
    },
  }),
  list('listScheduledEvents', '/scheduled_events', {
    summary: 'Meetings of an organization, a user or a group',
    scopes,
    query: scheduledEventListQuery,
    schema: scheduledEventResource,
    run(call) {
      const { state } = call.service;
      const users = requestedUsers(call, call.query);
      const { invitee_email, status, min_start_time = '', max_start_time = '~', sort } = call.query;
      const matches = (event: ScheduledEventResource): boolean =>
        event.start_time >= min_start_time &&
        event.start_time <= max_start_time &&
        (status ?? event.status) === event.status &&
        event.event_memberships.some(({ user }) => users.has(user));
      if (invitee_email === undefined) return listing(state.scheduledEvents.page('start', call.pageIn(sort), matches));
      const events = meetingsWith(state, invitee_email).filter(matches);
      return listing(pageOfList(events, call.pageIn(sort), (event) => event.start_time));
    },
  }),
  get('getScheduledEvent', '/scheduled_events/{uuid}', {
    summary: 'One meeting',
    scopes,
    schema: scheduledEventResource,
    run: (call) => demandMeeting(call, call.uri),
  }),
  list('listScheduledEventInvitees', '/scheduled_events/{uuid}/invitees', {
    summary: 'Who comes to a meeting',
    scopes,
    query: inviteeListQuery,
    schema: inviteeResource,
    run(call) {
      const { email, status, sort } = call.query;
      const { uri } = demandMeeting(call, call.uri);
      const invitees = call.service.state.invitees
        .of('event', uri)
        .filter((one) => (email ?? one.email) === one.email && (status ?? one.status) === one.status);
      return listing(pageOfList(invitees, call.pageIn(sort), ({ created_at }) => created_at));
    },
  }),
  get('getScheduledEventInvitee', '/scheduled_events/{uuid}/invitees/{invitee_uuid}', {
    summary: 'One invitee',
    scopes,
    schema: inviteeResource,
    run(call) {
      const invitee = found(call.service.state.invitees.get(call.uri), 'invitee');
      demandMeeting(call, invitee.event);
      return invitee;
    },
  }),
  get('getInviteeNoShow', '/invitee_no_shows/{uuid}', {
    summary: 'The mark of an invitee who did not come',
    scopes,
    schema: noShowResource,
    run: (call) => noShowRecord(demandMarked(call)),
  }),
  create('createInviteeNoShow', '/invitee_no_shows', {
    ...writing,
    summary: 'Marks an invitee who did not come',
    body: noShowRequest,
    schema: noShowResource,
    run(call) {
      const invitee = found(call.service.state.invitees.get(call.body.invitee), 'invitee', 'invitee');
      demandMeeting(call, invitee.event);
      return noShowRecord(markNoShow(call.service, invitee));
    },
  }),
  remove('deleteInviteeNoShow', '/invitee_no_shows/{uuid}', {
    ...writing,
    summary: 'Removes the mark',
    run: (call) => void unmarkNoShow(call.service, demandMarked(call)),
  }),
];

export const cancellationOperations = [
  create('cancelScheduledEvent', '/scheduled_events/{uuid}/cancellation', {
    ...writing,
    summary: 'Cancels a meeting, with everyone who comes to it',
    body: cancellationRequest,
    schema: cancellationResource,
    run(call) {
      const { service, caller, body } = call;
      const meeting = found(service.state.scheduledEvents.get(call.uri), 'scheduled event');
      if (!isVisible(caller, ...ofHosts(service.state, meeting))) throw denied(cancellationMessages.role);
      if (meeting.status === 'canceled') throw denied(cancellationMessages.canceled);
      if (meeting.end_time <= instantOf(service.clock.nowMs())) throw denied(cancellationMessages.over);
      const reason = body.reason ?? null;
      return cancelMeeting(service, meeting, { cancelerType: 'host', reason, canceledBy: caller.user.name });
    },
  }),
];

/** A meeting is seen by its hosts and by the administrators of their organization. */
function demandMeeting({ service: { state }, caller }: CallContext, uri: string): ScheduledEventResource {
  const event = found(state.scheduledEvents.get(uri), 'scheduled event');
  visible(caller, ...ofHosts(state, event));
  return event;
}

function ofHosts(state: State, { event_memberships }: ScheduledEventResource) {
  const hosts = event_memberships.map(({ user }) => user);
  return [{ organization: organizationOf(state, hosts) }, hosts] as const;
}

function demandMarked(call: ServiceContext): InviteeResource {
  const { invitees } = call.service.state;
  const invitee = found(
    invitees.values().find(({ no_show }) => no_show?.uri === call.uri),
    'no-show',
  );
  demandMeeting(call, invitee.event);
  return invitee;
}

const noShowRecord = ({ uri: invitee, no_show }: InviteeResource): object => ({ ...no_show, invitee });

function meetingsWith(state: State, email: string): readonly ScheduledEventResource[] {
  const invitees = state.invitees.of('email', addressKey(email)).filter((invitee) => invitee.email === email);
  const events = new Set(invitees.map(({ event }) => event));
  return [...events].flatMap((uri) => state.scheduledEvents.get(uri) ?? []);
}
