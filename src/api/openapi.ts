// The OpenAPI 3.1 document of the API.
import { createDocument, sharedResponses, type OpenApiDocument } from '#src/http/openapi/document.ts';
import type { ApiOperation } from '#src/api/api-operation.ts';
import { rowSchemas } from '#src/api/tables/records.ts';
import { processTag, type ProcessOperation } from '#src/api/process.ts';

export type DocumentedOperation = ApiOperation | ProcessOperation;

export function apiDocument(
  operations: readonly DocumentedOperation[],
  { server }: { readonly server: string },
): OpenApiDocument {
  return createDocument({
    info: {
      title: 'Slotstream',
      version: '1',
      description:
        'Your scheduling data, read from the mirror, without a rate limit. One record is a `resource`; a page of many is a `collection` with `pagination`. `x-assumption` names an assumption in schemas/README.md.',
    },
    server,
    operations,
    notesOn: (operation) => ({
      tag: operation.tag,
      security: 'isOpen' in operation ? [] : [{ token: [] }, { session: [] }],
      errors: {
        ...('isOpen' in operation ? {} : commonErrors(operation)),
        ...Object.fromEntries(
          Object.entries(operation.errors ?? {}).map(([status, description]) => [
            status,
            { ...errorContent('errorComponent' in operation ? operation.errorComponent : undefined), description },
          ]),
        ),
      },
    }),
    tagDescriptions: { [processTag]: 'The state of the process, for supervisors and dashboards.' },
    named: rowSchemas,
    components: { responses, securitySchemes },
  });
}

const commonErrors = ({ conventions, method, body }: DocumentedOperation) =>
  sharedResponses({
    400: conventions === 'service' ? 'BadRequestOfService' : 'BadRequest',
    401: 'Unauthenticated',
    ...(method !== 'GET' && { 403: 'Forbidden' }),
    ...(body && { 413: 'TooLarge' }),
    429: 'TooManyAttempts',
    500: 'ServerError',
  });

const errorContent = (component = 'ErrorResponse') => ({
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${component}` } } },
});
const error = errorContent();

const responses = {
  BadRequest: {
    description:
      'The request is invalid. `details` names each parameter and what is wrong with it, never the value. `Question Too Slow`: it took longer than 10 seconds, and `message` says how to narrow it.',
    ...error,
  },
  BadRequestOfService: {
    description:
      'The request is invalid, as the scheduling service words it. `details` names each parameter and what is wrong with it, never the value.',
    ...error,
  },
  TooLarge: { description: 'The body is larger than 1 MiB.', ...error },
  Unauthenticated: { description: 'Neither the admin token nor a session.', ...error },
  Forbidden: {
    description: 'The token can only read, or a page of another site sent this with the session of a browser.',
    ...error,
  },
  TooManyAttempts: {
    description: 'Too many wrong tokens from this address. A request with the right token is never delayed.',
    headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } } },
    ...error,
  },
  ServerError: { description: 'The request failed; the log of the process has the reason.', ...error },
} as const;

const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The admin token (`ADMIN_TOKEN`). The read-only token (`ADMIN_READ_TOKEN`) is accepted for GET and HEAD.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'slotstream_session',
    description:
      'Set by the login link (`./bin/slotstream status --login`); the name is followed by the port of the listener.',
  },
} as const;
