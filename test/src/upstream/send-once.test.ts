// Servers that lie, hang, redirect or never stop: what the client makes of them, and what it never tells.
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '#src/config/load.ts';
import { failureText } from '#src/cli/program.ts';
import { describeError } from '#src/observability/redact.ts';
import type { ApiCall } from '#src/upstream/client.ts';
import { openUpstream } from '#src/upstream/clients.ts';
import { answer, clientOf, failureOf, openFakeServer, someToken } from '../../harness/sandbox/api-clients.ts';
import { runs } from '../../harness/runs.ts';
import { clockAheadMs } from '#src/upstream/send-once.ts';

const get: ApiCall<unknown> = { method: 'GET', path: '/contacts', reads: z.unknown() };
const brief = { retryBudget: { failuresMs: 2_000, limitsMs: 2_000 } };

describe('a server', () => {
  it('that responds with an HTML page is not the service', async () => {
    await using server = await openFakeServer((_, response) =>
      answer(response, 200, '<html>Welcome to the hotel</html>'),
    );
    const error = await failureOf(() => clientOf(server.url, brief).call(get));
    expect(error).toMatchObject({ code: 'service_unavailable', hint: expect.stringContaining('API_BASE_URL') });
    expect(String(error)).not.toContain('hotel');
  });

  it('that begins its JSON with a byte order mark is read, once, whatever the status (W2)', async () => {
    const resource = { name: '\uFEFFZoë' };
    const error = { title: 'Permission Denied', message: 'Not this one.' };
    await using server = await openFakeServer((_, response, turn) =>
      answer(response, turn === 1 ? 200 : 403, `\uFEFF${JSON.stringify(turn === 1 ? { resource } : error)}`),
    );
    const client = clientOf(server.url, brief);
    expect((await client.call(get)).value).toEqual({ resource });
    expect(await failureOf(() => client.call(get))).toMatchObject({ status: 403, title: 'Permission Denied' });
    expect(server.asked).toHaveLength(2);
  });

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['responds with half a JSON text', (response) => answer(response, 200, '{"resource": {"a"')],
    [
      'disconnects in the middle of the response',
      (response) =>
        response.writeHead(200, { 'content-length': '1000' }).write('{"resource"', () => response.destroy()),
    ],
  ])('that %s is called again', async (_, fail) => {
    await using server = await openFakeServer((_request, response, turn) =>
      turn === 1 ? void fail(response) : answer(response, 200, { resource: {} }),
    );
    await clientOf(server.url).call(get);
    expect(server.asked).toHaveLength(2);
  });

  it('that sends ten megabytes, or never stops, is disconnected', async () => {
    let sent = 0;
    await using server = await openFakeServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(256 * 1024, ' ');
      const more = (): void => {
        while (!response.destroyed && sent < 100 * 1024 * 1024) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    expect(await failureOf(() => clientOf(server.url).call(get))).toMatchObject({ code: 'service_answer' });
    expect(server.asked).toHaveLength(1);
    expect(sent).toBeLessThan(60 * 1024 * 1024);
  });

  it('that nests without end is rejected', async () => {
    await using server = await openFakeServer((_, response) => answer(response, 200, '['.repeat(100_000)));
    expect(await failureOf(() => clientOf(server.url, brief).call(get))).toMatchObject({ code: 'service_unavailable' });
  });

  it.each([
    ['never responds', '', { responseMs: 30, totalMs: 60 }, 'no response arrived in time'],
    [
      'begins a response and never ends it',
      '{',
      { responseMs: 30_000, totalMs: 1_000 },
      'the response did not end in time',
    ],
  ])('that %s runs into the timeout', async (_, start, timeouts, message) => {
    await using server = await openFakeServer((_request, response) => {
      if (start !== '') response.writeHead(200).write(start);
    });
    const client = clientOf(server.url, { retryBudget: { failuresMs: 1, limitsMs: 1 }, timeouts });
    expect(await failureOf(() => client.call(get))).toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining(message),
    });
  });

  it.each([301, 302, 303, 307, 308])('that redirects (%i) does not get the token sent on', async (status) => {
    await using elsewhere = await openFakeServer((_, response) => answer(response, 200, {}));
    await using server = await openFakeServer((_, response) =>
      answer(response, status, undefined, { location: `${elsewhere.url}/contacts` }),
    );
    const error = await failureOf(() => clientOf(server.url).call(get));
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining(String(status)) });
    expect(elsewhere.asked).toEqual([]);
    expect(server.keys).toEqual([`Bearer ${someToken}`]);
  });
});

/** All that anyone could write down about an error. */
function everyWordOf(error: unknown): string {
  if (!(error instanceof Error)) throw new Error('Something that is no error was thrown.');
  const own = Object.getOwnPropertyNames(error).map((name) => JSON.stringify(error[name as keyof Error]));
  const described = JSON.stringify(describeError(error));
  return [String(error), error.stack, ...own, described, failureText(error, { debug: true }), String(error.cause)].join(
    '\n',
  );
}

describe('the token', () => {
  it('is in no error, whatever the service echoes', async () => {
    let turn: { status: number; text: string } = { status: 200, text: '' };
    await using server = await openFakeServer((request, response) => {
      // A service that repeats what it was sent.
      const echo = `${request.headers.authorization}`;
      answer(response, turn.status, turn.text.replaceAll('ECHO', echo));
    });
    const detail = fc.record({
      message: fc.constantFrom('ECHO', 'x ECHO y'),
      parameter: fc.constantFrom('ECHO', 'email'),
    });
    const body = fc.oneof(
      fc.record({
        title: fc.constantFrom('ECHO', 'Permission Denied', 'Insufficient scope'),
        message: fc.oneof(
          fc.constant('ECHO'),
          fc.integer({ min: 400, max: 600 }).map((n) => `${'x'.repeat(n)}ECHO`),
        ),
        details: fc.array(detail, { maxLength: 3 }),
        required_scopes: fc.array(fc.constantFrom('ECHO', 'contacts:read'), { maxLength: 2 }),
      }),
      fc.constant({ resource: { ECHO: 'ECHO' } }),
      fc.constant('ECHO'),
    );
    const status = fc.constantFrom(200, 302, 400, 401, 403, 404, 409, 418, 429, 500, 503);
    const token = fc.stringMatching(/^[\w.~+/-]{16,80}={0,2}$/);
    const reads = z.object({ never: z.literal('so') });
    await fc.assert(
      fc.asyncProperty(status, body, token, async (code, content, secret) => {
        turn = { status: code, text: JSON.stringify(content) };
        const client = clientOf(server.url, { as: secret, ...brief });
        for (const method of ['GET', 'POST'] as const) {
          const error = await failureOf(() => client.call({ ...get, method, reads }));
          expect(everyWordOf(error)).not.toContain(secret);
        }
      }),
      runs(60),
    );
  });

  it.each([
    ...['with space', 'new\nline', 'naïve', '\u0000'].map(
      (text) => ['API_TOKEN', { token: `hidden${text} x` }] as const,
    ),
    ['API_BASE_URL', { baseUrl: 'https://u:hidden@api.example.test', token: 'a' }] as const,
  ])('is refused, and not quoted, when no header can hold it, as is an address with a password (%s)', (name, api) => {
    const open = () => openUpstream({ dataDir: '/nowhere', api: { ...noApi, ...api } });
    expect(open).toThrow(name);
    expect(open).not.toThrow(/hidden/);
  });
});

const { api: noApi } = loadConfig({});

it('personal data quoted by the service is redacted', async () => {
  const body = {
    title: 'Invalid',
    message: 'x',
    details: [{ message: 'ada@example.test is taken', parameter: 'email' }],
  };
  await using server = await openFakeServer((_, response) => answer(response, 400, body));
  const error = await failureOf(() => clientOf(server.url).call({ ...get, query: { email: 'ada@example.test' } }));
  expect(everyWordOf(error)).not.toContain('ada@');
  expect(String(error)).toContain('email: [redacted] is taken');
});

it('the skew of our clock is taken from the middle of the call and of the second, where the answer has a date', () => {
  const date = 'Thu, 01 Jan 2026 00:00:10 GMT';
  const skew = (from: number, to: number, sent: string | null = date) =>
    clockAheadMs(sent, { sentMs: Date.parse(date) + from, receivedMs: Date.parse(date) + to });
  expect([skew(400, 600), skew(60_400, 60_600), skew(-5_000, -4_000)]).toEqual([0, 60_000, -5_000]);
  expect([skew(0, 1, null), skew(0, 1, 'yesterday')]).toEqual([undefined, undefined]);
});
