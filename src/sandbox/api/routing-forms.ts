// Routing forms and their submissions, for administrators.
import { routingFormListQuery, submissionListQuery } from '#schemas/list-query.ts';
import { routingFormResource, routingFormSubmissionResource } from '#schemas/resources/routing-form.ts';
import type { RoutingFormResource } from '#schemas/resources/routing-form.ts';
import { denied, notFound } from '#src/http/http-error.ts';
import type { State, StoredForm } from '#src/sandbox/world/state.ts';
import { listing } from '#src/http/pagination.ts';
import { demandOrganization, isAdministrator, noAccess } from './permissions.ts';
import { defineOperation, type Caller, type ServiceContext } from './service-operation.ts';

const reading = { method: 'GET', scopes: ['routing_forms:read'], permits: demandAdministrator } as const;

export const routingFormOperations = [
  defineOperation({
    ...reading,
    id: 'listRoutingForms',
    path: '/routing_forms',
    summary: 'The routing forms of an organization',
    query: routingFormListQuery,
    answers: 'collection',
    schema: routingFormResource,
    run({ service: { state }, caller, query: { organization, sort }, pageIn }) {
      demandOrganization(state, caller, organization);
      return listing(
        state.routingForms.page('created', pageIn(sort), (form) => form.organization === organization),
        shown,
      );
    },
  }),
  defineOperation({
    ...reading,
    id: 'getRoutingForm',
    path: '/routing_forms/{uuid}',
    summary: 'One routing form, with its questions',
    answers: 'resource',
    schema: routingFormResource,
    run: ({ service: { state }, caller, uri }) => shown(demandForm(state, caller, { uri })),
  }),
  defineOperation({
    ...reading,
    id: 'listRoutingFormSubmissions',
    path: '/routing_form_submissions',
    summary: 'The submissions of a form',
    query: submissionListQuery,
    answers: 'collection',
    schema: routingFormSubmissionResource,
    run({ service: { state }, caller, query: { form, sort }, pageIn }) {
      demandForm(state, caller, { uri: form, parameter: 'form' });
      return listing(
        state.submissions.page('created', pageIn(sort), ({ routing_form }) => routing_form === form),
        (submission) => submission,
      );
    },
  }),
  defineOperation({
    ...reading,
    id: 'getRoutingFormSubmission',
    path: '/routing_form_submissions/{uuid}',
    summary: 'One submission',
    answers: 'resource',
    schema: routingFormSubmissionResource,
    run({ service: { state }, caller, uri }) {
      const submission = state.submissions.get(uri);
      if (submission === undefined) throw notFound('No such routing form submission.');
      demandForm(state, caller, { uri: submission.routing_form });
      return submission;
    },
  }),
] as const;

function demandAdministrator({ caller }: ServiceContext): void {
  if (!isAdministrator(caller)) throw denied(noAccess);
}

function demandForm(
  state: State,
  caller: Caller,
  { uri, parameter }: { readonly uri: string; readonly parameter?: string },
): StoredForm {
  const form = state.routingForms.get(uri);
  if (form === undefined) throw notFound('No such routing form.', parameter);
  if (form.organization !== caller.organization.uri) throw denied(noAccess);
  return form;
}

/** The routes are internal to the service. */
function shown({ routes: _routes, ...form }: StoredForm): RoutingFormResource {
  return form;
}
