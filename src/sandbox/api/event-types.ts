// Event types and the times at which they can be booked; writing them is by assumed paths (A23).
import { eventTypeChange, eventTypeRequest } from '#schemas/event-type-request.ts';
import { limits } from '#schemas/limits.ts';
import { availableTimesQuery, eventTypeListQuery } from '#schemas/list-query.ts';
import { availableTimeResource, eventTypeResource } from '#schemas/resources/event-type.ts';
import { denied, invalid } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import { dayMs, minuteMs } from '#src/sandbox/clock.ts';
import { availableTimes, type Span } from '#src/sandbox/world/bookings/booking-rules.ts';
import { createEventType, deleteEventType, eventTypeRecord, updateEventType } from '#src/sandbox/world/event-types.ts';
import { pageOfList } from '#src/sandbox/world/page.ts';
import type { StoredEventType } from '#src/sandbox/world/service.ts';
import {
  demandEventType,
  demandUser,
  isAdministrator,
  noPermission,
  requestedUsers,
  type ListOwner,
} from './permissions.ts';
import { create, get, list, remove, update, type Caller, type ServiceContext } from './service-operation.ts';

/** The specification names no scope for writing event types. */
const scopes = ['event_types:read'] as const;
const eventTypes = { scopes, schema: eventTypeResource } as const;

const orders = ['name', 'position', 'created', 'updated'] as const;

/** `isLeftOut`: what a list does not show, by whose it is. */
export const listEventTypes = (isLeftOut: (eventType: StoredEventType, whose: ListOwner) => boolean) =>
  list('listEventTypes', '/event_types', {
    ...eventTypes,
    summary: 'What can be booked with an organization or a user',
    query: eventTypeListQuery,
    run(call) {
      const { active, sort = 'name:asc', ...whose } = call.query;
      const users = requestedUsers(call, whose);
      const isListed = (one: StoredEventType): boolean =>
        (active ?? one.active) === one.active && one.hosts.some((host) => users.has(host)) && !isLeftOut(one, whose);
      const order = orders.find((name) => sort.startsWith(name)) ?? 'name';
      return listing(call.service.state.eventTypes.page(order, call.pageIn(sort), isListed), eventTypeRecord);
    },
  });

export const eventTypeOperations = [
  listEventTypes(() => false),
  get('getEventType', '/event_types/{uuid}', {
    ...eventTypes,
    summary: 'One event type',
    run: (call) => eventTypeRecord(demandEventType(call, call.uri)),
  }),
  create('createEventType', '/event_types', {
    ...eventTypes,
    summary: 'Makes an event type',
    body: eventTypeRequest,
    run(call) {
      const { service, caller, body } = call;
      const owner = demandUser(call, body.owner, 'owner');
      const hosts = [...new Set(body.hosts ?? [owner.uri])];
      for (const uri of hosts) demandUser(call, uri, 'hosts');
      demandMayChange(caller, [owner.uri, ...hosts]);
      return eventTypeRecord(createEventType(service, { owner, hosts, request: body }));
    },
  }),
  update('updateEventType', '/event_types/{uuid}', {
    ...eventTypes,
    summary: 'Changes an event type; what is left out stays as it is',
    body: eventTypeChange,
    run: (call) => eventTypeRecord(updateEventType(call.service, changeableEventType(call), call.body)),
  }),
  remove('deleteEventType', '/event_types/{uuid}', {
    scopes,
    summary: 'Deletes an event type; its meetings stay',
    run: (call) => deleteEventType(call.service, changeableEventType(call)),
  }),
  list('listEventTypeAvailableTimes', '/event_type_available_times', {
    summary: 'When an event type can be booked, within at most 31 days',
    scopes,
    query: availableTimesQuery,
    schema: availableTimeResource,
    run(call) {
      const { state, clock } = call.service;
      const { event_type, start_time, end_time } = call.query;
      const eventType = demandEventType(call, event_type, 'event_type');
      const nowMs = clock.nowMs();
      const span = { fromMs: Date.parse(start_time), toMs: Date.parse(end_time) };
      demandSpan(span, nowMs);
      // A time has no URI; no two of an event type start together.
      const times = availableTimes(state, eventType, { ...span, fromMs: Math.max(span.fromMs, nowMs) }).map((time) => ({
        uri: '',
        time,
      }));
      const page = pageOfList(times, call.pageIn(), ({ time }) => time.start_time);
      return listing(page, ({ time }) => time);
    },
  }),
];

function changeableEventType(context: ServiceContext): StoredEventType {
  const eventType = demandEventType(context, context.uri);
  demandMayChange(context.caller, eventType.hosts);
  return eventType;
}

/** Administrators, or a user who is its only host. */
function demandMayChange(caller: Caller, hosts: readonly string[]): void {
  if (!isAdministrator(caller) && hosts.some((host) => host !== caller.user.uri)) throw denied(noPermission);
}

/** Who asks from now on is a moment late when the question arrives. */
const tolerance = minuteMs;

function demandSpan({ fromMs, toMs }: Span, nowMs: number): void {
  const { availableTimesDays: days } = limits;
  if (fromMs < nowMs - tolerance) throw invalid({ message: 'expected a time to come', parameter: 'start_time' });
  if (toMs <= fromMs) throw invalid({ message: 'expected a time after start_time', parameter: 'end_time' });
  if (toMs - fromMs > days * dayMs)
    throw invalid({ message: `expected at most ${days} days after start_time`, parameter: 'end_time' });
}
