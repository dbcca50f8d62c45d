// The service's meetings and who comes to them, read from the mirror.
import { inviteeListQuery, scheduledEventListQuery } from '#schemas/list-query.ts';
import { inviteeResource } from '#schemas/resources/invitee.ts';
import { scheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { listing } from '#src/http/pagination.ts';
import { notFound } from '#src/http/http-error.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { inviteeConditions, meetingConditions } from '#src/store/search/meetings.ts';
import { findRows, rowsByUri, uriEndingWith } from '#src/store/search/record-search.ts';
import { inviteeRecord, scheduledEventRecord } from './meeting-record.ts';
import { defineOperation, type Operation, type ReaderNeeds } from './operation.ts';
import { isIdentifier, positionIn } from './row-position.ts';

const tag = 'Scheduled events';
const refusals = { 404: 'No such scheduled event.' };

export function scheduledEventOperations({ store }: ReaderNeeds): readonly Operation[] {
  async function demand(id = ''): Promise<StoredRow> {
    const uri = isIdentifier(id)
      ? await uriEndingWith(store, 'scheduled_events', `/scheduled_events/${id}`)
      : undefined;
    const [row] = uri === undefined ? [] : await rowsByUri(store, 'scheduled_events', [uri]);
    if (row === undefined) throw notFound('No such scheduled event.');
    return row;
  }

  return [
    defineOperation({
      id: 'listScheduledEvents',
      method: 'GET',
      conventions: 'service',
      path: '/api/scheduled_events',
      tag,
      summary: 'Meetings, in the order of their start',
      description:
        'As `GET /scheduled_events` of the service, from the mirror. All of them unless an `organization` or a `user` is named.',
      // Groups are not mirrored: naming one is refused as any unknown parameter.
      query: scheduledEventListQuery.omit({ group: true }),
      answers: 'collection',
      schema: scheduledEventResource,
      async run({ query, pageIn }) {
        const order = 'start_time';
        const where = meetingConditions(store.engine, query);
        const page = await findRows(store, 'scheduled_events', { order, page: pageIn(query.sort), where });
        return listing({ ...page, positionOf: positionIn(order) }, scheduledEventRecord);
      },
    }),
    defineOperation({
      id: 'getScheduledEvent',
      method: 'GET',
      conventions: 'service',
      path: '/api/scheduled_events/{uuid}',
      tag,
      summary: 'One meeting',
      refusals,
      answers: 'resource',
      schema: scheduledEventResource,
      run: async ({ params }) => scheduledEventRecord(await demand(params['uuid'])),
    }),
    defineOperation({
      id: 'listScheduledEventInvitees',
      method: 'GET',
      conventions: 'service',
      path: '/api/scheduled_events/{uuid}/invitees',
      tag,
      summary: 'Who comes to a meeting',
      refusals,
      query: inviteeListQuery,
      answers: 'collection',
      schema: inviteeResource,
      async run({ params, query, pageIn }) {
        const order = 'created_at';
        const event = String((await demand(params['uuid']))['uri']);
        const where = inviteeConditions(store.engine, { email: query.email, status: query.status, event });
        const page = await findRows(store, 'invitees', { order, page: pageIn(query.sort), where });
        return listing({ ...page, positionOf: positionIn(order) }, inviteeRecord);
      },
    }),
  ];
}
