// What becomes of OAuth tokens: they expire on the sandbox's clock, rotate, are taken back, and never fill the memory.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFamilies, createCodes } from '#src/sandbox/auth/tokens.ts';
import { openClient } from '../../../harness/sandbox/oauth-client.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';

let sandbox: TestSandbox;
let client: ReturnType<typeof openClient>;
beforeEach(async () => {
  sandbox = await openTestSandbox({ rateLimits: false, contacts: 1, bookings: 1 });
  client = openClient(sandbox);
});
afterEach(() => sandbox[Symbol.asyncDispose]());

const spent = { status: 400, body: { error: 'invalid_grant' } };

describe('a code', () => {
  it('lives for a minute', async () => {
    const { back } = await client.approve();
    sandbox.service.clock.advance(60_000);
    expect(await client.exchange(back?.code)).toMatchObject(spent);
  });
});

describe('a refresh token', () => {
  it('works once when two ask at once; the second asking ends the family', async () => {
    const { body } = await client.signIn();
    const answers = await Promise.all([client.refresh(body.refresh_token), client.refresh(body.refresh_token)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('forged, or of another client, is refused and changes nothing', async () => {
    const { client_id, client_secret } = sandbox.handles.oauth;
    const { body } = await client.signIn();
    const token: string = body.refresh_token;
    const later = token.replace(/\.0\./, '.1.');
    const others = [body.access_token, sandbox.handles.tokens.owner];
    for (const forged of ['', 'ort_', later, `${token}x`, token.slice(0, -1), ...others])
      expect((await client.refresh(forged)).status).toBe(400);
    expect(await client.refresh(token, { client_id, client_secret })).toMatchObject(spent);
    expect(await client.refresh(token)).toMatchObject({ status: 200 });
  });

  it('narrows scopes for one access token, and never widens them', async () => {
    const { body } = await client.signIn({ scope: 'contacts:write groups' });
    expect(body.scope).toBe('contacts:write groups');
    const narrow = await client.refresh(body.refresh_token, { scope: 'contacts:read' });
    expect(narrow.body.scope).toBe('contacts:read');
    expect(await client.refresh(narrow.body.refresh_token, { scope: 'webhooks:write' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    const again = await client.refresh(narrow.body.refresh_token);
    expect(again.body.scope).toBe('contacts:write groups');
  });

  it('ends after a year without use', async () => {
    const { body } = await client.signIn();
    sandbox.service.clock.advance(365 * 24 * 3_600_000);
    expect(await client.refresh(body.refresh_token)).toMatchObject(spent);
  });
});

describe('revocation', () => {
  it('of an access token ends that one; of a refresh token, the family', async () => {
    const one = await client.signIn();
    expect(await client.revoke(one.body.access_token)).toMatchObject({ status: 200 });
    expect(await client.works(one.body.access_token)).toBe(false);
    const two = await client.refresh(one.body.refresh_token);
    expect(await client.works(two.body.access_token)).toBe(true);
    expect(await client.revoke(two.body.refresh_token)).toMatchObject({ status: 200 });
    expect(await client.works(two.body.access_token)).toBe(false);
    expect(await client.refresh(two.body.refresh_token)).toMatchObject(spent);
  });

  it('answers 200 for tokens it does not know, and leaves personal access tokens alone', async () => {
    const personal = sandbox.handles.tokens.owner;
    for (const token of ['nothing', 'oat_nothing', 'ort_nothing', personal])
      expect(await client.revoke(token)).toMatchObject({ status: 200 });
    expect(await client.works(personal)).toBe(true);
  });

  it('asks for a token, and for a client that is who it says', async () => {
    const { client_id } = sandbox.handles.oauth;
    expect(await client.revoke(undefined)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(await client.revoke('any', { client_id, client_secret: 'wrong' })).toMatchObject({ status: 401 });
  });
});

describe('memory', () => {
  it('keeps a bounded number of codes, families and access tokens: the oldest go first', () => {
    const live = new Set<string>();
    const tokens = {
      ...sandbox.tokens,
      add: (token: string) => void live.add(token),
      revoke: (token: string) => void live.delete(token),
    };
    const families = createFamilies(sandbox.service.clock, tokens);
    const approval = { client: 'slotstream', user: sandbox.handles.users.owner, scopes: [] };
    const first = families.begin(approval);
    let pair = families.begin(approval);
    for (let round = 0; round < 30; round += 1) {
      const family = families.find(pair.refresh, 'slotstream');
      if (family !== undefined) pair = families.renew(family, []);
    }
    expect(live.size).toBe(11);
    for (let count = 0; count < 4999; count += 1) families.begin(approval);
    expect(families.find(first.refresh, 'slotstream')).toBeUndefined();
    expect(families.find(pair.refresh, 'slotstream')).toBeDefined();
    expect(live.has(first.access)).toBe(false);
    const codes = createCodes(sandbox.service.clock);
    const request = { ...approval, redirectUri: 'http://127.0.0.1/', challenge: 'x' };
    const oldest = codes.issue(request);
    const next = codes.issue(request);
    for (let count = 0; count < 4999; count += 1) codes.issue(request);
    expect(codes.find(oldest)).toBeUndefined();
    expect(codes.find(next)).toBeDefined();
  });
});
