// The service's meetings and their invitees, read from the mirror.
import { inviteeListQuery, scheduledEventListQuery } from '#schemas/list-query.ts';
import { inviteeResource } from '#schemas/resources/invitee.ts';
import { scheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { notFound } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import type { Store } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { inviteeConditions, meetingConditions } from '#src/store/search/meetings.ts';
import { findRows, rowsByUri, uriEndingWith } from '#src/store/search/record-search.ts';
import { defineOperation } from './api-operation.ts';
import { cancellationOf, inviteeRecord } from './invitees.ts';
import { columnsOf, fieldsOf, isIdentifier, objectsIn, positionIn } from './row-record.ts';

const common = { method: 'GET', conventions: 'service', tag: 'Scheduled events' } as const;
const errors = { 404: 'No such scheduled event.' };

export const scheduledEventOperations = [
  defineOperation({
    ...common,
    id: 'listScheduledEvents',
    path: '/api/scheduled_events',
    summary: 'Meetings, in the order of their start',
    description:
      'As `GET /scheduled_events` of the service, from the mirror. All of them unless an `organization` or a `user` is named.',
    // Groups are not mirrored: naming one is an error, as any unknown parameter is.
    query: scheduledEventListQuery.omit({ group: true }),
    answers: 'collection',
    schema: scheduledEventResource,
    async run({ store, query, pageIn }) {
      const order = 'start_time';
      const where = meetingConditions(store.engine, query);
      const page = await findRows(store, 'scheduled_events', { order, page: pageIn(query.sort), where });
      return listing({ ...page, positionOf: positionIn(order) }, scheduledEventRecord);
    },
  }),
  defineOperation({
    ...common,
    id: 'getScheduledEvent',
    path: '/api/scheduled_events/{uuid}',
    summary: 'One meeting',
    errors,
    answers: 'resource',
    schema: scheduledEventResource,
    run: async ({ store, params }) => scheduledEventRecord(await findMeeting(store, params['uuid'])),
  }),
  defineOperation({
    ...common,
    id: 'listScheduledEventInvitees',
    path: '/api/scheduled_events/{uuid}/invitees',
    summary: 'The invitees of a meeting',
    errors,
    query: inviteeListQuery,
    answers: 'collection',
    schema: inviteeResource,
    async run({ store, params, query, pageIn }) {
      const order = 'created_at';
      const event = String((await findMeeting(store, params['uuid']))['uri']);
      const where = inviteeConditions(store.engine, { email: query.email, status: query.status, event });
      const page = await findRows(store, 'invitees', { order, page: pageIn(query.sort), where });
      return listing({ ...page, positionOf: positionIn(order) }, inviteeRecord);
    },
  }),
] as const;

async function findMeeting(store: Store, id = ''): Promise<StoredRow> {
  const uri = isIdentifier(id) ? await uriEndingWith(store, 'scheduled_events', `/scheduled_events/${id}`) : undefined;
  const [row] = uri === undefined ? [] : await rowsByUri(store, 'scheduled_events', [uri]);
  if (row === undefined) throw notFound('No such scheduled event.');
  return row;
}

function scheduledEventRecord(row: StoredRow): object {
  return {
    ...columnsOf(row, 'uri', 'name', 'meeting_notes_plain', 'meeting_notes_html', 'status', 'start_time', 'end_time'),
    ...columnsOf(row, 'event_type', 'location'),
    invitees_counter: fieldsOf(row['invitees_counter'], 'total', 'active', 'limit'),
    ...columnsOf(row, 'created_at', 'updated_at'),
    event_memberships: objectsIn(row['hosts']).map((host) => fieldsOf(host, 'user', 'user_email', 'user_name')),
    event_guests: objectsIn(row['guests']).map((guest) => fieldsOf(guest, 'email', 'created_at', 'updated_at')),
    ...cancellationOf(row),
  };
}
