// The OpenAPI 3.1 document of the admin listener, made from the operations themselves: what is published is what is checked.
import { z } from 'zod';
import { errorBody, errorDetail } from '#schemas/errors.ts';
import { collectionEnvelope, resourceEnvelope } from '#schemas/resources/envelope.ts';
import { jsonBody, pathsOf } from '#src/http/openapi/document.ts';
import type { OpenApiDocument, OperationDocs } from '#src/http/openapi/document.ts';
import { createSchemaBook } from '#src/http/openapi/json-schema.ts';
import type { SchemaBook } from '#src/http/openapi/json-schema.ts';
import { schemaNames } from '#src/http/openapi/component-names.ts';
import { parametersOf } from '#src/http/openapi/parameters.ts';
import type { Operation } from '#src/api/operation.ts';
import { processDocs, processTag } from './openapi-process.ts';

export function adminDocument(
  operations: readonly Operation[],
  { server }: { readonly server: string },
): OpenApiDocument {
  const book = createSchemaBook();
  for (const [id, schema] of Object.entries(schemaNames)) book.name(id, schema);
  for (const operation of operations) nameOwn(operation, book);
  const documented = [
    ...operations.map((operation) => ({ ...operation, docs: operationDocs(operation, book) })),
    ...processDocs(book),
  ];
  // The shared refusals name these; no operation does.
  for (const schema of [errorBody, errorDetail]) book.output(schema);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Slotstream',
      version: '1',
      description:
        'Your scheduling data, read from the mirror: no rate limit. Lists behave as the lists of the scheduling service: one record comes as `resource`, a page of many as `collection` with `pagination`. Contacts, invitees and scheduled events are also refused in its words; everything else says in the title of a refusal what it is. A method that a path does not take is a 405 with `Allow`. `x-assumption` names an assumption numbered in schemas/README.md.',
    },
    servers: [{ url: server }],
    tags: [...new Set(documented.flatMap(({ docs }) => docs.tags))].map((name) => ({
      name,
      ...(name === processTag && { description: 'How the process stands; what supervisors and dashboards ask.' }),
    })),
    paths: pathsOf(documented),
    components: { schemas: book.components, responses: refusals, securitySchemes },
  };
}

/** What says its own name (`.meta({ id })`), and every body that is sent. */
function nameOwn(operation: Operation, book: SchemaBook): void {
  const { id, body } = operation;
  if ('schema' in operation) {
    const name = z.globalRegistry.get(operation.schema)?.id;
    if (name !== undefined) book.name(name, operation.schema);
  }
  if (body) book.name(`${id.charAt(0).toUpperCase()}${id.slice(1)}Request`, body);
}

function operationDocs(operation: Operation, book: SchemaBook): OperationDocs {
  const { id, method, summary, description, tag, body } = operation;
  const parameters = parametersOf(operation, book);
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    security: [{ token: [] }, { session: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: jsonBody(book.input(body)) }),
    responses: {
      [operation.answers === 'nothing' ? 204 : 200]: answerDocs(operation, book),
      ...refer({
        400: operation.conventions === 'service' ? 'BadRequestOfService' : 'BadRequest',
        401: 'Unauthenticated',
      }),
      ...(method !== 'GET' && refer({ 403: 'CrossSite' })),
      ...Object.fromEntries(
        Object.entries(operation.refusals ?? {}).map(([status, words]) => [status, { ...error, description: words }]),
      ),
      ...(body && refer({ 413: 'TooLarge' })),
      ...refer({ 429: 'TooManyAttempts', 500: 'ServerError' }),
    },
  };
}

function answerDocs(operation: Operation, book: SchemaBook): object {
  const json = (schema: z.ZodType) => ({ 'application/json': { schema: book.output(schema) } });
  switch (operation.answers) {
    case 'resource':
      return { description: 'The record.', content: json(resourceEnvelope(operation.schema)) };
    case 'collection':
      return { description: 'One page of the collection.', content: json(collectionEnvelope(operation.schema)) };
    case 'object':
      return { description: 'The answer.', content: json(operation.schema) };
    case 'nothing':
      return { description: 'Done; nothing to say.' };
    case 'stream':
      return {
        description: 'Goes on until either side ends it.',
        content: { [operation.contentType]: { schema: { type: 'string' } } },
      };
  }
}

const refer = (names: Readonly<Record<number, string>>): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.entries(names).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
  );

// The name under which `schemaNames` has it.
const error = { content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } } } as const;

const refusals = {
  BadRequest: {
    description: 'The request is not valid. `details` names each parameter and what is wrong with it, never the value.',
    ...error,
  },
  BadRequestOfService: {
    description:
      'The request is not valid, in the words of the scheduling service: its title is `Internal Server Error` for 400 and 404 alike. `details` names each parameter and what is wrong with it, never the value.',
    ...error,
  },
  TooLarge: { description: 'The body is larger than 1 MiB.', ...error },
  Unauthenticated: { description: 'Neither the admin token nor a session.', ...error },
  CrossSite: { description: 'A page of another site sent this with the session of a browser.', ...error },
  TooManyAttempts: {
    description: 'Too many wrong tokens from this address; the right one is never kept waiting.',
    headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } } },
    ...error,
  },
  ServerError: { description: 'The request failed; the log of the process says why.', ...error },
} as const;

const securitySchemes = {
  token: { type: 'http', scheme: 'bearer', description: 'The admin token (`ADMIN_TOKEN`).' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'slotstream_session',
    description: 'Set by the login link (`npx slotstream status --login`); the port of the listener follows its name.',
  },
} as const;
