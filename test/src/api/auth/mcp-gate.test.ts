// Who may use /mcp: its own token and nothing else, from no other site, under no other name, and not too often.
import { beforeEach, describe, expect, it } from 'vitest';
import { adminToken, logIn, openAdmin, readToken, type Admin } from '../../../harness/mirror/api-app.ts';

const mcpToken = 'a-token-that-opens-only-mcp';
const owner = { authorization: `Bearer ${mcpToken}` };

let admin: Admin;
let passed: string[];
const open = (token: string | undefined = mcpToken) =>
  openAdmin({
    hostNames: ['mirror.example.test'],
    mcp: {
      mcpToken: token,
      open: async () => ({
        fetch: async (_request, { who, address }) => {
          passed.push(`${who} ${address}`);
          return Response.json('answered');
        },
      }),
    },
  });
beforeEach(() => {
  passed = [];
  admin = open();
});
const post = async (headers: Record<string, string>, url = '/mcp'): Promise<number> =>
  (await admin.ask(url, { method: 'POST', headers, body: '{}' })).status;

describe('/mcp', () => {
  it('is opened by its token, whose caller has a name of its own', async () => {
    expect(await post(owner)).toBe(200);
    expect(passed).toEqual(['mcp token 192.0.2.1']);
  });

  it.each<[what: string, status: number, headers: Record<string, string>, url?: string]>([
    ['another token', 401, { authorization: `Bearer ${adminToken}` }],
    ['the read-only token', 401, { authorization: `Bearer ${readToken}` }],
    ['a longer token', 401, { authorization: `Bearer ${mcpToken}x` }],
    ['an empty token', 401, { authorization: 'Bearer ' }],
    ['a token in the address', 401, {}, `/mcp?token=${mcpToken}`],
    ['a page of another site', 403, { ...owner, origin: 'https://evil.example' }],
    ['a page without an origin', 403, { ...owner, origin: 'null' }],
    ['a page of another port', 403, { ...owner, origin: 'http://127.0.0.1:9999' }],
    ['a browser on another site', 403, { ...owner, 'sec-fetch-site': 'cross-site' }],
    ['a browser on a neighbouring site', 403, { ...owner, 'sec-fetch-site': 'same-site' }],
    ['an unknown host name', 421, owner, 'http://127.0.0.1.evil.example:8081/mcp'],
    ['a page of its own', 200, { ...owner, origin: 'http://127.0.0.1:8081' }],
    ['the address [::1]', 200, owner, 'http://[::1]:8081/mcp'],
    ['its own host name', 200, owner, 'http://mirror.example.test:8081/mcp'],
  ])('answers %s with %i', async (_, status, headers, url) => {
    expect([await post(headers, url), passed.length]).toEqual([status, status === 200 ? 1 : 0]);
  });

  it('is not opened by a session', async () => {
    expect(await post({ cookie: await logIn(admin), 'sec-fetch-site': 'same-origin' })).toBe(401);
    expect(admin.heard.refused.at(-1)).toBe('unauthenticated');
  });

  it('has a token that opens nothing else', async () => {
    for (const path of [
      '/',
      '/api/status',
      '/api/contacts',
      '/metrics',
      '/openapi.json',
      '/mcp/',
      `/?login=${mcpToken}`,
    ])
      expect([path, (await admin.ask(path, { headers: owner })).status]).toEqual([path, 401]);
  });

  it('is off without a token, and says how to turn it on', async () => {
    admin = openAdmin({ mcp: { mcpToken: undefined, open: () => Promise.reject(new Error('loaded')) } });
    const answer = await admin.ask('/mcp', { method: 'POST', headers: owner });
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { title: 'Not Found', message: expect.stringContaining('Set MCP_TOKEN') },
    ]);
    expect(await post({ authorization: 'Bearer ' })).toBe(404);
  });

  it('delays and then refuses many wrong tokens', async () => {
    const wrong = Array.from({ length: 30 }, () => post({ authorization: 'Bearer wrong-token-wrong' }));
    const byStatus = Map.groupBy(await Promise.all(wrong), (status) => status);
    expect([byStatus.get(401)?.length, byStatus.get(429)?.length]).toEqual([10, 20]);
  });

  it('answers 600 requests a minute', async () => {
    for (let count = 0; count < 600; count += 1) expect(await post(owner)).toBe(200);
    const answer = await admin.ask('/mcp', { method: 'POST', headers: owner });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60']);
    admin.clock.nowMs += 60_000;
    expect(await post(owner)).toBe(200);
  });

  it('does not start with a token of the admin listener, or a short one', () => {
    expect(() => open(adminToken)).toThrow('MCP_TOKEN is a token of the admin listener');
    expect(() => open(readToken)).toThrow('MCP_TOKEN is a token of the admin listener');
    expect(() => open('short')).toThrow('fewer than 16 characters');
  });
});
