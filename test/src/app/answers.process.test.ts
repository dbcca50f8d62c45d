// A process that is killed between the call to the service and the record of the answer: in the end there is one state, that of the service.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { openHome } from '../../harness/product.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';
import { ask, endLeases } from '../../oracle/deliveries.ts';

/** Passes calls on; one that changes something gets no answer where `onChange` resolves to true. */
async function openServiceProxy(target: string, onChange: (method: string) => Promise<boolean>) {
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '', headers } = request;
    const { host: _host, connection: _connection, 'content-length': _length, ...passed } = headers;
    const body = await buffer(request);
    const answer = await fetch(new URL(url, target), {
      method,
      headers: Object.entries(passed).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body.length > 0 && { body }),
    });
    const content = Buffer.from(await answer.arrayBuffer());
    if (method !== 'GET' && (await onChange(method))) return;
    const type = answer.headers.get('content-type');
    response.writeHead(answer.status, {
      date: answer.headers.get('date') ?? '',
      ...(type !== null && { 'content-type': type }),
    });
    response.end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const patience = { interval: 500 };

it('an answer whose process is killed after the service has it leaves the state of the service', async () => {
  await using sandbox = await openTestSandbox({ contacts: 1, bookings: 20, rateLimits: false });
  const { state } = sandbox.service;
  const killing: { now?: () => Promise<void> } = {};
  await using proxy = await openServiceProxy(sandbox.handles.base_url, async () => {
    const kill = killing.now;
    delete killing.now;
    await kill?.();
    return kill !== undefined;
  });
  await using home = await openHome({
    ANSWERS: 'on',
    API_BASE_URL: proxy.url,
    API_TOKEN: sandbox.handles.tokens.owner,
    RECONCILE_EVERY: '7d',
  });
  expect(await home.run(['backfill'])).toMatchObject({ code: 0 });
  const held = state.invitees.values().find(({ status, no_show, event }) => {
    const { end_time: end = '' } = state.scheduledEvents.get(event) ?? {};
    return status === 'active' && no_show === null && Date.parse(end) < Date.now();
  })?.uri;
  if (held === undefined) throw new Error('a meeting was held');
  const markOf = () => state.invitees.get(held)?.no_show?.uri ?? null;
  const stored = async () => {
    const [row] = await ask(home.store, `select no_show_uri, attendance_entry from invitees where uri = '${held}'`);
    return [row?.['no_show_uri'], row?.['attendance_entry']];
  };
  /** After a comparison with the service. Its times are whole seconds: one within the second of a change may see the state before. */
  const compared = async () => {
    expect(await home.run(['reconcile', '--repair'])).toMatchObject({ code: 0 });
    return stored();
  };
  /** Answers, and is killed as soon as the service has changed; undefined where there is no answer. */
  async function answer(given: string, isKilled: boolean): Promise<number | undefined> {
    const doomed = isKilled ? await home.start('start') : undefined;
    const product = doomed ?? (await home.open('start'));
    const { url } = await product.admin('/api/status');
    if (doomed !== undefined) killing.now = () => doomed.kill9();
    const response = await fetch(new URL('/api/answers', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${home.settings['ADMIN_TOKEN']}`, 'content-type': 'application/json' },
      body: JSON.stringify({ invitee: held, answer: given }),
    }).catch(() => undefined);
    if (!isKilled) await product.term();
    await endLeases(home.store);
    return response?.status;
  }

  expect(await answer('no_show', true)).toBeUndefined();
  expect([await stored(), markOf()]).toEqual([[null, null], expect.any(String)]);
  await expect.poll(compared, patience).toEqual([markOf(), null]);

  // Taken back at the service, and not recorded: no answer says that they came.
  expect(await answer('came', true)).toBeUndefined();
  expect([markOf(), (await stored())[1]]).toEqual([null, null]);
  await expect.poll(compared, patience).toEqual([null, null]);

  expect(await answer('came', false)).toBe(200);
  expect([markOf(), await stored()]).toEqual([null, [null, expect.stringMatching(/^attendance\.confirmed-/)]]);
  const actions = await ask(home.store, 'select status from admin_actions order by at');
  expect(actions.map(({ status }) => status)).toEqual([null, null, 200]);
});
