// Routing forms and their submissions.
import { routingFormListQuery, submissionListQuery } from '#schemas/list-query.ts';
import {
  routingForm,
  routingFormSubmission,
  type RoutingForm,
  type RoutingFormSubmission,
} from '#schemas/routing-form.ts';
import type { Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, type ListQuery } from '#src/upstream/request.ts';

export function listRoutingForms(
  client: Client,
  query: ListQuery<typeof routingFormListQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<RoutingForm>> {
  return callForList(
    client,
    { path: '/routing_forms', asks: routingFormListQuery, query, reads: routingForm },
    options,
  );
}

/** Lists the submissions of one form. */
export function listRoutingFormSubmissions(
  client: Client,
  query: ListQuery<typeof submissionListQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<RoutingFormSubmission>> {
  const path = '/routing_form_submissions';
  return callForList(client, { path, asks: submissionListQuery, query, reads: routingFormSubmission }, options);
}
