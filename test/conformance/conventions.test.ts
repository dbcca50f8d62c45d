// Conformance: the conventions that hold for every endpoint.
import { expect } from 'vitest';
import { operations, type Answer, type TestSandbox } from '../harness/sandbox.ts';
import { everyPage, fillEveryList, listsOf, parameterNames, textsIn, type Stop } from '../harness/sandbox/lists.ts';
import { answers, invalid, sixDigits, strange, urisOf } from './answers.ts';
import { openForRows, rows } from './rows.ts';

/** Every list, with what it answers. */
let lists: readonly (Stop & Answer)[];
/** Every resource that can be reached from the lists by following URIs, with its answer. */
let reached: ReadonlyMap<string, Answer>;
const sandbox = openForRows({ rateLimits: false, contacts: 30, bookings: 30 }, async (opened) => {
  await fillEveryList(opened);
  lists = await Promise.all(
    listsOf(opened).map(async (list) => ({ ...list, ...(await opened.call('GET', list.path, { query: list.query })) })),
  );
  reached = await reachable(opened);
});

/** Fields that hold an address for people, or the address of a page, and so no resource. */
const isNoReference = (key: string): boolean => /_url$|^share_link$|_page$/.test(key);

async function reachable(opened: TestSandbox): Promise<ReadonlyMap<string, Answer>> {
  const found = new Map<string, Answer>();
  const follow = (body: unknown): readonly string[] =>
    textsIn(body)
      .filter(([key, text]) => text.startsWith(`${opened.handles.base_url}/`) && !isNoReference(key))
      .map(([, text]) => text);
  const todo = lists.flatMap(({ body }) => follow(body));
  for (let uri = todo.pop(); uri !== undefined; uri = todo.pop()) {
    if (found.has(uri)) continue;
    const answer = await opened.call('GET', uri);
    found.set(uri, answer);
    todo.push(...follow(answer.body));
  }
  return found;
}

rows({
  'What the service does | request and response bodies are JSON': () => {
    for (const { headers } of lists) expect(headers.get('content-type')).toMatch(/^application\/json/);
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
    for (const { operation, path, query } of lists)
      for (const name of parameterNames(operation).filter((parameter) => references.includes(parameter))) {
        await answers(sandbox.call('GET', path, { query: { ...query, [name]: strange } }), 400, invalid(name));
        asked += 1;
      }
    expect(asked).toBeGreaterThan(8);
  },
  'Conventions 1 | any response attribute that refers to another resource holds a URI; more data is obtained by requesting that URI':
    () => {
      expect([...reached].filter(([, { status }]) => status !== 200).map(([uri]) => uri)).toEqual([]);
      const paths = [...reached.keys()].map((uri) => new URL(uri).pathname.replaceAll(/\/[0-9a-f-]{36}/g, '/*'));
      const families =
        'users organizations contacts event_types scheduled_events invitee_no_shows meeting_recaps routing_forms ' +
        'routing_form_submissions groups webhook_subscriptions organizations/*/invitations contacts/custom_field_definitions ' +
        'scheduled_events/*/invitees';
      const every = families.split(' ').map((family) => `/${family}/*`);
      expect(paths).toEqual(expect.arrayContaining([...every, '/meeting_recaps/*/transcript']));
    },
  'Resources and their fields | all identifiers named `uri` are canonical URIs of the resource': () => {
    for (const [uri, { body }] of reached) expect(body.resource.uri).toBe(uri);
  },
  'Conventions 2 | a single-resource response is an object with one key, `resource`': () => {
    expect(reached.size).toBeGreaterThan(50);
    for (const { body } of reached.values()) expect(Object.keys(body)).toEqual(['resource']);
  },
  'Conventions 2 | a collection response is an object with `collection` (list) and `pagination` (object)': () => {
    for (const { status, body } of lists) {
      expect([status, Object.keys(body)]).toEqual([200, ['collection', 'pagination']]);
      expect(body.collection).toBeInstanceOf(Array);
      expect(body.collection.length).toBeGreaterThan(0);
      expect(body.pagination).toBeTypeOf('object');
    }
  },
  'Conventions 3 | keyset (cursor) pagination is used by every endpoint that returns a collection': async () => {
    let paged = 0;
    for (const { path, query } of lists) {
      const page = (more: object) => sandbox.call('GET', path, { query: { ...query, count: 1, ...more } });
      const first = (await page({})).body;
      // A world has one group and one routing form.
      if (first.pagination.next_page_token === null) continue;
      paged += 1;
      const second = (await page({ page_token: first.pagination.next_page_token })).body;
      expect(second.collection).toEqual([expect.not.objectContaining({ uri: first.collection[0].uri ?? '' })]);
    }
    expect(paged).toBeGreaterThan(lists.length - 3);
  },
  'Conventions 3 | `pagination.next_page` holds the URL of the next page, or `null` when no further results exist':
    async () => {
      for (const { path, query } of lists) {
        const { body } = await sandbox.call('GET', path, { query: { ...query, count: 100 } });
        expect(body.pagination.next_page).toBeNull();
        const pages = await everyPage(sandbox, `${path}?${new URLSearchParams({ ...query, count: '2' })}`);
        expect(pages).toEqual(body.collection);
      }
    },
  'Conventions 3 | paging stays accurate while items are added or removed between page requests': async () => {
    const lasting = new Set(urisOf(await sandbox.call('GET', '/contacts', { query: { count: 100 } })));
    const seen: string[] = [];
    let page = await sandbox.call('GET', '/contacts', { query: { count: 7 } });
    for (let turn = 0; turn <= 50; turn += 1) {
      seen.push(...urisOf(page));
      if (page.body.pagination.next_page === null) break;
      // The row the next page begins behind goes, and another comes.
      const gone = String(seen.at(-1));
      await answers(sandbox.call('DELETE', gone), 204);
      lasting.delete(gone);
      const emails = [{ email: `between-${turn}@example.test`, is_primary: true }];
      await answers(sandbox.call('POST', '/contacts', { body: { emails } }), 201);
      page = await sandbox.call('GET', page.body.pagination.next_page);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect([...lasting].filter((uri) => !seen.includes(uri))).toEqual([]);
  },
  'Conventions 4 | responses depend on the request only, never on the role of the caller': async () => {
    // Page tokens carry the time they were made at; what they lead to is compared by the rows.
    const withoutTokens = ({ body }: Answer): string => JSON.stringify(body.collection ?? body);
    const ask = (as: 'owner' | 'admin', path: string, query = {}) => sandbox.call('GET', path, { as, query });
    const uris = [...reached.keys()].map((path) => ({ path, query: {} }));
    for (const { path, query } of [...lists, ...uris]) {
      const [owner, admin] = [await ask('owner', path, query), await ask('admin', path, query)];
      expect([path, admin.status, withoutTokens(admin)]).toEqual([path, owner.status, withoutTokens(owner)]);
    }
  },
  'Conventions 4 | a caller must state explicitly which data it wants (for example by a `user` or `organization` parameter)':
    async () => {
      const names = 'scheduled_events event_types organization_memberships webhook_subscriptions groups routing_forms';
      for (const name of names.split(' ')) await answers(sandbox.call('GET', `/${name}`), 400);
    },
  "Conventions 4 | the caller's role only decides permission: a caller with too low a role receives 403 for the same request that succeeds for an administrator":
    async () => {
      const { organization } = sandbox.handles;
      const asked = lists.filter(({ query }) => query['organization'] === organization);
      expect(asked.length).toBeGreaterThan(5);
      for (const { operation, path, query } of asked) {
        const admin = await sandbox.call('GET', path, { as: 'admin', query });
        const member = await sandbox.call('GET', path, { as: 'member', query });
        expect([operation.id, admin.status, member.status]).toEqual([operation.id, 200, 403]);
        expect(member.body.title).toBe('Permission Denied');
      }
    },
  'Conventions 5 | timestamps are ISO 8601 UTC strings, with six fractional digits': () => {
    const times = lists.flatMap(({ body }) => textsIn(body)).filter(([key]) => /_(at|time)$/.test(key));
    expect(times.length).toBeGreaterThan(200);
    expect(times.filter(([, text]) => !sixDigits.test(text))).toEqual([]);
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
        await answers(ask(text), 400, invalid('min_start_time'));
    },
});
