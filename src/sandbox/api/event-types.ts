// Event types and the times at which they can be booked; writing them is by assumed paths (A23).
import { eventTypeChange, eventTypeRequest } from '#schemas/event-type-request.ts';
import { limits } from '#schemas/limits.ts';
import { availableTimesQuery, eventTypeListQuery } from '#schemas/list-query.ts';
import { availableTimeResource, eventTypeResource } from '#schemas/resources/event-type.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { denied, invalid, notFound } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import { dayMs, minuteMs } from '#src/sandbox/clock.ts';
import { availableTimes, type Span } from '#src/sandbox/world/bookings/availability.ts';
import { createEventType, deleteEventType, eventTypeRecord, updateEventType } from '#src/sandbox/world/event-types.ts';
import type { State } from '#src/sandbox/world/state.ts';
import { demandEventType, isAdministrator, noAccess, noPermission, requestedUsers } from './permissions.ts';
import { defineOperation, type Caller } from './service-operation.ts';

/** The specification names no scope for writing event types. */
const scopes = ['event_types:read'] as const;

const orders = {
  'name:asc': 'name',
  'name:desc': 'name',
  'position:asc': 'position',
  'position:desc': 'position',
  'created_at:asc': 'created',
  'created_at:desc': 'created',
  'updated_at:asc': 'updated',
  'updated_at:desc': 'updated',
} as const;

export const eventTypeOperations = [
  defineOperation({
    id: 'listEventTypes',
    method: 'GET',
    path: '/event_types',
    summary: 'What can be booked with an organization or a user',
    scopes,
    query: eventTypeListQuery,
    answers: 'collection',
    schema: eventTypeResource,
    run({ service: { state }, caller, query: { active, sort = 'name:asc', ...whose }, pageIn }) {
      const users = requestedUsers(state, caller, whose);
      const page = state.eventTypes.page(
        orders[sort],
        pageIn(sort),
        (one) => (active ?? one.active) === one.active && one.hosts.some((host) => users.has(host)),
      );
      return listing(page, eventTypeRecord);
    },
  }),
  defineOperation({
    id: 'getEventType',
    method: 'GET',
    path: '/event_types/{uuid}',
    summary: 'One event type',
    scopes,
    answers: 'resource',
    schema: eventTypeResource,
    run: ({ service, caller, uri }) => eventTypeRecord(demandEventType(service.state, caller, { uri })),
  }),
  defineOperation({
    id: 'createEventType',
    method: 'POST',
    path: '/event_types',
    summary: 'Makes an event type',
    scopes,
    body: eventTypeRequest,
    answers: 'resource',
    status: 201,
    schema: eventTypeResource,
    run({ service, caller, body }) {
      const owner = demandHost(service.state, caller, { uri: body.owner, parameter: 'owner' });
      const hosts = [...new Set(body.hosts ?? [owner.uri])];
      for (const uri of hosts) demandHost(service.state, caller, { uri, parameter: 'hosts' });
      demandMayChange(caller, [owner.uri, ...hosts]);
      return eventTypeRecord(createEventType(service, { owner, hosts, request: body }));
    },
  }),
  defineOperation({
    id: 'updateEventType',
    method: 'PATCH',
    path: '/event_types/{uuid}',
    summary: 'Changes an event type; what is left out stays as it is',
    scopes,
    body: eventTypeChange,
    answers: 'resource',
    schema: eventTypeResource,
    run({ service, caller, uri, body }) {
      const eventType = demandEventType(service.state, caller, { uri });
      demandMayChange(caller, eventType.hosts);
      return eventTypeRecord(updateEventType(service, eventType, body));
    },
  }),
  defineOperation({
    id: 'deleteEventType',
    method: 'DELETE',
    path: '/event_types/{uuid}',
    summary: 'Deletes an event type; its meetings stay',
    scopes,
    answers: 'nothing',
    run({ service, caller, uri }) {
      const eventType = demandEventType(service.state, caller, { uri });
      demandMayChange(caller, eventType.hosts);
      deleteEventType(service, eventType);
    },
  }),
] as const;

function demandHost(
  state: State,
  caller: Caller,
  { uri, parameter }: { readonly uri: string; readonly parameter: string },
): UserResource {
  const user = state.users.get(uri);
  if (user === undefined) throw notFound('No such user.', parameter);
  if (user.current_organization !== caller.organization.uri) throw denied(noAccess);
  return user;
}

/** Administrators, or a user who is its only host. */
function demandMayChange(caller: Caller, hosts: readonly string[]): void {
  if (!isAdministrator(caller) && hosts.some((host) => host !== caller.user.uri)) throw denied(noPermission);
}

export const availableTimeOperations = [
  defineOperation({
    id: 'listEventTypeAvailableTimes',
    method: 'GET',
    path: '/event_type_available_times',
    summary: 'When an event type can be booked, within at most 31 days; all in one page',
    scopes: ['event_types:read'],
    query: availableTimesQuery,
    answers: 'collection',
    schema: availableTimeResource,
    run({ service: { state, clock }, caller, query: { event_type, start_time, end_time } }) {
      const eventType = demandEventType(state, caller, { uri: event_type, parameter: 'event_type' });
      const nowMs = clock.nowMs();
      const span = { fromMs: Date.parse(start_time), toMs: Date.parse(end_time) };
      demandSpan(span, nowMs);
      const records = availableTimes(state, eventType, { ...span, fromMs: Math.max(span.fromMs, nowMs) });
      return { records, first: undefined, last: undefined, hasNext: false, hasPrevious: false };
    },
  }),
] as const;

/** Who asks from now on is a moment late when the question arrives. */
const tolerance = minuteMs;

function demandSpan({ fromMs, toMs }: Span, nowMs: number): void {
  if (fromMs < nowMs - tolerance) throw invalid({ message: 'expected a time to come', parameter: 'start_time' });
  if (toMs <= fromMs) throw invalid({ message: 'expected a time after start_time', parameter: 'end_time' });
  if (toMs - fromMs > limits.availableTimesDays * dayMs)
    throw invalid({
      message: `expected at most ${limits.availableTimesDays} days after start_time`,
      parameter: 'end_time',
    });
}
