// One call of the client: what is repeated, what is not, and when it was.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiError } from '#src/upstream/api-error.ts';
import { observedAt } from '#src/upstream/send-once.ts';
import type { ApiCall } from '#src/upstream/client.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { SlotstreamError, isTransient } from '#src/base/errors.ts';
import { clientOf, failureOf, pausedTime, type Bent } from '../../harness/sandbox/api-clients.ts';

const base = 'https://api.example.test/v2';
type Turn = { status?: number; body?: unknown; headers?: Record<string, string>; fails?: string };

/** Answers with each turn once; the last one for ever. */
function service(...turns: readonly Turn[]) {
  const sent: { readonly url: string; readonly method: string; readonly key: string | null; readonly body: unknown }[] =
    [];
  const fetch = (async (url: URL, init: RequestInit) => {
    const turn = turns[Math.min(sent.length, turns.length - 1)] ?? {};
    sent.push({
      url: String(url),
      method: init.method ?? 'GET',
      key: new Headers(init.headers).get('authorization'),
      body: init.body,
    });
    if (turn.fails !== undefined)
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: turn.fails }) });
    const { status = 200, body = { resource: {} }, headers = {} } = turn;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return new Response(status === 204 ? null : text, { status, headers });
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
  it('goes to the base URL, with the token and its query', async () => {
    const { client, sent } = calling(get, [{}]);
    await client.call({ ...get, query: { count: 2, sort: 'updated_at:desc', email: undefined } });
    expect(sent).toEqual([
      {
        url: 'https://api.example.test/v2/contacts?count=2&sort=updated_at%3Adesc',
        method: 'GET',
        key: 'Bearer pat_a_secret_nobody_may_see',
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

  it('names the program and its version', async () => {
    let sent: string | null = null;
    const client = clientOf('https://api.example.test', {
      fetch: async (_, init) => {
        sent = new Headers(init?.headers).get('user-agent');
        return Response.json({});
      },
    });
    await client.call({ method: 'GET', path: '/users/me', reads: z.looseObject({}) });
    expect(sent).toMatch(/^slotstream\/\d+\.\d+\.\d+/);
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
  it.each([429, 500, 502, 503, 504, 408])('of status %i is retried', async (status) => {
    const { run, sent } = calling(get, [{ status, body: errorBody }, { status, body: errorBody }, {}]);
    await run();
    expect(sent).toHaveLength(3);
  });

  it.each(['ECONNRESET', 'ETIMEDOUT', 'ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_SOCKET'])(
    'of the network (%s) is tried again',
    async (fails) => {
      const { run, sent } = calling(get, [{ fails }, {}]);
      await run();
      expect(sent).toHaveLength(2);
    },
  );

  it('is reported as transient when the retry budget is used up', async () => {
    const { run, time } = calling(get, [{ fails: 'ECONNRESET' }], { retryBudget: { failuresMs: 10_000, limitsMs: 0 } });
    const error = await failureOf(run);
    expect(error).toMatchObject({ code: 'service_unavailable' });
    expect(isTransient(error)).toBe(true);
    expect(time.pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThan(10_000);
    expect(time.pauses.length).toBeGreaterThan(2);
  });

  it.each([400, 401, 403, 404, 409, 422, 501])('is not assumed for status %i', async (status) => {
    const { run, sent } = calling(get, [{ status, body: errorBody }]);
    expect(await failureOf(run)).toMatchObject({ status, isTransient: status === 501 });
    expect(sent).toHaveLength(1);
  });

  it('is retried after the requested delay and some jitter', async () => {
    const { run, time } = calling(get, [{ status: 429, body: errorBody, headers: { 'retry-after': '20' } }, {}]);
    await run();
    expect(time.pauses).toHaveLength(1);
    expect(time.pauses[0]).toBeGreaterThanOrEqual(20_000);
    expect(time.pauses[0]).toBeLessThan(23_000);
  });

  it('is reported at once when the requested delay exceeds the retry budget', async () => {
    const turn = { status: 429, body: errorBody, headers: { 'retry-after': '3600' } };
    const { run, time } = calling(get, [turn, {}], { retryBudget: retryBudgets.ordinary });
    expect(await failureOf(run)).toMatchObject({ status: 429 });
    expect(time.pauses).toEqual([]);
  });

  it('never ends long work for a rate limit, however long that lasts', async () => {
    const turn = { status: 429, body: errorBody, headers: { 'retry-after': '3600' } };
    const { run, time } = calling(get, [...Array.from({ length: 60 }, () => turn), {}], {
      retryBudget: retryBudgets.long,
    });
    await run();
    expect(time.pauses).toHaveLength(60);
    expect(Math.max(...time.pauses)).toBeLessThanOrEqual(180_000);
  });

  it('does not count the time of a rate limit against a failure that follows it', async () => {
    const limited = { status: 429, body: errorBody, headers: { 'retry-after': '3600' } };
    const turns = [...Array.from({ length: 30 }, () => limited), { status: 503, body: errorBody }, {}];
    const { run, sent } = calling(get, turns, { retryBudget: retryBudgets.long });
    await run();
    expect(sent).toHaveLength(32);
  });

  it('that alternates with a rate limit is reported in the end', async () => {
    const pair = [
      { status: 429, body: errorBody },
      { status: 503, body: errorBody },
    ];
    const { run } = calling(get, Array.from({ length: 400 }, () => pair).flat(), {
      retryBudget: retryBudgets.ordinary,
    });
    expect(await failureOf(run)).toMatchObject({ code: expect.any(String) });
  });
});

describe('a create', () => {
  it.each([429, 503])('is sent again after %i, which means that nothing was done', async (status) => {
    const { run, sent } = calling(post, [{ status, body: errorBody }, {}]);
    await run();
    expect(sent).toHaveLength(2);
  });

  it('is sent again when it was never sent', async () => {
    const { run, sent } = calling(post, [{ fails: 'ECONNREFUSED' }, {}]);
    await run();
    expect(sent).toHaveLength(2);
  });

  it.each([{ fails: 'ECONNRESET' }, { fails: 'UND_ERR_SOCKET' }, { body: '<html>' }, { body: '{"resource":' }])(
    'is not sent again when it may have been carried out (%o)',
    async (turn) => {
      const { run, sent } = calling(post, [turn, {}]);
      const error = await failureOf(run);
      expect(error).toMatchObject({ code: 'unknown_outcome' });
      expect(isTransient(error)).toBe(false);
      expect(sent).toHaveLength(1);
    },
  );

  it.each([500, 502, 504])('is not sent again after %i', async (status) => {
    const { run, sent } = calling(post, [{ status, body: errorBody }, {}]);
    expect(await failureOf(run)).toMatchObject({ status, code: 'unknown_outcome', isTransient: false });
    expect(sent).toHaveLength(1);
  });

  it('is sent again when it is repeatable', async () => {
    const { run, sent } = calling({ ...post, isRepeatable: true }, [{ fails: 'ECONNRESET' }, { status: 500 }, {}]);
    await run();
    expect(sent).toHaveLength(3);
  });
});

describe('a delete', () => {
  it('has succeeded when it was interrupted and the record is then missing', async () => {
    const { run, sent } = calling(remove, [{ fails: 'ECONNRESET' }, { status: 404, body: errorBody }]);
    expect(await run()).toMatchObject({ value: undefined });
    expect(sent).toHaveLength(2);
  });

  it('reports a missing record when it was not interrupted', async () => {
    const { run } = calling(remove, [
      { status: 503, body: errorBody },
      { status: 404, body: errorBody },
    ]);
    expect(await failureOf(run)).toMatchObject({ status: 404 });
  });
});

describe('a rejected token', () => {
  const renewing = (next: string | undefined) => {
    const rejected: string[] = [];
    const token = {
      current: async () => 'old',
      renewed: async (spent: string) => {
        rejected.push(spent);
        return next;
      },
    };
    return { token, rejected };
  };

  it('is renewed once, also for a create', async () => {
    const { token, rejected } = renewing('new');
    const { run, sent } = calling(post, [{ status: 401, body: errorBody }, {}], { token });
    await run();
    expect(sent.map(({ key }) => key)).toEqual(['Bearer old', 'Bearer new']);
    expect(rejected).toEqual(['old']);
  });

  it('is reported when the new one is rejected too', async () => {
    const { token, rejected } = renewing('new');
    const { run, sent } = calling(get, [{ status: 401, body: errorBody }], { token });
    expect(await failureOf(run)).toMatchObject({ status: 401 });
    expect(sent).toHaveLength(2);
    expect(rejected).toHaveLength(1);
  });
});

describe('the time of a response', () => {
  const sentMs = Date.parse('2026-11-15T12:00:00.900Z');
  it('is the Date of the service minus the round trip, rounded down to the second', () => {
    const times = { sentMs, receivedMs: sentMs + 1500 };
    expect(observedAt('Sun, 15 Nov 2026 10:00:05 GMT', times)).toBe('2026-11-15T10:00:03.000000Z');
    expect(observedAt('Sun, 15 Nov 2026 10:00:05 GMT', { sentMs, receivedMs: sentMs })).toBe(
      '2026-11-15T10:00:05.000000Z',
    );
  });

  it('is our own when the service sends no valid Date', () => {
    for (const date of [null, '', 'yesterday'])
      expect(observedAt(date, { sentMs, receivedMs: sentMs + 1500 })).toBe('2026-11-15T12:00:00.000000Z');
  });

  it('is not before what it was when our clock jumps back during the call', () => {
    expect(observedAt('Sun, 15 Nov 2026 10:00:05 GMT', { sentMs, receivedMs: sentMs - 60_000 })).toBe(
      '2026-11-15T10:00:05.000000Z',
    );
  });

  it('is that of the attempt that got the response, not of the first', async () => {
    const { run } = calling(get, [{ status: 503, headers: { 'retry-after': '30' } }, {}]);
    expect((await run()).observed).toBe('2026-11-15T12:00:30.000000Z');
  });
});

describe('the wait before a retry', () => {
  it('ends when the signal aborts', async () => {
    const { fetch } = service({ status: 503 });
    const controller = new AbortController();
    const client = clientOf(base, {
      fetch,
      sleep: async (_, signal) => {
        controller.abort(new Error('enough'));
        signal?.throwIfAborted();
      },
    });
    await expect(client.call(get, { signal: controller.signal })).rejects.toThrow('enough');
    await expect(client.call(get, { signal: controller.signal })).rejects.toThrow('enough');
  });
});

it('a call is aborted with an error even when the signal has none', async () => {
  const client = clientOf(base, { fetch: service({}).fetch });
  expect(await failureOf(() => client.call(get, { signal: AbortSignal.abort('SIGINT') }))).toBeInstanceOf(Error);
});

it('an error has a code of ours and its exit code', async () => {
  const error = await failureOf(calling(get, [{ status: 404, body: errorBody }]).run);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toBeInstanceOf(SlotstreamError);
});
