// Meetings and invitees, read from the mirror: the service's lists, and a list of the invitees of all meetings, which the service
// does not have.
import { z } from 'zod';
import { inviteeListQuery, scheduledEventListQuery } from '#schemas/list-query.ts';
import { inviteeResource } from '#schemas/resources/invitee.ts';
import { scheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { timestamp, uri } from '#schemas/wire.ts';
import type { Readable } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { inviteeConditions, meetingConditions } from '#src/read/bookings/meetings.ts';
import type { RowQuery } from '#src/store/record-search.ts';
import { defineOperation } from './api-operation.ts';
import { columnsOf, fieldsOf, listRows, objectsIn, rowNamed } from './row-record.ts';

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
    run({ reading, query, pageIn }) {
      const where = meetingConditions(reading.engine, query);
      const wanted = { order: 'start_time', page: pageIn(query.sort), where, recordOf: scheduledEventRecord };
      return listRows(reading, 'scheduled_events', wanted);
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
    run: async ({ reading, params }) => scheduledEventRecord(await meetingNamed(reading, params['uuid'])),
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
    async run({ reading, params, query, pageIn }) {
      const { uri: event } = await meetingNamed(reading, params['uuid']);
      const where = inviteeConditions(reading.engine, { email: query.email, status: query.status, event });
      return listInvitees(reading, { page: pageIn(query.sort), where });
    },
  }),
] as const;

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
    schema: inviteeResource,
    run: async ({ reading, params }) =>
      inviteeRecord(await rowNamed(reading, 'invitees', params['uuid'] ?? '', 'invitee')),
  }),
] as const;

const meetingNamed = (reading: Readable, id = '') => rowNamed(reading, 'scheduled_events', id, 'scheduled event');

const listInvitees = (reading: Readable, wanted: Pick<RowQuery, 'page' | 'where'>) =>
  listRows(reading, 'invitees', { ...wanted, order: 'created_at', recordOf: inviteeRecord });

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

function inviteeRecord(row: StoredRow): object {
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
function cancellationOf({ cancellation }: StoredRow): object {
  const fields = fieldsOf(cancellation, 'canceled_by', 'reason', 'canceler_type', 'created_at');
  return fields === null ? {} : { cancellation: fields };
}
