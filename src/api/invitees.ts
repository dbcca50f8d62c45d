// Every invitee of the mirror, whatever the meeting: a list the service itself does not have.
import { z } from 'zod';
import { inviteeListQuery } from '#schemas/list-query.ts';
import { inviteeResource } from '#schemas/resources/invitee.ts';
import { timestamp, uri } from '#schemas/wire.ts';
import { listing } from '#src/http/pagination.ts';
import { notFound } from '#src/http/http-error.ts';
import { inviteeConditions } from '#src/store/search/meetings.ts';
import { findRows, inviteeEndingWith, rowsByUri } from '#src/store/search/record-search.ts';
import { inviteeRecord } from './meeting-record.ts';
import { defineOperation, type Operation, type ReaderNeeds } from './operation.ts';
import { isIdentifier, positionIn } from './row-position.ts';

const tag = 'Invitees';

/** As the list of one meeting, and by what all meetings are told apart. */
const allInviteesQuery = inviteeListQuery.extend({
  event: uri.optional(),
  event_type: uri.optional(),
  user: uri.optional(),
  no_show: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional(),
  min_start_time: timestamp.optional(),
  max_start_time: timestamp.optional(),
});

export function inviteeOperations({ store }: ReaderNeeds): readonly Operation[] {
  return [
    defineOperation({
      id: 'listInvitees',
      method: 'GET',
      conventions: 'service',
      path: '/api/invitees',
      tag,
      summary: 'Invitees of all meetings, oldest booking first',
      description:
        'Filters add up: the invitee’s `email`, `status` and `no_show`; the `event`; and of the event its `event_type`, its host (`user`) and when it starts.',
      query: allInviteesQuery,
      answers: 'collection',
      schema: inviteeResource,
      async run({ query, pageIn }) {
        const order = 'created_at';
        const where = inviteeConditions(store.engine, query);
        const page = await findRows(store, 'invitees', { order, page: pageIn(query.sort), where });
        return listing({ ...page, positionOf: positionIn(order) }, inviteeRecord);
      },
    }),
    defineOperation({
      id: 'getInvitee',
      method: 'GET',
      conventions: 'service',
      path: '/api/invitees/{uuid}',
      tag,
      summary: 'One invitee',
      refusals: { 404: 'No such invitee.' },
      answers: 'resource',
      schema: inviteeResource,
      async run({ params }) {
        const { uuid = '' } = params;
        const found = isIdentifier(uuid) ? await inviteeEndingWith(store, `/invitees/${uuid}`) : undefined;
        const [row] = found === undefined ? [] : await rowsByUri(store, 'invitees', [found]);
        if (row === undefined) throw notFound('No such invitee.');
        return inviteeRecord(row);
      },
    }),
  ];
}
