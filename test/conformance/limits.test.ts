// Conformance: limits that hold for every list and every answer.
import { expect } from 'vitest';
import { operations, openTestSandbox } from '../harness/sandbox.ts';
import { fillEveryList, listsOf } from '../harness/sandbox/lists.ts';
import { answers, invalid, tryOperation } from './answers.ts';
import { openForRows, rows } from './rows.ts';

const sandbox = openForRows({ rateLimits: false }, fillEveryList);

const headers = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const;

rows({
  'Limits, count | the default of 20 holds for every list | A6a': async () => {
    let full = 0;
    for (const { path, query } of listsOf(sandbox)) {
      const { body } = await sandbox.call('GET', path, { query });
      const twenty = await sandbox.call('GET', path, { query: { ...query, count: 20 } });
      expect(body.collection).toEqual(twenty.body.collection);
      if (body.pagination.count === 20) full += 1;
    }
    expect(full).toBeGreaterThan(0);
  },
  'Limits, count | every list takes 1 to 100 and refuses anything else with 400 | A6a': async () => {
    for (const { path, query } of listsOf(sandbox)) {
      const ask = (count: string | number) => sandbox.call('GET', path, { query: { ...query, count } });
      for (const count of [1, 100]) await answers(ask(count), 200);
      for (const count of ['0', '-1', '101', '1000', '1.5', 'ten', '', ' 5', '0x10', '1e1'])
        await answers(ask(count), 400, invalid('count'));
    }
  },
  'Limits | every answer to a known caller carries X-RateLimit-Limit, -Remaining and -Reset, refusals too | A6d':
    async () => {
      for (const operation of operations)
        for (const as of ['owner', 'no_scopes'] as const) {
          const answer = await tryOperation(sandbox, operation, { as });
          const limits = headers.map((name) => answer.headers.get(name));
          expect([operation.path, ...limits.filter((limit) => /^\d+$/.test(String(limit)))]).toHaveLength(4);
        }
    },
  'Limits | an unknown caller gets no information about limits | A6d': async () => {
    const answer = await sandbox.call('GET', '/users/me', { as: null });
    expect(headers.map((name) => answer.headers.get(name))).toEqual([null, null, null]);
  },
  'Limits | each call leaves one less, and the reset is at most a minute away | A6d': async () => {
    await using limited = await openTestSandbox({ contacts: 1, bookings: 0 });
    const [first, second] = [await limited.call('GET', '/users/me'), await limited.call('GET', '/users/me')].map(
      (answer) => headers.map((name) => Number(answer.headers.get(name))),
    );
    expect(second?.[1]).toBe(Number(first?.[1]) - 1);
    for (const seconds of [first?.[2], second?.[2]])
      expect(seconds).toSatisfy((left: number) => left >= 1 && left <= 60);
  },
});
