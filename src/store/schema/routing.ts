// The tables of routing forms and of their submissions.
import { json, table, text, uri } from './declaration.ts';
import { deletedColumns, foldColumns, timeColumns, trackingColumns } from './shared-columns.ts';

export const routingForms = table({
  name: 'routing_forms',
  key: ['uri'],
  readable: 'all',
  about: 'One row per routing form.',
  columns: {
    uri: uri('URI of the form'),
    name: text('name', { holds: 'text' }),
    status: text('whether it can be filled in', { oneOf: ['published', 'draft'], orOther: true }),
    organization_uri: uri('URI of the organization', { sentAs: 'organization' }),
    questions: json('questions of the form', { holds: 'text' }),
    ...timeColumns,
    deleted_at: deletedColumns.deleted_at,
    ...foldColumns,
  },
});

export const routingFormSubmissions = table({
  name: 'routing_form_submissions',
  key: ['uri'],
  readable: 'all',
  fast: ['created_at'],
  about: 'One row per submission of a routing form. Bookings refer to it by `invitees.routing_form_submission`.',
  columns: {
    uri: uri('URI of the submission'),
    routing_form: uri('the form', { joins: 'routing_forms.uri' }),
    questions_and_answers: json('answers; one row each in the view `routing_form_answers`', { holds: 'text' }),
    ...trackingColumns,
    result: json('where the submission led, as sent', { holds: 'text' }),
    result_type: text('type of `result`', {
      oneOf: ['event_type', 'external_url', 'custom_message'],
      orOther: true,
      sentAs: 'result.type',
    }),
    submitter: uri('URI of the invitee who submitted it, if known'),
    submitter_type: text('type of `submitter`', { holds: 'plain' }),
    ...timeColumns,
    ...foldColumns,
  },
});
