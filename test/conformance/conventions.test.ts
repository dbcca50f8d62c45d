// Conformance: the conventions that hold for every endpoint.
import { afterAll, beforeAll, expect } from 'vitest';
import { operations, openTestSandbox, type TestSandbox } from '../harness/sandbox.ts';
import { fillEveryList, listsOf, parameterNames, textsIn } from '../harness/sandbox/lists.ts';
import { answers } from './answers.ts';
import { rows } from './rows.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox({ rateLimits: false });
  await fillEveryList(sandbox);
});
afterAll(() => sandbox[Symbol.asyncDispose]());

/** Fields that hold an address for people, or the address of a page, and so no resource. */
const isNoReference = (key: string): boolean => /_url$|^share_link$|_page$/.test(key);

/** Every resource that can be reached from the lists by following URIs, with its answer. */
async function reachable(): Promise<ReadonlyMap<string, { readonly status: number; readonly body: unknown }>> {
  const { base_url } = sandbox.handles;
  const found = new Map<string, { readonly status: number; readonly body: unknown }>();
  const follow = (body: unknown): readonly string[] =>
    textsIn(body)
      .filter(([key, text]) => text.startsWith(`${base_url}/`) && !isNoReference(key))
      .map(([, text]) => text);
  const todo: string[] = [];
  for (const { path, query } of listsOf(sandbox))
    todo.push(...follow((await sandbox.call('GET', path, { query })).body));
  for (let uri = todo.pop(); uri !== undefined; uri = todo.pop()) {
    if (found.has(uri)) continue;
    const { status, body } = await sandbox.call('GET', uri);
    found.set(uri, { status, body });
    todo.push(...follow(body));
  }
  return found;
}

rows({
  'What the service does | request and response bodies are JSON': async () => {
    for (const { path, query } of listsOf(sandbox)) {
      const { headers } = await sandbox.call('GET', path, { query });
      expect(headers.get('content-type')).toMatch(/^application\/json/);
    }
  },
  'Endpoints | POST requests send `Content-Type: application/json`': async () => {
    const posts = operations.filter(({ method, path }) => method === 'POST' && !path.includes('{'));
    expect(posts.length).toBeGreaterThan(3);
    for (const { path } of posts)
      await answers(sandbox.call('POST', path, { body: '{}', headers: { 'content-type': 'text/plain' } }), 400, {
        details: [{ message: 'Send the header Content-Type: application/json.' }],
      });
  },
  'Conventions 1 | any request parameter that refers to another resource is a full URI': async () => {
    const references = ['organization', 'user', 'group', 'event', 'event_type', 'form'];
    let asked = 0;
    for (const { operation, path, query } of listsOf(sandbox))
      for (const name of parameterNames(operation).filter((parameter) => references.includes(parameter))) {
        const uuid = '7f8b1c7e-3c5f-4e0a-9d0e-2f1c7a5b6d4e';
        await answers(sandbox.call('GET', path, { query: { ...query, [name]: uuid } }), 400, {
          details: [{ parameter: name }],
        });
        asked += 1;
      }
    expect(asked).toBeGreaterThan(8);
  },
  'Conventions 1 | any response attribute that refers to another resource holds a URI; more data is obtained by requesting that URI':
    async () => {
      const found = await reachable();
      expect([...found].filter(([, { status }]) => status !== 200).map(([uri]) => uri)).toEqual([]);
      const kinds = new Set([...found.keys()].map((uri) => new URL(uri).pathname.replaceAll(/\/[0-9a-f-]{36}/g, '/*')));
      for (const kind of [
        '/users/*',
        '/organizations/*',
        '/organizations/*/invitations/*',
        '/contacts/*',
        '/contacts/custom_field_definitions/*',
        '/event_types/*',
        '/scheduled_events/*',
        '/scheduled_events/*/invitees/*',
        '/invitee_no_shows/*',
        '/meeting_recaps/*',
        '/meeting_recaps/*/transcript',
        '/routing_forms/*',
        '/routing_form_submissions/*',
        '/groups/*',
        '/webhook_subscriptions/*',
      ])
        expect(kinds).toContain(kind);
    },
  'Resources and their fields | all identifiers named `uri` are canonical URIs of the resource': async () => {
    for (const [uri, { body }] of await reachable()) {
      const { resource } = body as { readonly resource: { readonly uri: string } };
      expect(resource.uri).toBe(uri);
    }
  },
  'Conventions 2 | a single-resource response is an object with one key, `resource`': async () => {
    const found = await reachable();
    expect(found.size).toBeGreaterThan(50);
    for (const { body } of found.values()) expect(Object.keys(body as object)).toEqual(['resource']);
  },
  'Conventions 2 | a collection response is an object with `collection` (list) and `pagination` (object)': async () => {
    for (const { path, query } of listsOf(sandbox)) {
      const { status, body } = await sandbox.call('GET', path, { query });
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['collection', 'pagination']);
      expect(body.collection).toBeInstanceOf(Array);
      expect(body.collection.length).toBeGreaterThan(0);
      expect(body.pagination).toBeTypeOf('object');
    }
  },
  'Conventions 3 | keyset (cursor) pagination is used by every endpoint that returns a collection': async () => {
    const lists = listsOf(sandbox);
    let paged = 0;
    for (const { path, query } of lists) {
      const first = await sandbox.call('GET', path, { query: { ...query, count: 1 } });
      const { next_page_token } = first.body.pagination;
      // A world has one group and one routing form.
      if (next_page_token === null) continue;
      paged += 1;
      const second = await sandbox.call('GET', path, { query: { ...query, count: 1, page_token: next_page_token } });
      expect(second.body.collection).toHaveLength(1);
      expect(second.body.collection).not.toEqual(first.body.collection);
    }
    expect(paged).toBeGreaterThan(lists.length - 3);
  },
  'Conventions 3 | `pagination.next_page` holds the URL of the next page, or `null` when no further results exist':
    async () => {
      for (const { path, query } of listsOf(sandbox)) {
        const whole = await sandbox.call('GET', path, { query: { ...query, count: 100 } });
        expect(whole.body.pagination.next_page).toBeNull();
        let page = await sandbox.call('GET', path, { query: { ...query, count: 2 } });
        const rows = [...page.body.collection];
        while (page.body.pagination.next_page !== null) {
          page = await sandbox.call('GET', page.body.pagination.next_page);
          rows.push(...page.body.collection);
        }
        expect(rows).toEqual(whole.body.collection);
      }
    },
  'Conventions 3 | paging stays accurate while items are added or removed between page requests': async () => {
    const all = await sandbox.call('GET', '/contacts', { query: { count: 100 } });
    const lasting = new Set<string>(all.body.collection.map((contact: { uri: string }) => contact.uri));
    const seen: string[] = [];
    let page = await sandbox.call('GET', '/contacts', { query: { count: 7 } });
    for (let turn = 0; ; turn += 1) {
      const uris: string[] = page.body.collection.map((contact: { uri: string }) => contact.uri);
      seen.push(...uris);
      if (page.body.pagination.next_page === null) break;
      // The row the next page begins behind goes, and another comes.
      const [gone] = uris.slice(-1) as [string];
      await answers(sandbox.call('DELETE', gone), 204);
      lasting.delete(gone);
      const emails = [{ email: `between-${turn}@example.test`, is_primary: true }];
      await answers(sandbox.call('POST', '/contacts', { body: { emails } }), 201);
      page = await sandbox.call('GET', page.body.pagination.next_page);
      if (turn > 50) break;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect([...lasting].filter((uri) => !seen.includes(uri))).toEqual([]);
  },
  'Conventions 4 | responses depend on the request only, never on the role of the caller': async () => {
    const uris = [...(await reachable()).keys()];
    // Page tokens carry the time they were made at; what they lead to is compared by the rows.
    const withoutTokens = (body: { readonly collection: unknown }): unknown => body.collection;
    for (const { path, query } of listsOf(sandbox)) {
      const [owner, admin] = await Promise.all(
        (['owner', 'admin'] as const).map((as) => sandbox.call('GET', path, { as, query })),
      );
      expect(JSON.stringify(withoutTokens(admin?.body))).toBe(JSON.stringify(withoutTokens(owner?.body)));
    }
    for (const uri of uris) {
      const owner = await sandbox.call('GET', uri, { as: 'owner' });
      const admin = await sandbox.call('GET', uri, { as: 'admin' });
      expect([uri, admin.status, admin.body]).toEqual([uri, owner.status, owner.body]);
    }
  },
  'Conventions 4 | a caller must state explicitly which data it wants (for example by a `user` or `organization` parameter)':
    async () => {
      for (const path of [
        '/scheduled_events',
        '/event_types',
        '/organization_memberships',
        '/webhook_subscriptions',
        '/groups',
        '/routing_forms',
      ])
        await answers(sandbox.call('GET', path), 400);
    },
  "Conventions 4 | the caller's role only decides permission: a caller with too low a role receives 403 for the same request that succeeds for an administrator":
    async () => {
      const { organization } = sandbox.handles;
      const asked = listsOf(sandbox).filter(({ query }) => query['organization'] === organization);
      expect(asked.length).toBeGreaterThan(5);
      for (const { operation, path, query } of asked) {
        const admin = await sandbox.call('GET', path, { as: 'admin', query });
        const member = await sandbox.call('GET', path, { as: 'member', query });
        expect([operation.id, admin.status, member.status]).toEqual([operation.id, 200, 403]);
        expect(member.body.title).toBe('Permission Denied');
      }
    },
  'Conventions 5 | timestamps are ISO 8601 UTC strings, with six fractional digits': async () => {
    const times: (readonly [string, string])[] = [];
    for (const { path, query } of listsOf(sandbox))
      times.push(
        ...textsIn((await sandbox.call('GET', path, { query })).body).filter(([key]) => /_(at|time)$/.test(key)),
      );
    expect(times.length).toBeGreaterThan(200);
    expect(times.filter(([, text]) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(text))).toEqual([]);
  },
  'Conventions 5 | a request may write a timestamp with any number of fractional digits, or with an offset | A5':
    async () => {
      const { organization } = sandbox.handles;
      const ask = (min_start_time: string) =>
        sandbox.call('GET', '/scheduled_events', { query: { organization, min_start_time, count: 100 } });
      const expected = (await ask('2026-01-01T00:00:00.000000Z')).body.collection;
      for (const text of ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z', '2026-01-01T01:00:00+01:00'])
        expect((await ask(text)).body.collection).toEqual(expected);
      for (const text of ['2026-01-01', '2026-02-30T00:00:00Z', 'yesterday', '1767225600'])
        await answers(ask(text), 400, { details: [{ parameter: 'min_start_time' }] });
    },
});
