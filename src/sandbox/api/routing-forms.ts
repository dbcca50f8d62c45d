// Routing forms and their submissions, for administrators.
import { routingFormListQuery, submissionListQuery } from '#schemas/list-query.ts';
import {
  routingFormResource,
  routingFormSubmissionResource,
  type RoutingFormResource,
} from '#schemas/resources/routing-form.ts';
import { denied } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import { found, type StoredForm } from '#src/sandbox/world/service.ts';
import { demandOrganization, isAdministrator, noAccess, visible, type CallContext } from './permissions.ts';
import { get, list, type ServiceContext } from './service-operation.ts';

const reading = { scopes: ['routing_forms:read'], permits: demandAdministrator } as const;

export const routingFormOperations = [
  list('listRoutingForms', '/routing_forms', {
    ...reading,
    summary: 'The routing forms of an organization',
    query: routingFormListQuery,
    schema: routingFormResource,
    run(call) {
      const { organization, sort } = call.query;
      demandOrganization(call, organization);
      const isListed = (form: StoredForm): boolean => form.organization === organization;
      return listing(call.service.state.routingForms.page('created', call.pageIn(sort), isListed), formRecord);
    },
  }),
  get('getRoutingForm', '/routing_forms/{uuid}', {
    ...reading,
    summary: 'One routing form, with its questions',
    schema: routingFormResource,
    run: (call) => formRecord(demandForm(call, call.uri)),
  }),
  list('listRoutingFormSubmissions', '/routing_form_submissions', {
    ...reading,
    summary: 'The submissions of a form',
    query: submissionListQuery,
    schema: routingFormSubmissionResource,
    run(call) {
      const { uri } = demandForm(call, call.query.form, 'form');
      const { submissions } = call.service.state;
      return listing(submissions.page('created', call.pageIn(call.query.sort), (one) => one.routing_form === uri));
    },
  }),
  get('getRoutingFormSubmission', '/routing_form_submissions/{uuid}', {
    ...reading,
    summary: 'One submission',
    schema: routingFormSubmissionResource,
    run(call) {
      const submission = found(call.service.state.submissions.get(call.uri), 'routing form submission');
      demandForm(call, submission.routing_form);
      return submission;
    },
  }),
];

function demandAdministrator({ caller }: ServiceContext): void {
  if (!isAdministrator(caller)) throw denied(noAccess);
}

const demandForm = ({ service, caller }: CallContext, uri: string, parameter?: string): StoredForm =>
  visible(caller, found(service.state.routingForms.get(uri), 'routing form', parameter), []);

/** The routes are internal to the service. */
const formRecord = ({ routes: _routes, ...form }: StoredForm): RoutingFormResource => form;
