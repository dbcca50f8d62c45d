// Conformance: how often a user may call, and how often a user may book.
import { afterEach, beforeEach, expect } from 'vitest';
import { openBooker, type Booker } from '../harness/sandbox/bookings.ts';
import { openTestSandbox, type Answer, type CallOptions, type TestSandbox } from '../harness/sandbox.ts';
import { answers } from './answers.ts';
import { rows } from './rows.ts';

let sandbox: TestSandbox;
let booker: Booker;
// Windows begin with the first call, so each row has its own, on a clock that only the test moves.
beforeEach(async () => {
  const startMs = Date.now();
  sandbox = await openTestSandbox({ contacts: 0, bookings: 0 }, { realMs: () => startMs });
  booker = await openBooker(sandbox);
});
afterEach(() => sandbox[Symbol.asyncDispose]());

type Who = NonNullable<CallOptions['as']>;

/** Event types of the other organizations are asked for once, before counting begins. */
async function bookAs(as: Who): Promise<() => Promise<Answer>> {
  if (as === 'owner' || as === 'admin') return () => booker.book({}, { as });
  const me = (await sandbox.call('GET', '/users/me', { as })).body.resource.uri;
  const { body } = await sandbox.call('GET', '/event_types', { as, query: { user: me } });
  const event_type = body.collection.find((one: { name: string }) => one.name === 'Intro call').uri;
  return () => booker.book({ event_type }, { as });
}

async function statuses(times: number, call: () => Promise<Answer>): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  for (let count = 0; count < times; count += 1) {
    const { status } = await call();
    seen[status] = (seen[status] ?? 0) + 1;
  }
  return seen;
}

const advance = (advance: string): Promise<Answer> => sandbox.control('POST', '/clock', { advance });

const rate = ({ headers }: Answer) => {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
  return { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) };
};

rows({
  'POST /invitees rate limits, Trial | 5 requests per user per day': async () => {
    const book = await bookAs('trial');
    expect(await statuses(6, book)).toEqual({ 201: 5, 429: 1 });
    await advance('23h');
    expect(await statuses(1, book)).toEqual({ 429: 1 });
    await advance('1h');
    expect(await statuses(6, book)).toEqual({ 201: 5, 429: 1 });
  },
  'POST /invitees rate limits, Paid, non-enterprise | 10 per user per minute': async () => {
    const book = await bookAs('owner');
    expect(await statuses(11, book)).toEqual({ 201: 10, 429: 1 });
    await advance('60s');
    expect(await statuses(11, book)).toEqual({ 201: 10, 429: 1 });
  },
  'POST /invitees rate limits, Paid, non-enterprise | 50 per user per hour': async () => {
    const book = await bookAs('owner');
    for (let minute = 0; minute < 5; minute += 1) {
      expect(await statuses(10, book)).toEqual({ 201: 10 });
      await advance('1m');
    }
    expect(rate(await book())).toEqual({ limit: 50, remaining: 0, reset: 55 * 60 });
    await advance('55m');
    expect(await statuses(1, book)).toEqual({ 201: 1 });
  },
  'POST /invitees rate limits, Paid, non-enterprise | 100 per user per day': async () => {
    const book = await bookAs('owner');
    for (let round = 0; round < 10; round += 1) {
      expect(await statuses(10, book)).toEqual({ 201: 10 });
      await advance('20m');
    }
    const refused = await book();
    expect([refused.status, rate(refused)]).toMatchObject([429, { limit: 100, remaining: 0 }]);
    await advance('24h');
    expect(await statuses(1, book)).toEqual({ 201: 1 });
  },
  'POST /invitees rate limits, Enterprise | 500 per user per minute': async () => {
    const book = await bookAs('enterprise');
    await advance('1m');
    // What is refused for another reason counts too, and costs less.
    expect(await statuses(499, () => booker.book({ start_time: 'never' }, { as: 'enterprise' }))).toEqual({ 400: 499 });
    expect(await statuses(2, book)).toEqual({ 201: 1, 429: 1 });
    await advance('1m');
    expect(await statuses(1, book)).toEqual({ 201: 1 });
  },
  'POST /invitees rate limits | are counted per user': async () => {
    expect(await statuses(11, await bookAs('owner'))).toEqual({ 201: 10, 429: 1 });
    expect(await statuses(1, await bookAs('admin'))).toEqual({ 201: 1 });
  },
  'Versioning 3 | create-invitee rate limits are tier-dependent': async () => {
    const [trial, paid, enterprise] = [await bookAs('trial'), await bookAs('owner'), await bookAs('enterprise')];
    expect(rate(await trial()).limit).toBe(5);
    expect(rate(await paid()).limit).toBe(10);
    expect(rate(await enterprise()).limit).toBe(500);
  },
  'POST /invitees rate limits | a request refused for another reason counts; one refused for its rate does not | A22':
    async () => {
      const wrong = () => booker.book({ start_time: 'never' });
      expect(await statuses(11, wrong)).toEqual({ 400: 10, 429: 1 });
      await statuses(20, wrong);
      await advance('1m');
      expect(await statuses(10, await bookAs('owner'))).toEqual({ 201: 10 });
    },
  'POST /invitees rate limits | the headers speak of the window that is tightest | A22': async () => {
    const book = await bookAs('owner');
    expect(rate(await book())).toEqual({ limit: 10, remaining: 9, reset: 60 });
    for (const more of [9, 10, 10, 10]) {
      await statuses(more, book);
      await advance('1m');
    }
    await statuses(5, book);
    expect(rate(await book())).toEqual({ limit: 50, remaining: 4, reset: 56 * 60 });
  },
  'Limits, the response to an exceeded limit | 429 with the same headers, and in how many seconds to come again | A22':
    async () => {
      const book = await bookAs('owner');
      await statuses(10, book);
      await advance('20s');
      const refused = await book();
      const details = [{ message: 'Try again in 40 seconds.' }];
      expect(refused).toMatchObject({ status: 429, body: { title: 'Too Many Requests', details } });
      expect(rate(refused)).toEqual({ limit: 10, remaining: 0, reset: 40 });
      await advance('39s');
      await answers(book(), 429);
      await advance('1s');
      await answers(book(), 201);
    },
  'Rate limits of other endpoints | 500 calls per user and minute on a paid plan | A6d': async () => {
    await advance('1m');
    const call = () => sandbox.call('GET', '/users/me', { as: 'admin' });
    expect(await statuses(501, call)).toEqual({ 200: 500, 429: 1 });
    await advance('1m');
    expect(await statuses(1, call)).toEqual({ 200: 1 });
  },
  'Rate limits of other endpoints | 50 calls per user and minute on the free plan | A6d': async () => {
    const call = () => sandbox.call('GET', '/users/me', { as: 'free_plan' });
    expect(await statuses(51, call)).toEqual({ 200: 50, 429: 1 });
  },
  'Rate limits of other endpoints | every answer to a user carries the headers, refusals too | A6d': async () => {
    await advance('1m');
    const answers = [
      await sandbox.call('GET', '/users/me'),
      await sandbox.call('GET', '/event_types/nowhere'),
      await sandbox.call('GET', '/scheduled_events', { as: 'no_scopes' }),
      await sandbox.call('GET', '/scheduled_events', { query: { count: 'many' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 403, 400]);
    // `no_scopes` is another token of the owner: all tokens of a user share one limit.
    const rates = [499, 498, 497, 496].map((remaining) => ({ limit: 500, remaining, reset: 60 }));
    expect(answers.map(rate)).toEqual(rates);
  },
  'Limits | bookings count towards the calls of the minute too | A22': async () => {
    await advance('1m');
    await statuses(3, await bookAs('owner'));
    expect(rate(await sandbox.call('GET', '/users/me')).remaining).toBe(496);
  },
});
