// The refusals every operation shares, and the headers that come with its answers.
import {
  commonError,
  documentedStatuses,
  insufficientScope,
  invalidArgument,
  permissionDeniedTitle,
  permissionMessages,
  rateLimited,
} from '#schemas/errors.ts';
import type { JsonSchema } from '#src/http/openapi/json-schema.ts';
import type { Operation } from '#src/sandbox/api/operation.ts';

const rateHeaders = {
  'X-RateLimit-Limit': 'How many calls a minute the user may make, all integrations together.',
  'X-RateLimit-Remaining': 'How many of them are left.',
  'X-RateLimit-Reset': 'Seconds until the count begins anew.',
} as const;

export const headerComponents: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(rateHeaders).map(([name, description]) => [
    name,
    { description, schema: { type: 'integer', minimum: 0 }, 'x-assumption': 'A6d' },
  ]),
);

export const rateHeaderRefs: Readonly<Record<string, object>> = Object.fromEntries(
  Object.keys(rateHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

const errorRef = { $ref: '#/components/schemas/ErrorResponse' };

interface RefusalDocs {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly examples: Readonly<Record<string, object>>;
  readonly assumption?: string;
}

const common = { schema: errorRef, examples: { common: commonError } };

const refusals: Readonly<Record<number, RefusalDocs>> = {
  400: {
    name: 'BadRequest',
    description: 'The request is not valid. `details` names each parameter and what is wrong with it, never the value.',
    schema: errorRef,
    examples: {
      invalid: { ...invalidArgument, details: [{ message: 'given more than once', parameter: 'count' }] },
    },
    assumption: 'A16',
  },
  401: { name: 'Unauthenticated', description: 'The caller cannot be authenticated.', ...common },
  403: {
    name: 'Forbidden',
    description: "Permission denied by the caller's role or account, or a scope the token lacks.",
    schema: { anyOf: [{ $ref: '#/components/schemas/InsufficientScope' }, errorRef] },
    examples: {
      scope: { ...insufficientScope, required_scopes: ['contacts:read'] },
      permission: { title: permissionDeniedTitle, message: permissionMessages['GET /contacts'].role },
    },
  },
  404: { name: 'NotFound', description: 'The requested resource is not found.', ...common },
  409: { name: 'Conflict', description: 'An attempt to create a resource that already exists.', ...common },
  429: {
    name: 'TooManyRequests',
    description: 'A rate limit was exceeded.',
    schema: errorRef,
    examples: { limited: rateLimited },
    assumption: 'A16',
  },
  500: { name: 'ServerError', description: 'A server error; here only when a fault asks for it.', ...common },
  503: { name: 'Unavailable', description: 'Service unavailable; here only when a fault asks for it.', ...common },
};

/** What the specification documents for this endpoint, and for the others what it says of all. */
export function refusalStatuses({ method, path }: Pick<Operation, 'method' | 'path'>): readonly number[] {
  const endpoint = `${method} ${path.replaceAll(/\{(\w+)\}/g, '<$1>')}`;
  const documented: Readonly<Record<string, readonly number[]>> = documentedStatuses;
  return [...(documented[endpoint] ?? [400, 401, 403, 404, 500]), 429].toSorted((a, b) => a - b);
}

export const refusalRefs = (statuses: readonly number[]): Readonly<Record<string, object>> =>
  Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/${refusals[status]?.name}` }]),
  );

export const refusalComponents: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(refusals).map(([status, { name, description, schema, examples, assumption }]) => [
    name,
    {
      description,
      // Counted per caller, so there is nothing to say before the caller is known.
      ...(status !== '401' && { headers: rateHeaderRefs }),
      content: {
        'application/json': {
          schema,
          examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
        },
      },
      ...(assumption !== undefined && { 'x-assumption': assumption }),
    },
  ]),
);
