// Bad input of every kind to every operation of the admin listener: an answer of its schema or a refusal that does not
// repeat what was sent, never a fault.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorBody } from '#schemas/errors.ts';
import { apiDocument } from '#src/api/openapi.ts';
import type { ApiOperation } from '#src/api/api-operation.ts';
import { bearer } from '../../harness/mirror/api-app.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { availableEngines, freshMemory, ingestBodies, oneEngine } from '../../harness/stores.ts';
import { brokenBodies, oddIdentifiers, oddQueries } from '../../harness/data/hostile.ts';
import { damaged, sampleOf } from '../../harness/sandbox/hostile-requests.ts';
import { openedOnce } from '../../harness/opened.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';

const contact = (n: number) =>
  JSON.stringify({
    event: 'contact.created',
    created_at: '2025-04-14T11:43:10Z',
    payload: { uri: `https://api.example.test/contacts/${n}`, name: `n${n}` },
  });

const canary = 'canary-of-a-caller';
/** What a query may hold by its letters, and a database may not. */
const unstorable = ['a%00b', '%ED%A0%80'];
const odd = {
  sqlite: [...unstorable, '%F0%9F%91%A9', '%25', "';--", '%1b%5b31m', '%C2%85', canary, ''],
  postgres: unstorable,
};

/** The operations are the same whatever store they read. */
await using described = await openReadApi(freshMemory);
const operations = described.operations.map((operation) => [operation.id, operation] as const);
const document = apiDocument(described.operations, { server: 'http://127.0.0.1:8081' });
const docsOf = ({ path, method }: ApiOperation) => document.paths[path]?.[method.toLowerCase()];
const namesIn = (operation: ApiOperation): string[] =>
  (docsOf(operation)?.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
const pathOf = ({ path }: ApiOperation, part = '1'): string => path.replaceAll(/\{\w+\}/g, part);
const bodyOf = (operation: ApiOperation): unknown =>
  sampleOf(document, docsOf(operation)?.requestBody?.content['application/json'].schema ?? {}, {});

describe.each(availableEngines)('the API on $name', { timeout: propertyTimeoutMs }, ({ name: engine, fresh }) => {
  const api = openedOnce(async () => {
    const opened = await openReadApi(fresh);
    await ingestBodies(opened.store, [contact(1), contact(2), 'not JSON']);
    return opened;
  });

  interface Extra {
    readonly body?: string | Uint8Array<ArrayBuffer>;
    readonly type?: string;
  }
  /** Undefined when all is well. An answer that is not of its schema is a fault. */
  async function wrongWith({ method }: ApiOperation, path: string, { body, type = 'application/json' }: Extra = {}) {
    const headers = { ...bearer, ...(body !== undefined && type !== '' && { 'content-type': type }) };
    const answer = await api.behind.ask(path, { method, headers, ...(body !== undefined && { body }) });
    const isStream = answer.headers.get('content-type') === 'text/event-stream';
    const text = isStream ? void (await answer.body?.cancel()) : await answer.text();
    const [fault] = [...api.heard.reported.splice(0), ...api.behind.heard.reported.splice(0)];
    if (answer.ok && fault === undefined) return undefined;
    const isRefusal = [400, 404, 405, 409, 413].includes(answer.status);
    const isSilent = errorBody.safeParse(JSON.parse(text ?? '')).success && !text?.includes(canary);
    const wrong = `${method} ${path.slice(0, 200)}: ${answer.status} ${text} ${String(fault)}`;
    return isRefusal && isSilent && fault === undefined ? undefined : wrong;
  }

  it.each(operations)('%s takes an odd query', async (_id, operation) => {
    const names = namesIn(operation);
    const sent = operation.body ? { body: JSON.stringify(bodyOf(operation)) } : {};
    expect(await wrongWith(operation, pathOf(operation), sent)).toBeUndefined();
    for (const name of [...names, 'other'])
      for (const value of odd[engine])
        expect(await wrongWith(operation, `${pathOf(operation)}?${name}=${value}`, sent)).toBeUndefined();
    if (engine === 'postgres') return;
    await fc.assert(
      fc.asyncProperty(oddQueries(names), async (query) => {
        expect(await wrongWith(operation, `${pathOf(operation)}?${query}`, sent)).toBeUndefined();
      }),
      runs(5),
    );
  });

  const named = operations.filter(([, { path }]) => path.includes('{'));
  it.each(named)('%s takes an odd identifier', async (_id, operation) => {
    const sent = operation.body ? { body: JSON.stringify(bodyOf(operation)) } : {};
    const values = odd[engine].filter((value) => value !== '');
    const more = engine === 'postgres' ? [] : oddIdentifiers;
    for (const id of [...more, ...values, '9'.repeat(15), '%2f'])
      expect(await wrongWith(operation, pathOf(operation, id), sent)).toBeUndefined();
  });

  it('the list of contacts takes as many names as an address holds', async () => {
    const names = encodeURIComponent(Array.from({ length: 3_000 }, (_, index) => `q${index}%`).join(','));
    for (const name of ['name', 'country', 'email', 'phone_number']) {
      expect((await api.get(`/api/contacts?${name}=${names}`)).body).toMatchObject({ collection: [] });
    }
  });

  // Which bodies and queries are refused does not depend on the engine; what it makes of a value does.
  if (!oneEngine.some(({ name }) => name === engine)) return;

  it.each(operations.filter(([, { method }]) => method !== 'GET'))('%s takes an odd body', async (_id, operation) => {
    for (const [, body, type] of brokenBodies) {
      const extra = { body: body as string, ...(type !== undefined && { type }) };
      expect(await wrongWith(operation, pathOf(operation), extra)).toBeUndefined();
    }
    await fc.assert(
      fc.asyncProperty(damaged(bodyOf(operation)), async (body) => {
        expect(await wrongWith(operation, pathOf(operation), { body: JSON.stringify(body) ?? '' })).toBeUndefined();
      }),
      runs(8),
    );
  });
});
