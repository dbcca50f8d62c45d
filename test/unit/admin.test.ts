import { describe, expect, it } from 'vitest';
import { createAdminApp } from '#src/admin/app.ts';

const token = 'a-token-of-more-than-sixteen-bytes';

function admin(ready = true) {
  return createAdminApp({
    token,
    status: async () => ({ pid: 7 }),
    metrics: { read: async () => ({ contentType: 'text/plain', text: 'slotstream_up 1' }) },
    health: { readiness: async () => ({ ready, engines: { queue: ready ? 'up' : 'down' } }) },
  });
}

describe('the admin listener', () => {
  it.each(['/api/status', '/metrics', '/', '/nothing'])(
    'tells nobody without the token anything about %s',
    async (path) => {
      const answers = await Promise.all(
        [{}, { authorization: token }, { authorization: 'Bearer wrong' }, { authorization: `bearer ${token}x` }].map(
          async (headers) => admin().request(path, { headers }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
      expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    },
  );

  it('answers whoever holds the token', async () => {
    const headers = { authorization: `Bearer ${token}` };
    expect(await (await admin().request('/api/status', { headers })).json()).toEqual({ pid: 7 });
    expect(await (await admin().request('/metrics', { headers })).text()).toBe('slotstream_up 1');
    expect((await admin().request('/nothing', { headers })).status).toBe(404);
  });

  it('says to supervisors without a token whether it lives and whether its engines answer', async () => {
    expect((await admin().request('/healthz')).status).toBe(200);
    expect((await admin().request('/readyz')).status).toBe(200);
    const down = await admin(false).request('/readyz');
    expect([down.status, await down.json()]).toEqual([503, { title: 'Not Ready', engines: { queue: 'down' } }]);
  });
});
