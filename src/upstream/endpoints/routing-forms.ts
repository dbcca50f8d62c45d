// Routing forms and what was submitted with them.
import { routingFormListQuery, submissionListQuery } from '#schemas/list-query.ts';
import {
  routingForm,
  routingFormSubmission,
  type RoutingForm,
  type RoutingFormSubmission,
} from '#schemas/routing-form.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, callForRecord, type Found, type ListQuery } from '#src/upstream/request.ts';

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

export function getRoutingForm(client: Client, uri: string, options?: CallOptions): Promise<Found<RoutingForm>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: routingForm }, options);
}

/** Of one form. */
export function listRoutingFormSubmissions(
  client: Client,
  query: ListQuery<typeof submissionListQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<RoutingFormSubmission>> {
  const path = '/routing_form_submissions';
  return callForList(client, { path, asks: submissionListQuery, query, reads: routingFormSubmission }, options);
}

export function getRoutingFormSubmission(
  client: Client,
  uri: string,
  options?: CallOptions,
): Promise<Found<RoutingFormSubmission>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: routingFormSubmission }, options);
}
