// The OpenAPI 3.1 document of the service, made from the operations themselves: what is published is what is checked.
import { apiScopes } from '#schemas/api-scope.ts';
import { contractOf, eventKinds, type EventKind } from '#schemas/events.ts';
import { jsonBody, pathsOf } from '#src/http/openapi/document.ts';
import type { OpenApiDocument, OperationDocs, PathDocs } from '#src/http/openapi/document.ts';
import { createSchemaBook } from '#src/http/openapi/json-schema.ts';
import type { SchemaBook } from '#src/http/openapi/json-schema.ts';
import { schemaNames } from '#src/http/openapi/component-names.ts';
import { parametersOf } from '#src/http/openapi/parameters.ts';
import type { Operation } from '#src/sandbox/api/operation.ts';
import { answerSchema, statusOf } from '#src/sandbox/api/reply.ts';
import type { ServiceOptions } from '#src/sandbox/world/service.ts';
import { deliverySchema } from './payloads.ts';
import { headerComponents, rateHeaderRefs, refusalComponents, refusalRefs, refusalStatuses } from './responses.ts';

type Described = Pick<ServiceOptions, 'baseUrl' | 'flat'>;

export function openApiDocument(operations: readonly Operation[], options: Described): OpenApiDocument {
  const book = createSchemaBook();
  for (const [id, schema] of Object.entries(schemaNames)) book.name(id, schema);
  for (const { id, body } of operations)
    if (body) book.name(`${id.charAt(0).toUpperCase()}${id.slice(1)}Request`, body);
  const paths = pathsOf(operations.map((operation) => ({ ...operation, docs: operationDocs(operation, book) })));
  const webhooks = webhookDocs(options, book);
  // The shared refusals name these; no operation does.
  for (const id of ['ErrorResponse', 'InsufficientScope']) if (schemaNames[id]) book.output(schemaNames[id]);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Scheduling service (sandbox)',
      version: '2',
      description:
        'The scheduling service, running on this machine. Resources are referenced by URI; one resource comes as `resource`, a page of many as `collection` with `pagination`. `x-assumption` marks what the specification leaves open.',
    },
    servers: [{ url: options.baseUrl }],
    tags: [...new Set(operations.map(tagOf))].map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      schemas: book.components,
      responses: refusalComponents,
      headers: headerComponents,
      securitySchemes: securitySchemes(options.baseUrl),
    },
  };
}

/** `/webhook_subscriptions/{uuid}`: Webhook subscriptions. */
function tagOf({ path }: Operation): string {
  const words = (path.split('/')[1] ?? '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function operationDocs(operation: Operation, book: SchemaBook): OperationDocs {
  const { id, summary, scopes, body } = operation;
  const parameters = parametersOf(operation, book);
  return {
    operationId: id,
    summary,
    tags: [tagOf(operation)],
    security: [{ personalAccessToken: scopes }, { oauth2: scopes }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: jsonBody(book.input(body)) }),
    responses: { [statusOf(operation)]: answerDocs(operation, book), ...refusalRefs(refusalStatuses(operation)) },
  };
}

function answerDocs(operation: Operation, book: SchemaBook): object {
  const schema = answerSchema(operation);
  const headers = rateHeaderRefs;
  if (schema === undefined) return { description: 'Done; nothing to say.', headers };
  const description = operation.answers === 'collection' ? 'One page of the collection.' : 'The resource.';
  return { description, headers, content: { 'application/json': { schema: book.output(schema) } } };
}

function webhookDocs(options: Described, book: SchemaBook): Readonly<Record<string, PathDocs>> {
  return Object.fromEntries(
    (Object.keys(eventKinds) as EventKind[]).map((event) => {
      const { allowedScopes, requiredCallerScope, inRequestEnum } = contractOf(event);
      const docs: OperationDocs & Readonly<Record<`x-${string}`, unknown>> = {
        operationId: event.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
        summary: event,
        description: `For subscriptions of scope ${allowedScopes.join(', ')}, made by a caller with \`${requiredCallerScope}\`.`,
        tags: ['Webhooks'],
        security: [],
        parameters: [signatureHeader],
        requestBody: jsonBody(book.output(deliverySchema(event, options))),
        responses: { '2XX': { description: 'Taken. Anything else, or nothing, is retried (A3).' } },
        ...(!inRequestEnum && { 'x-assumption': 'A6c' }),
      };
      return [event, { post: docs }];
    }),
  );
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
  return {
    personalAccessToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'A personal access token. It does not expire.',
    },
    oauth2: {
      type: 'oauth2',
      description: 'An OAuth 2.0 access token; authorization code with PKCE.',
      flows: {
        authorizationCode: {
          authorizationUrl: `${baseUrl}/oauth/authorize`,
          tokenUrl: `${baseUrl}/oauth/token`,
          refreshUrl: `${baseUrl}/oauth/token`,
          scopes: Object.fromEntries(Object.keys(apiScopes).map((scope) => [scope, scopeMeaning(scope)])),
        },
      },
      'x-assumption': 'The flow is not shown by the specification.',
    },
  };
}

function scopeMeaning(scope: string): string {
  const { implies } = apiScopes[scope as keyof typeof apiScopes];
  return implies.length === 0 ? scope : `${scope}; includes ${implies.join(', ')}`;
}
