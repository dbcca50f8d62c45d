// The walks through the service: what they ask, in which pages, and where they go on.
import { describe, expect, it } from 'vitest';
import { allResources, type Resource, type ResourceName, type ResourcePage } from '#workers/sync/resources/registry.ts';
import type { Sources } from '#workers/sync/sources.ts';
import { openTestSandbox, unchecked, type TestSandbox } from '../../../harness/sandbox.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { clientOf, openFakeServer } from '../../../harness/sandbox/api-clients.ts';

const resourceOf = (name: ResourceName): Resource => {
  const found = allResources.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

function sourcesOf(
  { handles, fetch }: Pick<TestSandbox, 'handles' | 'fetch'>,
  others: Readonly<Record<string, string>> = {},
): Sources {
  const { base_url, organization, users, tokens } = handles;
  const client = clientOf(base_url, { as: tokens.owner, fetch });
  const more = Object.entries(others).map(([uri, as]) => ({ uri, client: clientOf(base_url, { as, fetch }) }));
  return { client, organization, users: [{ uri: users.owner, client }, ...more] };
}

async function allOf(pages: AsyncGenerator<ResourcePage>): Promise<readonly ResourcePage[]> {
  const all: ResourcePage[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

const urisOf = (pages: readonly ResourcePage[]) =>
  pages.flatMap(({ records }) => records.map(({ record }) => String(record['uri'])));

const noMore = { count: 0, next_page: null, previous_page: null, next_page_token: null, previous_page_token: null };

describe('a walk', () => {
  const sandbox = openedOnce(() => openTestSandbox({ contacts: 105, bookings: 24, rateLimits: false }));

  it('goes on from each of its pages as if it had never stopped', async () => {
    const { users, tokens } = sandbox.handles;
    const sources = sourcesOf(sandbox, { [users.member]: tokens.member, [users.admin]: tokens.admin });
    for (const resource of allResources) {
      const whole = await allOf(resource.pages(sources));
      expect(whole.at(-1)?.nextToken).toBeNull();
      for (const [place, { nextToken }] of whole.entries()) {
        if (nextToken === null) continue;
        const rest = await allOf(resource.pages(sources, { from: nextToken }));
        const expected = urisOf(whole.slice(place + 1));
        // What several lists show is left out only where the traversal has seen it.
        const again = resource.name === 'event_types' ? urisOf(whole.slice(0, place + 1)) : [];
        const found = urisOf(rest).filter((uri) => expected.includes(uri) || !again.includes(uri));
        expect([resource.name, ...found]).toEqual([resource.name, ...expected]);
      }
    }
  });

  it.each([
    { what: 'is gone', as: 'specification', status: 404 },
    { what: 'cannot be reached', as: 'public', status: 500 },
  ] as const)('asks for the recaps of each user as that user, and goes on where one $what', async ({ as, status }) => {
    await using other = as === 'public' ? await openTestSandbox({ as, contacts: 0, bookings: 40 }) : null;
    const { handles, service, fetch } = other ?? sandbox;
    const { users, tokens, base_url } = handles;
    const sources = sourcesOf({ handles, fetch }, { [users.admin]: tokens.admin, [users.member]: tokens.member });
    const body = { title: 'Not found', message: 'No such user.' };
    const failing = clientOf(base_url, { as: tokens.admin, fetch: async () => Response.json(body, { status }) });
    const changed = sources.users.map((user) => (user.uri === users.admin ? { ...user, client: failing } : user));
    const recaps = resourceOf('meeting_recaps');
    const pages = await allOf(recaps.pages({ ...sources, users: changed }));
    const known = service.state.recaps
      .values()
      .filter(({ user }) => user !== users.admin && sources.users.some(({ uri }) => uri === user))
      .map(({ uri }) => uri)
      .toArray();
    expect(known.length).toBeGreaterThan(1);
    expect(urisOf(pages).toSorted()).toEqual(known.toSorted());
    const notices = pages.flatMap(({ notices: some = [] }) => some);
    expect(notices).toMatchObject([{ kind: 'left_out', list: `meeting recaps of ${users.admin}`, error: { status } }]);
    if (status !== 500) return;
    const alone = allOf(recaps.pages({ ...sources, users: changed.filter(({ client }) => client === failing) }));
    await expect(alone).rejects.toMatchObject({ status });
  });

  it('goes on with the recaps of the others where the list of one broke off, then fails, and resumes with that one (W2)', async () => {
    await using other = await openTestSandbox({ as: 'public', contacts: 0, bookings: 40 }, unchecked);
    const { users, tokens, base_url } = other.handles;
    let isBroken = true;
    const inSmallPages: typeof fetch = async (input, init) => {
      const url = new URL(String(input));
      const isOwner = new Headers(init?.headers).get('authorization') === `Bearer ${tokens.owner}`;
      if (isBroken && isOwner && url.searchParams.has('page_token')) return Response.json({}, { status: 403 });
      if (url.searchParams.has('count')) url.searchParams.set('count', '3');
      return other.fetch(url, init);
    };
    const userOf = (uri: string, as: string) => ({ uri, client: clientOf(base_url, { as, fetch: inSmallPages }) });
    const both = [userOf(users.owner, tokens.owner), userOf(users.admin, tokens.admin)];
    const sources = { ...sourcesOf(other), users: both };
    const recaps = resourceOf('meeting_recaps');
    const read: ResourcePage[] = [];
    const reading = (async () => {
      for await (const page of recaps.pages(sources)) read.push(page);
    })();
    await expect(reading).rejects.toMatchObject({ status: 403 });
    isBroken = false;
    const rest = await allOf(recaps.pages(sources, { from: read.at(-1)?.nextToken ?? 'none' }));
    expect(rest.at(-1)?.nextToken).toBeNull();
    const known = (...some: readonly string[]) =>
      [...other.service.state.recaps.values()].filter(({ user }) => some.includes(user)).map(({ uri }) => uri);
    expect(known(users.owner).length).toBeGreaterThan(3);
    expect(urisOf(read)).toEqual(expect.arrayContaining(known(users.admin)));
    expect(urisOf(read)).toHaveLength(3 + known(users.admin).length);
    expect([...urisOf(read), ...urisOf(rest)].toSorted()).toEqual(known(users.owner, users.admin).toSorted());
    // A position of an earlier version: the users after this one follow.
    const earlier = JSON.stringify({ user: users.admin, next: null });
    expect(urisOf(await allOf(recaps.pages(sources, { from: earlier }))).toSorted()).toEqual(
      known(users.admin).toSorted(),
    );
  });

  it('completes a recap whatever odd values it has', async () => {
    const uri = 'https://api.example.test/meeting_recaps/1';
    const odd = { uri, event: ['odd'], name: 7, start_time: 12 };
    const client = clientOf('https://api.example.test', {
      fetch: async (input) =>
        Response.json(
          String(input).includes('/meeting_recaps/1')
            ? { resource: { ...odd, summary_md: 'x' } }
            : { collection: [odd] },
        ),
    });
    const user = 'https://api.example.test/users/1';
    const sources = {
      client,
      organization: 'https://api.example.test/organizations/1',
      users: [{ uri: user, client }],
    };
    const pages = await allOf(resourceOf('meeting_recaps').pages(sources));
    expect(pages.flatMap(({ records }) => records.map(({ record }) => record))).toEqual([
      { user, ...odd, summary_md: 'x' },
    ]);
    expect(pages.flatMap(({ notices = [] }) => notices)).toEqual([]);
  });

  it('goes on with the other forms when one is gone, also from there', async () => {
    const sources = sourcesOf(sandbox);
    const forms = resourceOf('routing_forms');
    const whole = await allOf(forms.pages(sources));
    const [first] = whole;
    const pending = [`${sandbox.handles.base_url}/routing_forms/00000000-0000-4000-8000-000000000001`];
    const place = JSON.parse(first?.nextToken ?? '') as { pending: string[] };
    const from = JSON.stringify({ ...place, pending: [...pending, ...place.pending] });
    const rest = await allOf(forms.pages(sources, { from }));
    expect(urisOf(rest)).toEqual(urisOf(whole.slice(1)));
    const last = await allOf(forms.pages(sources, { from: JSON.stringify({ ...place, pending }) }));
    expect(last.map(({ nextToken, rows }) => [nextToken, rows])).toEqual([[null, 0]]);
  });

  it('reads what the service names at another host from the configured one', async () => {
    const { base_url, organization, tokens, users } = sandbox.handles;
    const elsewhere = 'https://api.example.test';
    const asked = new Set<string>();
    const client = clientOf(base_url, {
      as: tokens.owner,
      fetch: async (input, init) => {
        const url = new URL(String(input));
        asked.add(url.origin);
        // The service knows its records by either host.
        url.search = url.search.replaceAll(encodeURIComponent(elsewhere), encodeURIComponent(base_url));
        const answer = await sandbox.fetch(url, init);
        const { headers, status } = answer;
        return new Response((await answer.text()).replaceAll(base_url, elsewhere), { headers, status });
      },
    });
    const sources = { client, organization, users: [{ uri: users.owner, client }] };
    const plain = sourcesOf(sandbox);
    for (const resource of allResources) {
      const pages = await allOf(resource.pages(sources));
      expect(pages.flatMap(({ notices = [] }) => notices)).toEqual([]);
      expect(urisOf(pages)).toEqual(
        urisOf(await allOf(resource.pages(plain))).map((uri) => uri.replace(base_url, elsewhere)),
      );
    }
    expect([...asked]).toEqual([base_url]);
  });

  it('begins at the beginning where a place cannot be read', async () => {
    const sources = sourcesOf(sandbox);
    for (const name of ['scheduled_events', 'routing_forms', 'meeting_recaps'] as const)
      for (const from of ['no place', '{"of":"another version"}'])
        expect(urisOf(await allOf(resourceOf(name).pages(sources, { from })))).toEqual(
          urisOf(await allOf(resourceOf(name).pages(sources))),
        );
  });

  it('gives up on a service whose page tokens are always too old', async () => {
    const body = {
      title: 'Invalid Argument',
      message: 'no',
      details: [{ parameter: 'page_token', message: 'expired' }],
    };
    await using stranger = await openFakeServer((request, response) => {
      const isFirst = !String(request.url).includes('page_token');
      const pagination = { ...noMore, next_page_token: 'old' };
      response.writeHead(isFirst ? 200 : 400, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isFirst ? { collection: [], pagination } : body));
    });
    const sources = {
      client: clientOf(stranger.url),
      organization: 'https://api.example.test/organizations/1',
      users: [],
    };
    await expect(allOf(resourceOf('contacts').pages(sources))).rejects.toMatchObject({ status: 400 });
    expect(stranger.asked).toHaveLength(8);
  });

  it('asks for a user whom a membership only names', async () => {
    await using stranger = await openFakeServer((request, response) => {
      const user = `${stranger.url}/users/1`;
      const membership = { uri: `${stranger.url}/organization_memberships/1`, role: 'user', user };
      response.writeHead(200, { 'content-type': 'application/json' });
      const isOne = String(request.url).startsWith('/users/');
      response.end(
        JSON.stringify(isOne ? { resource: { uri: user } } : { collection: [membership], pagination: noMore }),
      );
    });
    const sources = { client: clientOf(stranger.url), organization: `${stranger.url}/organizations/1`, users: [] };
    const pages = await allOf(resourceOf('organization_memberships').pages(sources));
    expect(pages.map(({ records }) => records.map(({ kind }) => kind))).toEqual([
      ['organization_membership'],
      ['user'],
    ]);
  });
});
