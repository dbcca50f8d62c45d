// What routing forms do to us: the form as it is read, and each submission with its answers.
import type { FactKind } from '#schemas/records.ts';
import type { Compiled, Fact, Fields, Projection } from './contract.ts';
import { columns, said, spread, trackingFields } from './field-mapping.ts';
import { ranks, versionOf, type Rank } from './version.ts';

type SubmissionKinds = Extract<FactKind, `routing_form_submission.${string}`>;
type Kinds = SubmissionKinds | Extract<FactKind, `routing_form.${string}`>;

export const routingFormFields: Fields = {
  ...columns('name status questions created_at updated_at body'),
  organization: (uri) => ({ organization_uri: uri }),
};

export const routingFormSubmissionFields: Fields = {
  ...columns('routing_form questions_and_answers submitter submitter_type created_at updated_at body'),
  ...trackingFields,
  result: spread('result', { result_type: 'type' }),
};

const submitted =
  (rank: Rank) =>
  ({ payload, observed, tie }: Fact<SubmissionKinds>): Compiled => ({
    subject: { table: 'routing_form_submissions', uri: payload.uri },
    assignments: [
      {
        table: 'routing_form_submissions',
        uri: payload.uri,
        version: versionOf({ updatedAt: payload.updated_at, observed, rank, tie }),
        fields: said(routingFormSubmissionFields, { ...payload, body: payload }),
      },
    ],
  });

export const routingFormProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'routing_form_submission.created': submitted(ranks.created),
  'routing_form_submission.read': submitted(ranks.page),
  'routing_form.read': ({ payload, observed, tie }) => ({
    subject: { table: 'routing_forms', uri: payload.uri },
    assignments: [
      {
        table: 'routing_forms',
        uri: payload.uri,
        version: versionOf({ updatedAt: payload.updated_at, observed, rank: ranks.page, tie }),
        fields: said(routingFormFields, { ...payload, body: payload }),
      },
    ],
  }),
};
