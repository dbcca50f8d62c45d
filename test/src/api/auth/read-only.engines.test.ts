// The read-only token reads what the admin token reads, and changes nothing: every route with every method.
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccessLog } from '#src/api/auth/access-log.ts';
import type { Log } from '#src/observability/log.ts';
import { adminToken, openAdmin, readToken } from '../../../harness/mirror/api-app.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { ingestBodies, oneEngine } from '../../../harness/stores.ts';
import { openedOnce } from '../../../harness/opened.ts';

const [sqlite] = oneEngine;
const reader = { authorization: `Bearer ${readToken}` };
const changing = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE'];

const api = openedOnce(() => openReadApi(sqlite.fresh));
beforeAll(async () => {
  await ingestBodies(api.store, ['not JSON']);
});

const filled = (path: string): string => path.replaceAll(/\{\w+\}|:\w+/g, '1');
/** Of both applications: what the listener serves itself, and the operations that read the mirror. */
function paths(): readonly string[] {
  const own = api.admin.routes.map(({ path }) => path).filter((path) => !path.includes('*'));
  return [...new Set([...own, ...api.operations.map(({ path }) => path)])].map(filled);
}

async function statusFor(path: string, init: RequestInit): Promise<number> {
  const answer = await api.admin.ask(path, init);
  await answer.body?.cancel();
  return answer.status;
}

describe('the read-only token', () => {
  it('gets the answer of the admin token for every path', async () => {
    expect(paths().length).toBeGreaterThan(20);
    for (const path of paths()) {
      const url = path === '/api/why' ? `${path}?uri=https://api.example.test/contacts/1` : path;
      for (const method of ['GET', 'HEAD']) {
        const expected = await statusFor(url, { method, headers: { authorization: `Bearer ${adminToken}` } });
        expect([method, url, await statusFor(url, { method, headers: reader })]).toEqual([method, url, expected]);
        expect([401, 403]).not.toContain(expected);
      }
    }
  });

  it('is refused every other method of every path, with 403', async () => {
    const before = await api.get('/api/feed/consumers');
    for (const path of [...paths(), '/nothing', '/api/nothing'])
      for (const method of changing)
        expect([method, path, await statusFor(path, { method, headers: reader })]).toEqual([method, path, 403]);
    expect(api.heard.acted).toEqual([]);
    expect(await api.get('/api/feed/consumers')).toEqual(before);
  });

  it('logs a browser in to a session that cannot change anything either', async () => {
    const { ask, heard } = api.admin;
    const login = await ask('/login', {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: `token=${readToken}`,
    });
    const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';', 1);
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    expect([login.status, await statusFor('/api/status', { headers })]).toEqual([303, 200]);
    const refused = await ask('/api/deliveries/1/replay', { method: 'POST', headers });
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { message: expect.stringContaining('only read') },
    ]);
    expect(heard.refused.at(-1)).toBe('read_only');
  });

  it('is unknown where none is set, is not the admin token, and has a minimum length', async () => {
    const { ask } = openAdmin({ readToken: undefined });
    expect((await ask('/api/status', { headers: reader })).status).toBe(401);
    expect(() => openAdmin({ readToken: adminToken })).toThrow('ADMIN_READ_TOKEN is the admin token');
    expect(() => openAdmin({ metricsToken: adminToken })).toThrow('METRICS_TOKEN is the admin token');
    expect(() => openAdmin({ readToken: 'short' })).toThrow('fewer than 16 characters');
  });
});

describe('the token for metrics', () => {
  it('opens /metrics and nothing else', async () => {
    const { ask } = openAdmin({ metricsToken: 'a-token-that-opens-metrics' });
    const headers = { authorization: 'Bearer a-token-that-opens-metrics' };
    for (const method of ['GET', 'HEAD']) expect((await ask('/metrics', { method, headers })).status).toBe(200);
    for (const path of ['/', '/api/status', '/api/contacts', '/openapi.json', '/metrics/', '/login'])
      expect([path, (await ask(path, { headers })).status]).toEqual([path, 401]);
    expect((await ask('/metrics', { method: 'POST', headers })).status).toBe(401);
    expect((await openAdmin().ask('/metrics', { headers: { authorization: 'Bearer ' } })).status).toBe(401);
  });
});

describe('the access log', () => {
  it('has a line for every change that was refused, without what the caller wrote', () => {
    const lines: unknown[] = [];
    const counted: string[] = [];
    const log = { warn: (fields: object, message: string) => lines.push([fields, message]) } as unknown as Log;
    const { refused } = createAccessLog(log, { adminRefused: (cause) => counted.push(cause) });
    for (const path of ['/api/deliveries/7/replay', '/api/feed/consumers/ada', '/api/ada@example.test', '/'])
      refused('read_only', { method: 'POST', path, address: '192.0.2.1' });
    const message = 'a change with the read-only token was refused';
    expect(lines).toEqual([
      [{ method: 'POST', path: '/api/deliveries', address: '192.0.2.1' }, message],
      [{ method: 'POST', path: '/api/feed', address: '192.0.2.1' }, message],
      [{ method: 'POST', path: '/api', address: '192.0.2.1' }, message],
      [{ method: 'POST', path: '', address: '192.0.2.1' }, message],
    ]);
    expect(counted).toEqual(['read_only', 'read_only', 'read_only', 'read_only']);
  });
});
