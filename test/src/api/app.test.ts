import { describe, expect, it } from 'vitest';
import { adminToken as token, bearer as headers, openAdmin } from '../../harness/mirror/api-app.ts';

describe('the admin listener', () => {
  it.each(['/api/status', '/metrics', '/', '/openapi.json', '/nothing'])(
    'reveals nothing about %s to a caller without the token',
    async (path) => {
      const { ask } = openAdmin();
      const answers = await Promise.all(
        [{}, { authorization: token }, { authorization: 'Bearer wrong' }, { authorization: `bearer ${token}x` }].map(
          async (headers) => ask(path, { headers }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
      expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    },
  );

  it('says to supervisors without a token whether it lives and whether its engines answer', async () => {
    expect((await openAdmin().ask('/healthz')).status).toBe(200);
    expect((await openAdmin().ask('/readyz')).status).toBe(200);
    const engines = { queue: 'down' };
    const asked = async (status: 'not_ready' | 'degraded') => {
      const readiness = async () => ({ status, engines });
      const answer = await openAdmin({ health: { readiness } }).ask('/readyz');
      return [answer.status, await answer.json()];
    };
    expect(await asked('not_ready')).toEqual([503, { title: 'Not Ready', status: 'not_ready', engines }]);
    expect(await asked('degraded')).toEqual([200, { title: 'Degraded', status: 'degraded', engines }]);
  });

  it('tells a program, and a browser where there are no pages, where things are', async () => {
    const { ask } = openAdmin();
    const index = (await (await ask('/', { headers })).json()) as Record<string, string>;
    const toBrowser = await ask('/', { headers: { ...headers, accept: 'text/html,*/*' } });
    expect(await toBrowser.json()).toEqual(index);
    for (const path of Object.values(index)) expect((await ask(path, { headers })).status).toBe(200);
  });

  it('reports what fails, and says nothing of it', async () => {
    const failure = new Error('secret words');
    const { ask, heard } = openAdmin({ status: () => Promise.reject(failure) });
    const answer = await ask('/api/status', { headers });
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('secret')]);
    expect(heard.reported).toEqual([failure]);
  });

  it('forbids caching, framing and sniffing of every answer', async () => {
    const { ask } = openAdmin();
    const cases = ['/healthz', '/api/status', '/nothing', '/openapi.json', '/?login=wrong'];
    for (const path of cases) {
      for (const asked of [{}, headers, { accept: 'text/html' }]) {
        const answer = await ask(path, { headers: asked });
        expect([path, answer.headers.get('cache-control')]).toEqual([path, 'no-store']);
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        // The login page has a form, which needs its origin; neither policy sends a referrer to another host.
        expect(answer.headers.get('referrer-policy')).toMatch(/^(no-referrer|same-origin)$/);
        expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      }
    }
  });
});
