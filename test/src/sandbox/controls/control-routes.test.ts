// Who may use the sandbox's controls.
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openForSuite } from '../../../harness/sandbox/suite.ts';

const sandbox = openForSuite();

/** Sends headers that `fetch` would not. */
const statusWith = (headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const call = request(`${sandbox.handles.base_url}/_sandbox/faults`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    call.on('error', reject).end('{}');
  });

describe('the controls', () => {
  it('answer to this machine under its local names', async () => {
    const port = new URL(sandbox.handles.base_url).port;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      expect(await statusWith({ host }), `asked as ${host}`).toBe(200);
      expect(await statusWith({ host, origin: `http://${host}` }), `asked from ${host}`).toBe(200);
    }
  });

  it.each(['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:8090'])(
    'refuse a page of %s, by its own name or by posting across',
    async (host) => {
      expect(await statusWith({ host })).toBe(403);
      expect(await statusWith({ origin: `https://${host}` })).toBe(403);
    },
  );

  it('refuse a page that hides where it comes from', async () => {
    expect(await statusWith({ origin: 'null' })).toBe(403);
  });
});
