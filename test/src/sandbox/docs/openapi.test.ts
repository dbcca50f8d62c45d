// The OpenAPI documents: valid by an independent validator, and complete; and the page that shows them, which needs nothing from elsewhere.
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { documentedStatuses } from '#schemas/errors.ts';
import { eventKinds } from '#schemas/events.ts';
import { operationsUnder } from '#src/sandbox/api/service-app.ts';
import { openForSuite, operations } from '../../../harness/sandbox.ts';
import { controls } from '#src/sandbox/controls/control-routes.ts';
import { openApiDocument } from '#src/sandbox/docs/openapi.ts';
import type { OpenApiDocument } from '#src/http/openapi/document.ts';

let service: OpenApiDocument;
let controlDocument: OpenApiDocument;
const sandbox = openForSuite({}, async (opened) => {
  service = (await opened.control('GET', '/openapi.json')).body as OpenApiDocument;
  controlDocument = (await opened.control('GET', '/controls.openapi.json')).body as OpenApiDocument;
});

describe('the OpenAPI documents', () => {
  it('are valid OpenAPI 3.1, the one of the service in both forms', async () => {
    const options = { baseUrl: 'http://127.0.0.1:1', as: 'public', eventTypes: false } as const;
    const publicly = openApiDocument(operationsUnder(options), options);
    for (const document of [service, controlDocument, publicly]) {
      const result = await new Validator().validate({ ...structuredClone(document) });
      expect(result).toMatchObject({ valid: true });
    }
    const request = ({ components }: OpenApiDocument) => components.schemas['CreateWebhookSubscriptionRequest'];
    expect(JSON.stringify(request(publicly))).toContain('event_type.');
    expect(JSON.stringify(request(service))).not.toContain('event_type.');
  });

  it('give every operation the statuses the specification documents for it, and 429', () => {
    for (const [endpoint, statuses] of Object.entries(documentedStatuses)) {
      const [method = '', path = ''] = endpoint.replace('<uuid>', '{uuid}').split(' ');
      const answers = Object.keys(service.paths[path]?.[method.toLowerCase()]?.responses ?? {}).filter(
        (status) => status >= '400',
      );
      expect(answers).toEqual([...statuses.map(String), '429'].toSorted());
    }
  });
});

describe('the pages of the sandbox', () => {
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(sandbox.handles.base_url + path, { headers, redirect: 'manual' });

  it('show every operation, control, event and schema, link to what is there, and need nothing from elsewhere', async () => {
    const answer = await get('/_sandbox/docs');
    const page = await answer.text();
    const paths = [...operations.map(({ path }) => path), ...controls.map(({ path }) => `/_sandbox${path}`)];
    for (const words of [...paths, ...Object.keys(eventKinds)]) expect(page).toContain(words);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id).filter((id) => !ids.includes(id))).toEqual([]);
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    const links = [...page.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, link = '']) => link);
    const { base_url } = sandbox.handles;
    expect(links.filter((link) => !/^(\/|data:)/.test(link) && !link.startsWith(base_url))).toEqual([]);
  });
});
