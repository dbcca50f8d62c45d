// Whose data is read: what the configuration says, and else what the service says of the token.
import { describe, expect, it } from 'vitest';
import { allResources } from '#workers/sync/resources/registry.ts';
import { openSources } from '#workers/sync/sources.ts';

const base = 'https://api.example.test';
const organization = `${base}/organizations/o1`;
const user = `${base}/users/u1`;
const me = { resource: { uri: user, current_organization: organization } };
const scopeRefusal = {
  title: 'Insufficient scope',
  message: "This operation requires the scopes listed in the 'required_scopes' array.",
  required_scopes: ['users:read'],
};

async function open(settings: { organizationUri?: string; userUri?: string }, status = 200) {
  const calls: string[] = [];
  const fetch = async (input: string | URL | Request) => {
    calls.push(new URL(String(input)).pathname);
    return Response.json(status === 200 ? me : scopeRefusal, { status });
  };
  const api = { baseUrl: base, token: 't', oauth: undefined, groupUri: undefined };
  const config = {
    dataDir: '/nonexistent',
    api: { ...api, organizationUri: undefined, userUri: undefined, ...settings },
  };
  const { users, ...sources } = await openSources(config, { fetch });
  return { ...sources, users, uris: users.map(({ uri }) => uri), calls };
}

describe('the sources', () => {
  it('are those of the token, which the service is asked for once', async () => {
    expect(await open({})).toMatchObject({ organization, uris: [user], calls: ['/users/me'] });
    expect(await open({ organizationUri: organization })).toMatchObject({ uris: [user], calls: ['/users/me'] });
  });

  it('are those of the configuration without a call, where it has both URIs', async () => {
    const settings = { organizationUri: organization, userUri: user };
    expect(await open(settings, 403)).toMatchObject({ organization, uris: [user], calls: [] });
  });

  it('have no user where the token may not say who it is of, and only recaps cannot be read', async () => {
    const sources = await open({ organizationUri: organization }, 403);
    expect(sources).toMatchObject({ organization, uris: [] });
    const recaps = allResources.find(({ name }) => name === 'meeting_recaps');
    await expect(recaps?.pages(sources).next()).rejects.toMatchObject({
      code: 'refused',
      hint: expect.stringContaining('USER_URI'),
    });
    await expect(open({}, 403)).rejects.toMatchObject({ requiredScopes: ['users:read'] });
  });

  it('refuse a token of another organization than the configured one', async () => {
    await expect(open({ organizationUri: `${base}/organizations/o2` })).rejects.toMatchObject({ code: 'config' });
  });
});
