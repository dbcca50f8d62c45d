// The invitees of all meetings, in a list that the service does not have.
import { z } from 'zod';
import { inviteeListQuery } from '#schemas/list-query.ts';
import { inviteeResource } from '#schemas/resources/invitee.ts';
import { timestamp, uri } from '#schemas/wire.ts';
import type { Readable } from '#src/store/contract.ts';
import { inviteeConditions } from '#src/read/bookings/meetings.ts';
import type { RowQuery } from '#src/store/record-search.ts';
import { defineOperation } from './api-operation.ts';
import { listRows, rowNamed } from './row-record.ts';
import { inviteeRecord } from './service/invitee.ts';
import { recordSchema } from './service/record.ts';

/** The filters of the list of one meeting, and filters on the meeting itself. */
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

export const inviteeOperations = [
  defineOperation({
    id: 'listInvitees',
    method: 'GET',
    conventions: 'service',
    path: '/api/invitees',
    tag: 'Invitees',
    summary: 'Invitees of all meetings, oldest booking first',
    description:
      'Filters add up: the invitee’s `email`, `status` and `no_show`; the `event`; and of the event its `event_type`, its host (`user`) and when it starts.',
    query: allInviteesQuery,
    answers: 'collection',
    schema: recordSchema(inviteeResource),
    run({ reading, query, pageIn }) {
      const where = inviteeConditions(reading.engine, query);
      return listInvitees(reading, { page: pageIn(query.sort), where });
    },
  }),
  defineOperation({
    id: 'getInvitee',
    method: 'GET',
    conventions: 'service',
    path: '/api/invitees/{uuid}',
    tag: 'Invitees',
    summary: 'One invitee',
    errors: { 404: 'No such invitee.' },
    answers: 'resource',
    schema: recordSchema(inviteeResource),
    run: async ({ reading, params }) =>
      inviteeRecord(await rowNamed(reading, 'invitees', params['uuid'] ?? '', 'invitee')),
  }),
] as const;

const listInvitees = (reading: Readable, wanted: Pick<RowQuery, 'page' | 'where'>) =>
  listRows(reading, 'invitees', { ...wanted, order: 'created_at', recordOf: inviteeRecord });
