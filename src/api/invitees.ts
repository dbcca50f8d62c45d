// Every invitee of the mirror, across all meetings: a list that the service itself does not have.
import { z } from 'zod';
import { inviteeListQuery } from '#schemas/list-query.ts';
import { inviteeResource } from '#schemas/resources/invitee.ts';
import { timestamp, uri } from '#schemas/wire.ts';
import { notFound } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { inviteeConditions } from '#src/store/search/meetings.ts';
import { findRows, inviteeEndingWith, rowsByUri } from '#src/store/search/record-search.ts';
import { defineOperation } from './api-operation.ts';
import { columnsOf, fieldsOf, isIdentifier, objectsIn, positionIn } from './row-record.ts';

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
    schema: inviteeResource,
    async run({ store, query, pageIn }) {
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
    tag: 'Invitees',
    summary: 'One invitee',
    errors: { 404: 'No such invitee.' },
    answers: 'resource',
    schema: inviteeResource,
    async run({ store, params: { uuid = '' } }) {
      const found = isIdentifier(uuid) ? await inviteeEndingWith(store, `/invitees/${uuid}`) : undefined;
      const [row] = found === undefined ? [] : await rowsByUri(store, 'invitees', [found]);
      if (row === undefined) throw notFound('No such invitee.');
      return inviteeRecord(row);
    },
  }),
] as const;

export function inviteeRecord(row: StoredRow): object {
  return {
    ...columnsOf(row, 'uri', 'email', 'first_name', 'last_name', 'name', 'status'),
    questions_and_answers: objectsIn(row['questions_and_answers']).map((entry) =>
      fieldsOf(entry, 'question', 'answer', 'position'),
    ),
    timezone: row['timezone'] ?? null,
    event: row['event_uri'] ?? null,
    ...columnsOf(row, 'created_at', 'updated_at'),
    tracking: columnsOf(row, 'utm_campaign', 'utm_source', 'utm_medium', 'utm_content', 'utm_term', 'salesforce_uuid'),
    text_reminder_number: row['text_reminder_number'] ?? null,
    rescheduled: row['rescheduled'] === true,
    ...columnsOf(row, 'old_invitee', 'new_invitee', 'cancel_url', 'reschedule_url', 'routing_form_submission'),
    payment: fieldsOf(row['payment'], 'external_id', 'provider', 'amount', 'currency', 'terms', 'successful'),
    no_show: row['no_show_uri'] ? { uri: row['no_show_uri'], created_at: row['no_show_at'] ?? null } : null,
    reconfirmation: fieldsOf(row['reconfirmation'], 'created_at', 'confirmed_at'),
    ...columnsOf(row, 'scheduling_method', 'invitee_scheduled_by'),
    ...cancellationOf(row),
  };
}

/** Present only on what was canceled, as in the service. */
export function cancellationOf({ cancellation }: StoredRow): object {
  const fields = fieldsOf(cancellation, 'canceled_by', 'reason', 'canceler_type', 'created_at');
  return fields === null ? {} : { cancellation: fields };
}
