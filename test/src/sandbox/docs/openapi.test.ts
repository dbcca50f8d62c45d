// The OpenAPI documents: valid by an independent validator, and complete.
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { apiScopes } from '#schemas/api-scope.ts';
import { documentedStatuses } from '#schemas/errors.ts';
import { eventKinds } from '#schemas/events.ts';
import { operationsUnder } from '#src/sandbox/api/service-app.ts';
import { openForSuite } from '../../../harness/sandbox/suite.ts';
import { operations } from '../../../harness/sandbox.ts';
import { statusOf } from '#src/http/operation.ts';
import { controls } from '#src/sandbox/controls/control-routes.ts';
import { openApiDocument } from '#src/sandbox/docs/openapi.ts';
import type { OpenApiDocument, OperationDocs } from '#src/http/openapi/document.ts';

let service: OpenApiDocument;
let controlDocument: OpenApiDocument;
const sandbox = openForSuite({}, async (opened) => {
  service = (await opened.control('GET', '/openapi.json')).body as OpenApiDocument;
  controlDocument = (await opened.control('GET', '/controls.openapi.json')).body as OpenApiDocument;
});

const docsOf = ({ method, path }: { method: string; path: string }, document: OpenApiDocument): OperationDocs =>
  document.paths[path]?.[method.toLowerCase()] as OperationDocs;

interface Answering {
  readonly content?: { readonly 'application/json': { readonly schema: unknown } };
}

const answerOf = ({ responses }: OperationDocs, status: number): unknown =>
  (responses[status] as Answering).content?.['application/json'].schema;

interface Shape {
  readonly resource?: { readonly $ref?: string };
  readonly collection?: { readonly items: { readonly $ref?: string } };
}

const shapeOf = (schema: unknown): Shape => (schema as { properties?: Shape } | undefined)?.properties ?? {};

async function complaints(document: OpenApiDocument): Promise<unknown> {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>);
  validator.resolveRefs();
  return valid ? [] : errors;
}

/** Every `$ref` anywhere in a value. */
function refsIn(value: unknown): readonly string[] {
  return [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref);
}

function isThere(document: unknown, ref: string): boolean {
  const found = ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
  return found !== undefined;
}

describe('the OpenAPI documents', () => {
  it('are valid OpenAPI 3.1, the one of the service in both forms', async () => {
    expect(service.openapi).toMatch(/^3\.1\./);
    expect(await complaints(service)).toEqual([]);
    expect(await complaints(controlDocument)).toEqual([]);
    const options = { baseUrl: 'http://127.0.0.1:1', as: 'public', eventTypes: false } as const;
    const publicly = openApiDocument(operationsUnder(options), options);
    expect(await complaints(publicly)).toEqual([]);
    expect(JSON.stringify(publicly.components.schemas['CreateWebhookSubscriptionRequest'])).toContain('event_type.');
    expect(JSON.stringify(service.components.schemas['CreateWebhookSubscriptionRequest'])).not.toContain('event_type.');
  });

  it('have a target for every reference, and name no operation twice', () => {
    for (const document of [service, controlDocument]) {
      expect(refsIn(document).filter((ref) => !isThere(document, ref))).toEqual([]);
      const ids = Object.values(document.paths).flatMap((methods) =>
        Object.values(methods).map(({ operationId }) => operationId),
      );
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    }
  });

  it('hold every operation with its scopes, and every control, each in its own document', () => {
    for (const operation of operations)
      expect(docsOf(operation, service)).toMatchObject({
        operationId: operation.id,
        summary: operation.summary,
        security: [{ personalAccessToken: operation.scopes }, { oauth2: operation.scopes }],
      });
    for (const control of controls)
      expect(docsOf(control, controlDocument)).toMatchObject({ summary: control.summary });
    expect(Object.keys(service.paths).filter((path) => path.startsWith('/_sandbox'))).toEqual([]);
  });

  it('name every placeholder of a path as a parameter', () => {
    for (const operation of operations) {
      const named = (docsOf(operation, service).parameters ?? []) as readonly { in: string; name: string }[];
      const placeholders = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(named.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(placeholders);
    }
  });

  it('give every operation the statuses the specification documents for it, and 429', () => {
    for (const [endpoint, statuses] of Object.entries(documentedStatuses)) {
      const [method = '', path = ''] = endpoint.replace('<uuid>', '{uuid}').split(' ');
      const answers = Object.keys(docsOf({ method, path }, service).responses).filter((status) => status >= '400');
      expect(answers).toEqual([...statuses.map(String), '429'].toSorted());
    }
  });

  it('give every record a name of its own', () => {
    const unnamed = operations.filter((operation) => {
      const { resource, collection } = shapeOf(answerOf(docsOf(operation, service), statusOf(operation)));
      return operation.answers !== 'nothing' && (resource ?? collection?.items)?.$ref === undefined;
    });
    expect(unnamed.map(({ id }) => id)).toEqual([]);
  });

  it('describe both kinds of token, every scope, and every event', () => {
    const schemes = service.components['securitySchemes'] as Readonly<Record<string, object>>;
    expect(schemes['personalAccessToken']).toMatchObject({ type: 'http', scheme: 'bearer' });
    const { base_url } = sandbox.handles;
    expect(schemes['oauth2']).toMatchObject({
      flows: {
        authorizationCode: { authorizationUrl: `${base_url}/oauth/authorize`, tokenUrl: `${base_url}/oauth/token` },
      },
    });
    for (const scope of Object.keys(apiScopes)) expect(JSON.stringify(schemes['oauth2'])).toContain(`"${scope}"`);
    expect(Object.keys(service.webhooks ?? {}).toSorted()).toEqual(Object.keys(eventKinds).toSorted());
  });

  it('describe a count as a number with its bounds, and a time as a time', () => {
    const parameters = docsOf({ method: 'GET', path: '/scheduled_events' }, service).parameters as readonly {
      name: string;
      schema: object;
    }[];
    const schemaOf = (wanted: string): unknown => parameters.find(({ name }) => name === wanted)?.schema;
    expect(schemaOf('count')).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 20 });
    expect(schemaOf('min_start_time')).toEqual({ type: 'string', format: 'date-time' });
  });
});
