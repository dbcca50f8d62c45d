// Bad input of every kind to every operation, every control and the authorization server: a refusal as the specification words it, which
// changes nothing, and never a fault of the sandbox.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { commonError, errorBody, insufficientScope, permissionDeniedTitle } from '#schemas/errors.ts';
import type { OpenApiDocument, OperationDocs } from '#src/http/openapi/document.ts';
import type { ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import { dayMs } from '#src/sandbox/clock.ts';
import { controls } from '#src/sandbox/controls/control-routes.ts';
import { brokenBodies, oddIdentifiers, oddQueries } from '../../../harness/data/hostile.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';
import { openTestSandbox, operations, type TestSandbox } from '../../../harness/sandbox.ts';
import { damaged, sampleOf, type Known } from '../../../harness/sandbox/hostile-requests.ts';

const reading = operations.filter(({ method }) => method === 'GET');
const writing = operations.filter(({ body }) => body !== undefined);
const naming = operations.filter(({ path }) => path.includes('{'));
const titles = [commonError.title, permissionDeniedTitle, insufficientScope.title];

type Named = Pick<ServiceOperation, 'path' | 'method'>;

interface Extra {
  readonly body?: string | Uint8Array | undefined;
  readonly type?: string | undefined;
}

async function openTarget() {
  const faults: unknown[] = [];
  const options = { contacts: 8, bookings: 4, rateLimits: false };
  const sandbox = await openTestSandbox(options, { report: (error) => void faults.push(error) });
  const { base_url, tokens, organization } = sandbox.handles;
  // So that there is one of everything an operation can name. Nothing happens that the subscription is about.
  const [missed] = sandbox.service.state.invitees.values();
  await sandbox.control('POST', '/no_shows', { invitee: missed?.uri });
  await sandbox.call('POST', `${organization}/invitations`, { body: { email: 'invited@example.test' } });
  const events = ['routing_form_submission.created'];
  const hook = { url: 'http://127.0.0.1:9/first', events, organization, scope: 'organization' };
  await sandbox.call('POST', '/webhook_subscriptions', { body: hook });
  const service = (await sandbox.control('GET', '/openapi.json')).body as OpenApiDocument;
  const controlDocument = (await sandbox.control('GET', '/controls.openapi.json')).body as OpenApiDocument;
  const docsOf = ({ path, method }: Named, document = service): OperationDocs | undefined =>
    document.paths[path]?.[method.toLowerCase()];
  const queryOf = (operation: Named) => docsOf(operation)?.parameters?.filter((one) => one.in === 'query') ?? [];
  const uris = urisOf(sandbox);
  let truth = truthOf(sandbox);

  /** Sent by the owner. */
  async function statusOf(method: string, path: string, { body, type = 'application/json' }: Extra = {}) {
    const answer = await sandbox.fetch(base_url + path, {
      method,
      headers: { authorization: `Bearer ${tokens.owner}`, ...(type !== '' && { 'content-type': type }) },
      ...(body !== undefined && { body: Buffer.from(body) }),
    });
    const text = await answer.text();
    const what = `${method} ${path} ${String(body).slice(0, 2000)} is answered ${answer.status}`;
    const isRefusal = answer.status >= 400;
    const before = truth;
    truth = truthOf(sandbox);
    expect([what, faults.splice(0), isRefusal && before !== truth]).toEqual([what, [], false]);
    if (isRefusal && !path.startsWith('/oauth/')) expect(titles).toContain(errorBody.parse(JSON.parse(text)).title);
    return answer.status;
  }
  return {
    controlDocument,
    statusOf,
    async answers([method, path, extra]: Parameters<typeof statusOf>, allowed: readonly number[]): Promise<void> {
      const status = await statusOf(method, path, extra);
      const what = `${method} ${path} ${String(extra?.body).slice(0, 2000)} is answered ${status}`;
      expect([what, allowed]).toEqual([what, expect.arrayContaining([status])]);
    },
    uris,
    /** A path that names what exists. */
    pathOf({ path }: Named): string {
      const named = path.slice(0, path.lastIndexOf('}') + 1);
      const form = new RegExp(`^${named.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      const found = uris.map((uri) => uri.slice(base_url.length)).find((one) => form.test(one));
      if (named !== '' && found === undefined) throw new Error(`There is nothing at ${named}.`);
      return (found ?? '') + path.slice(named.length);
    },
    usualBody(operation: Named, document = service): unknown {
      const schema = docsOf(operation, document)?.requestBody?.content['application/json'].schema ?? {};
      // Elsewhere `invitee` is the person who books.
      const marked = operation.path === '/invitee_no_shows' && { invitee: comingTo(sandbox) };
      return sampleOf(document, schema, { ...usualValues(sandbox), ...marked });
    },
    /** The query without which an operation does not look any further. */
    usualQuery(operation: Named): string {
      const known = usualValues(sandbox);
      const needed = queryOf(operation).filter(({ name, required }) => required || name === 'organization');
      return needed.map(({ name }) => `${name}=${encodeURIComponent(String(known[name] ?? ''))}`).join('&');
    },
    queryNames: (operation: Named) => queryOf(operation).map(({ name }) => name),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}
type Target = Awaited<ReturnType<typeof openTarget>>;

const recordsOf = ({ service: { state } }: TestSandbox): readonly { readonly uri?: string }[] => {
  const { contacts, ...shelves } = state;
  const books = contacts.values().flatMap((book) => book.values());
  return [...books, ...Object.values(shelves).flatMap((shelf) => [...shelf.values()] as { uri?: string }[])];
};

const truthOf = (sandbox: TestSandbox): string =>
  JSON.stringify([recordsOf(sandbox), sandbox.dispatcher.total, sandbox.dispatcher.pending], (_, value: unknown) =>
    value instanceof Map ? [...value] : value,
  );

const urisOf = (sandbox: TestSandbox): readonly string[] => {
  const marks = [...sandbox.service.state.invitees.values()].flatMap(({ no_show }) => no_show ?? []);
  return [...recordsOf(sandbox), ...marks].flatMap(({ uri }) => uri ?? []);
};

/** An invitee who can be marked as a no-show. */
const comingTo = ({ service }: TestSandbox): string | undefined =>
  service.state.invitees.values().find(({ status, no_show }) => status === 'active' && no_show === null)?.uri;

let people = 0;

/** What a usual request says, by the name of the field. */
function usualValues({ service: { state, clock }, handles }: TestSandbox): Known {
  const definition = [...state.definitions.values()].find(({ field_type }) => field_type === 'text');
  people += 1;
  return {
    organization: handles.organization,
    email: `someone-${people}@example.test`,
    user: handles.users.owner,
    owner: handles.users.owner,
    hosts: handles.users.owner,
    group: handles.group,
    event_type: handles.event_types.solo,
    form: [...state.routingForms.values()][0]?.uri,
    scope: 'organization',
    start_time: new Date(clock.nowMs() + dayMs).toISOString(),
    end_time: new Date(clock.nowMs() + 3 * dayMs).toISOString(),
    timezone: 'Europe/Berlin',
    country: 'DE',
    linkedin: 'https://example.test/someone',
    text_reminder_number: '+12025550100',
    url: `http://127.0.0.1:9/hook/${people}`,
    location: { kind: 'zoom_conference' },
    locations: { kind: 'zoom_conference' },
    questions_and_answers: { question: 'What would you like to talk about?', answer: 'This', position: 0 },
    custom_fields: { uuid: definition?.uri.slice(definition.uri.lastIndexOf('/') + 1), value: 'text' },
    pooling_type: null,
    seats: 5,
    kind: 'group',
    color: '#0a7d8c',
  };
}

const asked = (target: Target, operation: ServiceOperation, more = ''): string =>
  `${target.pathOf(operation)}?${target.usualQuery(operation)}${more}`;
const textOf = (target: Target, operation: ServiceOperation): string | undefined =>
  operation.body && JSON.stringify(target.usualBody(operation));

/** Whether the operation's own schema, or a parameter given twice, is against this query. */
function isAgainst({ query }: ServiceOperation, url: string): boolean {
  const parameters = [...new URLSearchParams(url.slice(url.indexOf('?') + 1))];
  const names = new Set(parameters.map(([name]) => name));
  return names.size < parameters.length || query?.safeParse(Object.fromEntries(parameters)).success === false;
}

/** Those that take longest to read are tried on one only: all have the same reader. */
const bodiesFor = (isFirst: boolean) => brokenBodies.filter(([, { length }]) => isFirst || length < 100_000);

it('the usual request to each operation is answered: it is what the others spoil', async () => {
  await using target = await openTarget();
  // Reading last: an event type that was changed asks other questions.
  for (const operation of [...writing, ...reading])
    await target.answers([operation.method, asked(target, operation), { body: textOf(target, operation) }], [200, 201]);
});

it('an odd query is refused, or finds what it says', { timeout: propertyTimeoutMs }, async () => {
  await using target = await openTarget();
  for (const operation of reading)
    await fc.assert(
      fc.asyncProperty(oddQueries(target.queryNames(operation)), async (query) => {
        const url = asked(target, operation, `&${query}`);
        await target.answers(['GET', url], isAgainst(operation, url) ? [400] : [200, 400, 403, 404]);
      }),
      runs(operation.answers === 'collection' ? 8 : 3),
    );
});

it('a body is refused wherever it is wrong', { timeout: propertyTimeoutMs }, async () => {
  await using target = await openTarget();
  for (const [index, operation] of writing.entries()) {
    const path = target.pathOf(operation);
    await fc.assert(
      fc.asyncProperty(damaged(target.usualBody(operation)), async (damage) => {
        const body = JSON.stringify(damage);
        const isWrong = operation.body?.safeParse(JSON.parse(body)).success === false;
        await target.answers([operation.method, path, { body }], isWrong ? [400] : [200, 201, 400, 403, 404, 409]);
      }),
      runs(15),
    );
    for (const [, body, type] of bodiesFor(index === 0))
      await target.answers([operation.method, path, { body, type }], [400, 404]);
  }
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  const contact = JSON.stringify(target.usualBody({ method: 'POST', path: '/contacts' }));
  const deep = contact.replace('"value":"text"', `"value":${'['.repeat(10_000)}${']'.repeat(10_000)}`);
  expect(deep.length).toBeGreaterThan(20_000);
  await target.answers(['POST', '/contacts', { body: deep }], [400]);
});

it('an odd identifier, or that of another kind of record, is not found', { timeout: propertyTimeoutMs }, async () => {
  await using target = await openTarget();
  const named = fc.constantFrom(...naming).chain((operation) => {
    const foreign = target.uris.filter((uri) => !uri.includes(`${operation.path.split('/{')[0]}/`));
    const identifier = fc.constantFrom(...oddIdentifiers, ...foreign.map((uri) => uri.split('/').at(-1) ?? ''));
    return fc.tuple(fc.constant(operation), identifier);
  });
  await fc.assert(
    fc.asyncProperty(named, async ([operation, identifier]) => {
      const url = `${operation.path.replaceAll(/\{\w+\}/g, () => identifier)}?${target.usualQuery(operation)}`;
      await target.answers([operation.method, url, { body: textOf(target, operation) }], [400, 403, 404]);
    }),
    runs(200),
  );
});

it('a bad call of a control is refused', { timeout: propertyTimeoutMs }, async () => {
  await using target = await openTarget();
  // Controls are called by hand: the type of the body need not be declared, and no body is an empty object.
  const isTaken = (why: string) =>
    ['nothing', 'a byte order mark alone', 'of another type', 'of no type'].includes(why);
  for (const [index, control] of controls.filter(({ body }) => body !== undefined).entries()) {
    const [method, path] = [control.method, `/_sandbox${control.path}`];
    if (method === 'GET') {
      for (const query of ['nonsense=1', '__proto__x=1', '%00=1', 'constructor=1'])
        await target.answers([method, `${path}?${query}`], [400]);
      continue;
    }
    for (const [why, body, type] of bodiesFor(index === 0))
      if (!isTaken(why)) await target.answers([method, path, { body, type }], [400]);
    await fc.assert(
      fc.asyncProperty(damaged(target.usualBody(control, target.controlDocument)), async (damage) => {
        const body = JSON.stringify(damage);
        fc.pre(control.body?.safeParse(JSON.parse(body)).success === false);
        await target.answers([method, path, { body }], [400]);
      }),
      runs(6),
    );
  }
});

it('a bad call of any endpoint of the authorization server is refused', { timeout: propertyTimeoutMs }, async () => {
  await using target = await openTarget();
  const requested = ['response_type', 'client_id', 'redirect_uri', 'code_challenge', 'code_challenge_method'];
  const queries = oddQueries([...requested, 'scope', 'state']);
  const grants = ['grant_type', 'code', 'code_verifier', 'refresh_token', 'client_id', 'redirect_uri', 'token'];
  const type = 'application/x-www-form-urlencoded';
  await fc.assert(
    fc.asyncProperty(queries, oddQueries(grants), async (query, body) => {
      const statuses = [
        await target.statusOf('GET', `/oauth/authorize?${query}`),
        await target.statusOf('POST', '/oauth/authorize', { body: query, type }),
        await target.statusOf('POST', '/oauth/token', { body, type }),
      ];
      expect(statuses.filter((status) => status < 400 || status >= 500)).toEqual([]);
      for (const known of ['client_id=slotstream', 'client_id=slotstream&redirect_uri=http://127.0.0.1/'])
        expect(await target.statusOf('GET', `/oauth/authorize?${known}&${query}`)).toBeLessThan(500);
    }),
    runs(20),
  );
  for (const path of ['/oauth/authorize', '/oauth/token', '/oauth/revoke', '/oauth/introspect'])
    for (const [, body, sentType] of bodiesFor(path === '/oauth/token'))
      for (const either of [sentType, type])
        expect(await target.statusOf('POST', path, { body, type: either })).toBeLessThan(500);
});
