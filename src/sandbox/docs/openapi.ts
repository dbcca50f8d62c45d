// The OpenAPI 3.1 documents of the sandbox: one of the service with its webhooks, and one of the controls, so that a client
// generated from one has nothing of the other.
import { apiScopes } from '#schemas/api-scope.ts';
import { insufficientScopeBody } from '#schemas/errors.ts';
import { allEventKinds, contractOf, type EventKind } from '#schemas/events.ts';
import {
  createDocument,
  jsonBody,
  sharedResponses,
  type OpenApiDocument,
  type OperationDocs,
  type PathDocs,
} from '#src/http/openapi/document.ts';
import type { SchemaComponents } from '#src/http/openapi/json-schema.ts';
import type { ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import type { Control } from '#src/sandbox/controls/control.ts';
import type { Form, ServiceOptions } from '#src/sandbox/world/service.ts';
import { controlErrors, errorComponents, errorRefs, headerComponents, rateHeaderRefs } from './responses.ts';
import { z } from 'zod';
import { contactResource } from '#schemas/resources/contact.ts';
import { eventTypeResource } from '#schemas/resources/event-type.ts';
import { inviteePayload } from '#schemas/resources/invitee.ts';
import { meetingRecapResource } from '#schemas/resources/meeting-recap.ts';
import { deletedRecord, publicEventTypeResource, publicPayloads } from '#schemas/resources/public-form.ts';
import { routingFormSubmissionResource } from '#schemas/resources/routing-form.ts';
import { instant } from '#schemas/resources/values.ts';
import { uri } from '#schemas/wire.ts';

type DocumentOptions = Pick<ServiceOptions, 'baseUrl' | 'as'>;

export function openApiDocument(operations: readonly ServiceOperation[], options: DocumentOptions): OpenApiDocument {
  return createDocument({
    info: {
      title: 'Scheduling service (sandbox)',
      version: '2',
      description:
        'The scheduling service, running on this machine. Resources are referenced by URI; one resource is a `resource`, a page of many is a `collection` with `pagination`. `x-assumption` marks what the specification leaves open.',
    },
    server: options.baseUrl,
    operations,
    notesOn: (operation) => ({
      tag: tagOf(operation),
      security: [{ personalAccessToken: operation.scopes }, { oauth2: operation.scopes }],
      errors: errorRefs(operation),
      headers: rateHeaderRefs(options.as),
    }),
    components: {
      responses: errorComponents(options.as),
      headers: headerComponents(options.as),
      securitySchemes: securitySchemes(options.baseUrl),
    },
    alsoUsed: [insufficientScopeBody],
    webhooks: (schemas) => webhookDocs(options, schemas),
  });
}

export function controlDocument(controls: readonly Control[], options: { readonly baseUrl: string }): OpenApiDocument {
  return createDocument({
    info: {
      title: 'Sandbox controls',
      version: '1',
      description: 'What people, time and bad luck do to the service. No token; for callers on this machine only.',
    },
    server: `${options.baseUrl}/_sandbox`,
    operations: controls,
    notesOn: () => ({
      tag: 'Controls',
      security: [],
      errors: sharedResponses({ 400: 'BadRequest', 404: 'NotFound' }),
      optionalBody: true,
    }),
    tagDescriptions: { Controls: 'Operations beside the service.' },
    components: { responses: controlErrors },
  });
}

/** `/webhook_subscriptions/{uuid}`: Webhook subscriptions. */
function tagOf({ path }: ServiceOperation): string {
  const words = (path.split('/')[1] ?? '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function webhookDocs(options: DocumentOptions, schemas: SchemaComponents): Readonly<Record<string, PathDocs>> {
  return Object.fromEntries(allEventKinds.map((event) => [event, { post: eventDocs(event, options, schemas) }]));
}

function eventDocs(event: EventKind, options: DocumentOptions, schemas: SchemaComponents): OperationDocs {
  const { allowedScopes, requiredCallerScope, inRequestEnum } = contractOf(event);
  return {
    operationId: event.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: event,
    description: `For subscriptions of scope ${allowedScopes.join(', ')}, made by a caller with \`${requiredCallerScope}\`.`,
    tags: ['Webhooks'],
    security: [],
    parameters: [signatureHeader],
    requestBody: jsonBody(schemas.output(deliverySchema(event, options))),
    responses: { '2XX': { description: 'Accepted. Any other answer, or none, is retried (A3).' } },
    ...(!inRequestEnum && { 'x-assumption': 'A6c' }),
  };
}

const signatureHeader = {
  name: 'Calendly-Webhook-Signature',
  in: 'header',
  required: false,
  description:
    '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `t.body` with the signing key; absent when the subscription has none.',
  schema: { type: 'string' },
  'x-assumption': 'A2',
} as const;

function securitySchemes(baseUrl: string): Readonly<Record<string, object>> {
  const scopes = Object.entries<{ readonly implies: readonly string[] }>(apiScopes).map(([scope, { implies }]) => [
    scope,
    implies.length === 0 ? scope : `${scope}; includes ${implies.join(', ')}`,
  ]);
  const authorizationCode = {
    authorizationUrl: `${baseUrl}/oauth/authorize`,
    tokenUrl: `${baseUrl}/oauth/token`,
    refreshUrl: `${baseUrl}/oauth/token`,
    scopes: Object.fromEntries(scopes),
  };
  return {
    personalAccessToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'A personal access token. It does not expire.',
    },
    oauth2: {
      type: 'oauth2',
      description: 'An OAuth 2.0 access token; authorization code with PKCE.',
      flows: { authorizationCode },
      'x-assumption': 'The flow is not shown by the specification.',
    },
  };
}

/** In both forms (A4b, A4c); one schema where they are the same (A4a, A4d). */
const payloads: Readonly<Record<EventKind, z.ZodType | Readonly<Record<Form, z.ZodType>>>> = {
  'invitee.created': inviteePayload,
  'invitee.canceled': inviteePayload,
  'invitee_no_show.created': inviteePayload,
  'invitee_no_show.deleted': inviteePayload,
  'routing_form_submission.created': routingFormSubmissionResource,
  'event_type.created': { specification: eventTypeResource, public: publicEventTypeResource },
  'event_type.updated': { specification: eventTypeResource, public: publicEventTypeResource },
  'event_type.deleted': { specification: eventTypeResource, public: publicEventTypeResource },
  'contact.created': { specification: contactResource, public: publicPayloads.contact },
  'contact.updated': { specification: contactResource, public: publicPayloads.contact },
  'contact.deleted': { specification: deletedRecord, public: publicPayloads.deletedContact },
  'meeting_recap.created': { specification: meetingRecapResource, public: publicPayloads.newRecap },
  'meeting_recap.updated': { specification: meetingRecapResource, public: publicPayloads.recap },
  'meeting_recap.deleted': { specification: deletedRecord, public: publicPayloads.deletedRecap },
};

export function deliverySchema(event: EventKind, { as }: Pick<ServiceOptions, 'as'>): z.ZodType {
  const found = payloads[event];
  const payload = 'specification' in found ? found[as] : found;
  return z.strictObject({ event: z.literal(event), created_at: instant, created_by: uri.nullable(), payload });
}
