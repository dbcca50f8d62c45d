// The row of the chaos suite that runs with every test run.
import { describe, expect, inject, it } from 'vitest';
import { scenarios } from './scenarios.ts';

const seed = 20_261_116;
/** Other tests need the processor too. */
const perSecond = 15;

describe.runIf(inject('redisUrl') && inject('postgresUrl'))('under load, the product survives', () => {
  it('FLUSHALL and kill -9 of a receiver at once', async ({ task }) => {
    const chosen = scenarios.find(({ name, on }) => name === task.name && on === 'Redis + PostgreSQL');
    const row = await chosen?.run(seed, perSecond);
    expect(row?.failures, 'there is such a row').toEqual([]);
    expect(row?.evidence).not.toBe('');
  });
});
