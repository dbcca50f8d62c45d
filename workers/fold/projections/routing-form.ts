// Projects routing forms as they are read, and each submission with its answers.
import type { FactKind } from '#schemas/records.ts';
import type { RoutingForm, RoutingFormSubmission } from '#schemas/routing-form.ts';
import type { Fields, Projection } from './contract.ts';
import { columnsFrom, notListedIn, recordsTo, spread, trackingFields } from './field-mapping.ts';
import { ranks } from './version.ts';

type Kinds = Extract<FactKind, `routing_form.${string}` | `routing_form_submission.${string}`>;

export const routingFormFields: Fields<'routing_forms'> = {
  ...columnsFrom<RoutingForm>()('routing_forms', 'name status questions created_at updated_at extra'),
  organization: (uri) => ({ organization_uri: uri }),
  deleted_at: 'deleted_at',
};

export const routingFormSubmissionFields: Fields<'routing_form_submissions'> = {
  ...columnsFrom<RoutingFormSubmission>()(
    'routing_form_submissions',
    'routing_form questions_and_answers submitter submitter_type created_at updated_at extra',
  ),
  ...trackingFields,
  result: spread('routing_form_submissions', 'result', { result_type: 'type' }),
};

const submitted = recordsTo('routing_form_submissions', routingFormSubmissionFields);

export const routingFormProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'routing_form_submission.created': submitted(ranks.created),
  'routing_form_submission.read': submitted(ranks.page),
  'routing_form.read': recordsTo('routing_forms', routingFormFields)(ranks.page),
  'routing_form.gone': notListedIn('routing_forms', routingFormFields),
};
