// Bearer tokens: the header's grammar, and what makes a token worthless.
import { describe, expect, it } from 'vitest';
import { commonError } from '#schemas/errors.ts';
import { openForSuite } from '../../../harness/sandbox/suite.ts';
import { openTestSandbox } from '../../../harness/sandbox.ts';

const sandbox = openForSuite({ rateLimits: false, contacts: 1, bookings: 1 });

const me = (authorization: string) => sandbox.call('GET', '/users/me', { as: null, headers: { authorization } });

describe('the Authorization header', () => {
  it('takes the scheme in any letter case', async () => {
    const { owner } = sandbox.handles.tokens;
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer '])
      expect(await me(`${scheme} ${owner}`)).toMatchObject({ status: 200 });
  });
});

describe('a token', () => {
  it('is the same for the same seed, and another for another', async () => {
    await using same = await openTestSandbox({ contacts: 1, bookings: 1 });
    await using other = await openTestSandbox({ seed: 2, contacts: 1, bookings: 1 });
    expect(same.handles.tokens).toEqual(sandbox.handles.tokens);
    expect(same.handles.oauth).toEqual(sandbox.handles.oauth);
    for (const name of ['owner', 'admin', 'trial'] as const)
      expect(other.handles.tokens[name]).not.toBe(sandbox.handles.tokens[name]);
    expect(other.handles.oauth.client_secret).not.toBe(sandbox.handles.oauth.client_secret);
    expect(await me(`Bearer ${other.handles.tokens.owner}`)).toMatchObject({ status: 401 });
  });

  it('is worthless when its user is gone', async () => {
    sandbox.tokens.add('oat_ghost', { kind: 'oauth', user: `${sandbox.handles.base_url}/users/gone`, scopes: [] });
    expect(await me('Bearer oat_ghost')).toMatchObject({ status: 401, body: commonError });
  });
});
