// Who may use the sandbox's controls.
import { request } from 'node:http';
import { expect, it } from 'vitest';
import { openForSuite } from '../../../harness/sandbox.ts';

const sandbox = openForSuite({ contacts: 1, bookings: 1 });

/** Sends headers that `fetch` would not. */
const statusWith = (headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const call = request(`${sandbox.handles.base_url}/_sandbox/faults`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    call.on('error', reject).end('{}');
  });

it('the controls answer to this machine under its local names', async () => {
  const port = new URL(sandbox.handles.base_url).port;
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
    const host = `${name}:${port}`;
    for (const headers of [{ host }, { host, origin: `http://${host}` }])
      expect([headers, await statusWith(headers)]).toEqual([headers, 200]);
  }
});

it('the controls refuse a page of another host, by its own name or by posting across, and one that hides where it is from', async () => {
  const hosts = ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:8090'];
  const pages = hosts.flatMap((host) => [{ host }, { origin: `https://${host}` }]);
  for (const headers of [...pages, { origin: 'null' }])
    expect([headers, await statusWith(headers)]).toEqual([headers, 403]);
});
