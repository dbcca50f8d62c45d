// The errors that all operations share, and the headers of their answers.
import {
  commonError,
  documentedStatuses,
  insufficientScope,
  invalidArgument,
  permissionDeniedTitle,
  permissionMessages,
  rateLimited,
  publicErrors,
} from '#schemas/errors.ts';
import { sharedResponses, type OperationDocs, type ResponseDocs } from '#src/http/openapi/document.ts';
import type { ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import type { Form } from '#src/sandbox/world/service.ts';

const rateHeaders = {
  'X-RateLimit-Limit': 'How many calls per minute the user may make, with all integrations together.',
  'X-RateLimit-Remaining': 'How many of them are left.',
  'X-RateLimit-Reset': 'Seconds until the count starts again.',
} as const;

const publicRateHeaders = {
  'X-RateLimit-Tier': 'The tier of the account, which decides the limit.',
  'X-RateLimit-Key': 'Whose calls are counted together.',
} as const;

export const headerComponents = (as: Form): Readonly<Record<string, object>> =>
  Object.fromEntries([
    ...Object.entries(rateHeaders).map(([name, description]) => [
      name,
      { description, schema: { type: 'integer', minimum: 0 }, 'x-assumption': 'A6d' },
    ]),
    ...Object.entries(as === 'public' ? publicRateHeaders : {}).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' }, 'x-assumption': 'A6d' },
    ]),
  ]);

export const rateHeaderRefs = (as: Form): Readonly<Record<string, object>> =>
  Object.fromEntries(Object.keys(headerComponents(as)).map((name) => [name, { $ref: `#/components/headers/${name}` }]));

interface ErrorDocs {
  readonly name: string;
  readonly description: string;
  /** The body of the common error when absent. */
  readonly examples?: Readonly<Record<string, object>>;
  readonly assumption?: string;
}

const errors: Readonly<Record<number, ErrorDocs>> = {
  400: {
    name: 'BadRequest',
    description: 'The request is invalid. `details` names each parameter and what is wrong with it, never the value.',
    examples: { invalid: { ...invalidArgument, details: [{ message: 'given more than once', parameter: 'count' }] } },
    assumption: 'A16',
  },
  401: { name: 'Unauthenticated', description: 'The caller cannot be authenticated.' },
  403: {
    name: 'Forbidden',
    description: "Permission denied by the caller's role or account, or a scope the token lacks.",
    examples: {
      scope: { ...insufficientScope, required_scopes: ['contacts:read'] },
      permission: { title: permissionDeniedTitle, message: permissionMessages['GET /contacts'].role },
    },
  },
  404: { name: 'NotFound', description: 'The requested resource is not found.' },
  409: { name: 'Conflict', description: 'An attempt to create a resource that already exists.' },
  429: {
    name: 'TooManyRequests',
    description: 'A rate limit was exceeded.',
    examples: { limited: rateLimited },
    assumption: 'A16',
  },
  500: { name: 'ServerError', description: 'A server error; in the sandbox only an injected fault.' },
  503: { name: 'Unavailable', description: 'Service unavailable; in the sandbox only an injected fault.' },
};

/** The statuses that the specification documents for the endpoint, or else for all endpoints, and 429. */
export function errorRefs(
  operation: Pick<ServiceOperation, 'method' | 'path' | 'conflicts'>,
): OperationDocs['responses'] {
  const { method, path, conflicts } = operation;
  const endpoint = `${method} ${path.replaceAll(/\{(\w+)\}/g, '<$1>')}`;
  const documented: Readonly<Record<string, readonly number[]>> = documentedStatuses;
  const statuses = [...(documented[endpoint] ?? [400, 401, 403, 404, ...(conflicts ? [409] : []), 500]), 429];
  return sharedResponses(Object.fromEntries(statuses.map((status) => [status, errors[status]?.name ?? ''])));
}

const errorRef = { $ref: '#/components/schemas/ErrorResponse' };
const forbiddenSchema = { anyOf: [{ $ref: '#/components/schemas/InsufficientScope' }, errorRef] };

function componentOf({ name, description, examples = { common: commonError }, assumption }: ErrorDocs): ResponseDocs {
  const schema = name === 'Forbidden' ? forbiddenSchema : errorRef;
  const values = Object.fromEntries(Object.entries(examples).map(([title, value]) => [title, { value }]));
  const content = { 'application/json': { schema, examples: values } };
  return { description, content, ...(assumption !== undefined && { 'x-assumption': assumption }) };
}

/** Calls are counted per caller, so an answer to an unknown caller has no rate headers. */
export const errorComponents = (as: Form): Readonly<Record<string, ResponseDocs>> =>
  Object.fromEntries(
    Object.entries(errors).map(([status, docs]) => {
      const example = as === 'public' ? publicErrors[Number(status)] : undefined;
      const component = componentOf({ ...docs, ...(example && { examples: { example } }) });
      return [docs.name, { ...component, ...(docs.name !== 'Unauthenticated' && { headers: rateHeaderRefs(as) }) }];
    }),
  );

/** Calls of controls are not counted, so their errors have no rate headers. */
export const controlErrors: Readonly<Record<string, ResponseDocs>> = Object.fromEntries(
  [errors[400], errors[404]].flatMap((docs) => (docs ? [[docs.name, componentOf(docs)]] : [])),
);
