// The OpenAPI document of the controls: apart from that of the service, so that a client made from one has nothing of the other.
import type { z } from 'zod';
import { jsonBody, pathsOf } from '#src/http/openapi/document.ts';
import type { OpenApiDocument, OperationDocs } from '#src/http/openapi/document.ts';
import { createSchemaBook } from '#src/http/openapi/json-schema.ts';
import type { SchemaBook } from '#src/http/openapi/json-schema.ts';
import { schemaNames } from '#src/http/openapi/component-names.ts';
import { parametersOf } from '#src/http/openapi/parameters.ts';
import type { Control } from '#src/sandbox/controls/control.ts';
import { refusalComponents } from './responses.ts';

export function controlDocument(controls: readonly Control[], options: { readonly baseUrl: string }): OpenApiDocument {
  const book = createSchemaBook();
  for (const id of ['ErrorResponse', 'ErrorResponseDetailsItem']) if (schemaNames[id]) book.name(id, schemaNames[id]);
  if (schemaNames['ErrorResponse']) book.output(schemaNames['ErrorResponse']);
  const documented = controls.map(({ method, path, summary, body }) => {
    const docs: OperationDocs = {
      operationId: `${method} ${path}`
        .toLowerCase()
        .replaceAll(/[^a-z]+(\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary,
      tags: [tag.name],
      security: [],
      ...(body && askedOf(method, body, book)),
      responses: {
        200: { description: 'Done.', content: { 'application/json': { schema: { type: 'object' } } } },
        400: { $ref: '#/components/responses/BadRequest' },
        404: { $ref: '#/components/responses/NotFound' },
      },
    };
    return { method, path, docs };
  });
  const { BadRequest, NotFound } = refusalComponents as Readonly<Record<string, object>>;
  return {
    openapi: '3.1.1',
    info: {
      title: 'Sandbox controls',
      version: '1',
      description: 'What people, time and bad luck do to the service. No token; for callers on this machine only.',
    },
    servers: [{ url: `${options.baseUrl}/_sandbox` }],
    tags: [tag],
    paths: pathsOf(documented),
    components: {
      schemas: book.components,
      responses: { BadRequest: withoutHeaders(BadRequest), NotFound: withoutHeaders(NotFound) },
    },
  };
}

/** A GET is asked by its query, the others by their body. */
function askedOf(method: Control['method'], body: z.ZodType, book: SchemaBook): Partial<OperationDocs> {
  if (method === 'GET') return { parameters: parametersOf({ path: '', query: body }, book) };
  return { requestBody: { ...jsonBody(book.input(body)), required: false } };
}

const tag = { name: 'Controls', description: 'Levers beside the service.' } as const;

/** Nobody counts how often a lever is pulled. */
function withoutHeaders(response: object | undefined): object {
  const { headers: _headers, ...rest } = (response ?? {}) as { readonly headers?: object };
  return rest;
}
