// Projects routing forms as they are read, and each submission with its answers.
import type { FactKind } from '#schemas/records.ts';
import type { RoutingForm, RoutingFormSubmission } from '#schemas/routing-form.ts';
import type { Fact, Fields, Projection, ProjectionInput } from './contract.ts';
import { assignmentTo, columnsFrom, spread, trackingFields } from './field-mapping.ts';
import { ranks, versionOf, type Rank } from './version.ts';

type SubmissionKinds = Extract<FactKind, `routing_form_submission.${string}`>;
type Kinds = SubmissionKinds | Extract<FactKind, `routing_form.${string}`>;

export const routingFormFields: Fields<'routing_forms'> = {
  ...columnsFrom<RoutingForm>()('routing_forms', 'name status questions created_at updated_at body'),
  organization: (uri) => ({ organization_uri: uri }),
};

export const routingFormSubmissionFields: Fields<'routing_form_submissions'> = {
  ...columnsFrom<RoutingFormSubmission>()(
    'routing_form_submissions',
    'routing_form questions_and_answers submitter submitter_type created_at updated_at body',
  ),
  ...trackingFields,
  result: spread('routing_form_submissions', 'result', { result_type: 'type' }),
};

const submitted =
  (rank: Rank) =>
  ({ payload, observed, tie }: ProjectionInput<SubmissionKinds>): Fact => {
    const { uri } = payload;
    const version = versionOf({ updatedAt: payload.updated_at, observed, rank, tie });
    const record = { ...payload, body: payload };
    return {
      subject: { table: 'routing_form_submissions', uri },
      assignments: [assignmentTo('routing_form_submissions', routingFormSubmissionFields, { uri, version, record })],
    };
  };

export const routingFormProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'routing_form_submission.created': submitted(ranks.created),
  'routing_form_submission.read': submitted(ranks.page),
  'routing_form.read': ({ payload, observed, tie }) => {
    const { uri } = payload;
    const version = versionOf({ updatedAt: payload.updated_at, observed, rank: ranks.page, tie });
    const record = { ...payload, body: payload };
    return {
      subject: { table: 'routing_forms', uri },
      assignments: [assignmentTo('routing_forms', routingFormFields, { uri, version, record })],
    };
  },
};
