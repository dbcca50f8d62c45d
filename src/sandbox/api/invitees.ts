// Booking through the API.
import { bookingRequest } from '#schemas/booking.ts';
import { endpointScopes, permissionMessages } from '#schemas/errors.ts';
import { inviteeResource } from '#schemas/resources/invitee.ts';
import { denied } from '#src/http/http-error.ts';
import { demandBookable } from '#src/sandbox/world/bookings/booking-rules.ts';
import { book } from '#src/sandbox/world/bookings/bookings.ts';
import { isPaid } from '#src/sandbox/world/organizations.ts';
import type { State, StoredEventType } from '#src/sandbox/world/state.ts';
import { demandEventType, isAdministrator } from './permissions.ts';
import { defineOperation, type Caller } from './service-operation.ts';

const messages = permissionMessages['POST /invitees'];

export const inviteeOperations = [
  defineOperation({
    id: 'createInvitee',
    method: 'POST',
    path: '/invitees',
    summary: 'Books an event type for an invitee, without any hosted page',
    scopes: [endpointScopes['POST /invitees']],
    limited: 'bookings',
    permits({ caller }) {
      if (!isPaid(caller.organization)) throw denied(messages.plan);
    },
    body: bookingRequest,
    answers: 'resource',
    status: 201,
    schema: inviteeResource,
    run({ service, caller, body }) {
      const eventType = eventTypeToBook(service.state, caller, body.event_type);
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
] as const;

/** Administrators book whatever their organization offers, others what they host themselves. */
function eventTypeToBook(state: State, caller: Caller, uri: string): StoredEventType {
  const eventType = demandEventType(state, caller, { uri, parameter: 'event_type' });
  if (!isAdministrator(caller) && !eventType.hosts.includes(caller.user.uri)) throw denied(messages.role);
  return eventType;
}
