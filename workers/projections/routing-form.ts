// What a submitted routing form does to us: its row and its answers.
import type { EventKind } from '#schemas/events.ts';
import type { Fields, Projection } from './contract.ts';
import { columns, said, spread, trackingFields } from './fields.ts';
import { ranks, versionOf } from './version.ts';

type Kinds = Extract<EventKind, `routing_form_submission.${string}`>;

export const routingFormSubmissionFields: Fields = {
  ...columns('routing_form questions_and_answers submitter submitter_type created_at updated_at body'),
  ...trackingFields,
  result: spread('result', { result_type: 'type' }),
};

export const routingFormProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'routing_form_submission.created': ({ payload, observed, tie }) => ({
    subject: { table: 'routing_form_submissions', uri: payload.uri },
    assignments: [
      {
        table: 'routing_form_submissions',
        uri: payload.uri,
        version: versionOf({ updatedAt: payload.updated_at, observed, rank: ranks.created, tie }),
        fields: said(routingFormSubmissionFields, { ...payload, body: payload }),
      },
    ],
  }),
};
