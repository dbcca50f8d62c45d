// Event types: listed, shown, and, by assumed paths, made, changed and deleted (A23).
import { eventTypeChange, eventTypeRequest } from '#schemas/event-type-request.ts';
import { eventTypeListQuery } from '#schemas/list-query.ts';
import { eventTypeResource } from '#schemas/resources/event-type.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { denied, notFound } from '#src/http/http-error.ts';
import { createEventType, deleteEventType, eventTypeRecord, updateEventType } from '#src/sandbox/world/event-types.ts';
import type { State } from '#src/sandbox/world/state.ts';
import type { Caller } from './caller.ts';
import { demandEventType } from './event-type-access.ts';
import { listing } from '#src/http/pagination.ts';
import { defineOperation } from './operation.ts';
import { isAdministrator, noAccess, noPermission, usersAskedFor } from './permissions.ts';

/** The specification names no scope for writing event types. */
const scopes = ['event_types:read'] as const;

const orders = { name: 'name', position: 'position', created_at: 'created', updated_at: 'updated' } as const;

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
      const users = usersAskedFor(state, caller, whose);
      const [field] = sort.split(':') as [keyof typeof orders];
      const page = state.eventTypes.page(
        orders[field],
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
