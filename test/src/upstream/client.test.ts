// One call of the client: what is repeated, what is not, and when it was.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { observedAt } from '#src/upstream/send-once.ts';
import type { ApiCall } from '#src/upstream/client.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { isTransient } from '#src/base/errors.ts';
import { clientOf, failureOf, pausedTime, type Bent } from '../../harness/sandbox/api-clients.ts';

const base = 'https://api.example.test/v2';
type Turn = { status?: number; body?: unknown; headers?: Record<string, string>; fails?: string };

/** Answers with each turn once; the last one for ever. */
function service(...turns: readonly Turn[]) {
  const sent: { url: string; method: string; key: string | null; agent: string | null; body: unknown }[] = [];
  const fetch = (async (url: URL, init: RequestInit) => {
    const turn = turns[Math.min(sent.length, turns.length - 1)] ?? {};
    const headers = new Headers(init.headers);
    const [key, agent] = [headers.get('authorization'), headers.get('user-agent')];
    sent.push({ url: String(url), method: init.method ?? 'GET', key, agent, body: init.body });
    if (turn.fails !== undefined)
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: turn.fails }) });
    const { status = 200, body = status < 300 ? { resource: {} } : errorBody } = turn;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return new Response(text, { status, ...(turn.headers && { headers: turn.headers }) });
  }) as typeof globalThis.fetch;
  return { fetch, sent };
}

const reads = z.unknown();
const get: ApiCall<unknown> = { method: 'GET', path: '/contacts', reads };
const post: ApiCall<unknown> = { method: 'POST', path: '/contacts', body: { a: 1 }, reads };
const remove: ApiCall<unknown> = { method: 'DELETE', path: '/contacts/1' };

const errorBody = { title: 'Internal Server Error', message: 'The server …' };

function calling(call: ApiCall<unknown>, turns: readonly Turn[], bent: Bent = {}) {
  const { fetch, sent } = service(...turns);
  const time = pausedTime();
  const client = clientOf(base, { fetch, ...time, ...bent });
  return { run: () => client.call(call), sent, time, client };
}

describe('a call', () => {
  it('goes to the base URL, with the token, its query and the name and version of the program', async () => {
    const { client, sent } = calling(get, [{}]);
    await client.call({ ...get, query: { count: 2, sort: 'updated_at:desc', email: undefined } });
    expect(sent).toEqual([
      {
        url: 'https://api.example.test/v2/contacts?count=2&sort=updated_at%3Adesc',
        method: 'GET',
        key: 'Bearer pat_a_secret_nobody_may_see',
        agent: expect.stringMatching(/^slotstream\/\d+\.\d+\.\d+/),
        body: undefined,
      },
    ]);
  });

  it('may name a whole URI of the configured origin, and no other', async () => {
    const { client, sent } = calling(get, [{}]);
    await client.call({ ...get, path: 'https://api.example.test/contacts/1' });
    for (const path of [
      'https://api.example.test.evil.test/contacts/1',
      'https://evil.test/contacts/1',
      'http://api.example.test/contacts/1',
      'https://api.example.test:8443/contacts/1',
      'https://user@api.example.test/contacts/1',
      'contacts',
      'file:///etc/passwd',
      '',
    ]) {
      const error = await failureOf(() => client.call({ ...get, path }));
      expect(error).toMatchObject({ code: 'refused' });
    }
    expect(sent.map(({ url }) => url)).toEqual(['https://api.example.test/contacts/1']);
  });

  it.each([
    [{ message: 'Bad.', details: [{ parameter: 'page_token', message: 'is invalid' }] }, 'ended this list before'],
    [{ message: 'The page token has expired.' }, 'ended this list before'],
    [{ message: 'Bad.', details: [{ parameter: 'count', message: 'is invalid' }] }, 'Correct the fields named above.'],
  ])('that is refused with %j has a hint that fits (W2)', async (body, hint) => {
    const { run } = calling(get, [{ status: 400, body: { title: 'Invalid Argument', ...body } }]);
    expect(await failureOf(run)).toMatchObject({ status: 400, hint: expect.stringContaining(hint) });
  });

  it('names the invalid fields of a response, never their values', async () => {
    const { client } = calling(get, [{ body: { resource: { email: 'ada@example.test' } } }]);
    const error = await failureOf(() =>
      client.call({ ...get, reads: z.object({ resource: z.object({ email: z.number() }) }) }),
    );
    expect(error).toMatchObject({ code: 'service_answer' });
    expect(String(error)).toContain('resource.email');
    expect(String(error)).not.toContain('ada@');
  });
});

describe('a temporary failure', () => {
  it.each([
    ...[429, 500, 502, 503, 504, 408].map((status) => ({ status })),
    ...['ECONNRESET', 'ETIMEDOUT', 'ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_SOCKET'].map((fails) => ({ fails })),
  ])('is retried (%o)', async (turn) => {
    const { run, sent } = calling(get, [turn, turn, {}]);
    await run();
    expect(sent).toHaveLength(3);
  });

  it('is reported as transient when the retry budget is used up', async () => {
    const { run, time } = calling(get, [{ fails: 'ECONNRESET' }], { retryBudget: { failuresMs: 10_000, limitsMs: 0 } });
    const error = await failureOf(run);
    expect(error).toMatchObject({ code: 'service_unavailable' });
    expect(isTransient(error)).toBe(true);
    expect(time.pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThan(10_000);
    expect(time.pauses.length).toBeGreaterThan(2);
  });

  it.each([400, 401, 403, 404, 409, 422, 501])('is not assumed for status %i', async (status) => {
    const { run, sent } = calling(get, [{ status }]);
    expect(await failureOf(run)).toMatchObject({ status, isTransient: status === 501 });
    expect(sent).toHaveLength(1);
  });

  it('is retried after the requested delay and some jitter', async () => {
    const { run, time } = calling(get, [{ status: 429, headers: { 'retry-after': '20' } }, {}]);
    await run();
    expect(time.pauses).toHaveLength(1);
    expect(time.pauses[0]).toBeGreaterThanOrEqual(20_000);
    expect(time.pauses[0]).toBeLessThan(23_000);
  });

  it('is reported at once when the requested delay exceeds the retry budget', async () => {
    const turn = { status: 429, headers: { 'retry-after': '3600' } };
    const { run, time } = calling(get, [turn, {}], { retryBudget: retryBudgets.ordinary });
    expect(await failureOf(run)).toMatchObject({ status: 429 });
    expect(time.pauses).toEqual([]);
  });

  it('never ends long work for a rate limit, however long it lasts, nor counts it against a failure that follows', async () => {
    const limited = { status: 429, headers: { 'retry-after': '3600' } };
    const turns = [...Array.from({ length: 60 }, () => limited), { status: 503 }, {}];
    const { run, sent, time } = calling(get, turns, { retryBudget: retryBudgets.long });
    await run();
    expect(sent).toHaveLength(62);
    expect(Math.max(...time.pauses)).toBeLessThanOrEqual(180_000);
  });

  it('that alternates with a rate limit is reported in the end', async () => {
    const turns = Array.from({ length: 400 }, () => [{ status: 429 }, { status: 503 }]).flat();
    const { run } = calling(get, turns, { retryBudget: retryBudgets.ordinary });
    expect(await failureOf(run)).toMatchObject({ code: expect.any(String) });
  });
});

describe('a create', () => {
  it.each([{ status: 429 }, { status: 503 }, { fails: 'ECONNREFUSED' }])(
    'is sent again when nothing can have been done (%o)',
    async (turn) => {
      const { run, sent } = calling(post, [turn, {}]);
      await run();
      expect(sent).toHaveLength(2);
    },
  );

  it.each([
    { fails: 'ECONNRESET' },
    { fails: 'UND_ERR_SOCKET' },
    { body: '<html>' },
    { body: '{"resource":' },
    ...[500, 502, 504].map((status) => ({ status })),
  ])('is not sent again when it may have been carried out (%o)', async (turn) => {
    const { run, sent } = calling(post, [turn, {}]);
    const error = await failureOf(run);
    expect(error).toMatchObject({ code: 'unknown_outcome', ...('status' in turn && turn) });
    expect(isTransient(error)).toBe(false);
    expect(sent).toHaveLength(1);
  });

  it('is sent again when it is repeatable', async () => {
    const { run, sent } = calling({ ...post, isRepeatable: true }, [{ fails: 'ECONNRESET' }, { status: 500 }, {}]);
    await run();
    expect(sent).toHaveLength(3);
  });
});

it('a delete has succeeded when the record is missing after an interruption, and not otherwise', async () => {
  expect(await calling(remove, [{ fails: 'ECONNRESET' }, { status: 404 }]).run()).toMatchObject({ value: undefined });
  expect(await failureOf(calling(remove, [{ status: 503 }, { status: 404 }]).run)).toMatchObject({ status: 404 });
});

it('a rejected token is renewed once, also for a create; when the new one is rejected too, that is reported', async () => {
  for (const [call, turns] of [[post, [{ status: 401 }, {}]] as const, [get, [{ status: 401 }]] as const]) {
    const rejected: string[] = [];
    const renewed = async (spent: string) => {
      rejected.push(spent);
      return 'new';
    };
    const { run, sent } = calling(call, turns, { token: { current: async () => 'old', renewed } });
    if (call === post) await run();
    else expect(await failureOf(run)).toMatchObject({ status: 401 });
    expect(sent.map(({ key }) => key)).toEqual(['Bearer old', 'Bearer new']);
    expect(rejected).toEqual(['old']);
  }
});

describe('the time of a response', () => {
  const sentMs = Date.parse('2026-11-15T12:00:00.900Z');
  it.each([
    ['minus the round trip, rounded down to the second', 'Sun, 15 Nov 2026 10:00:05 GMT', 1500, '10:00:03'],
    ['itself when there was no round trip', 'Sun, 15 Nov 2026 10:00:05 GMT', 0, '10:00:05'],
    ['itself when our clock jumped back during the call', 'Sun, 15 Nov 2026 10:00:05 GMT', -60_000, '10:00:05'],
    ['replaced by our own when there is none', null, 1500, '12:00:00'],
    ['replaced by our own when it is no date', 'yesterday', 1500, '12:00:00'],
  ])('is the Date of the service, %s', (_, date, tookMs, time) => {
    expect(observedAt(date, { sentMs, receivedMs: sentMs + tookMs })).toBe(`2026-11-15T${time}.000000Z`);
  });

  it('is that of the attempt that got the response, not of the first', async () => {
    const { run } = calling(get, [{ status: 503, headers: { 'retry-after': '30' } }, {}]);
    expect((await run()).observed).toBe('2026-11-15T12:00:30.000000Z');
  });
});

it('the wait before a retry, and every call after it, ends when the signal aborts', async () => {
  const controller = new AbortController();
  const client = clientOf(base, {
    fetch: service({ status: 503 }).fetch,
    sleep: async (_, signal) => {
      controller.abort(new Error('enough'));
      signal?.throwIfAborted();
    },
  });
  for (let time = 0; time < 2; time += 1)
    await expect(client.call(get, { signal: controller.signal })).rejects.toThrow('enough');
});

it('a call is aborted with an error even when the signal has none', async () => {
  const client = clientOf(base, { fetch: service({}).fetch });
  expect(await failureOf(() => client.call(get, { signal: AbortSignal.abort('SIGINT') }))).toBeInstanceOf(Error);
});
