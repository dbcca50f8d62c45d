// The row of the chaos suite that runs with every test run.
import { expect, inject, it } from 'vitest';
import { scenarios } from './scenarios.ts';

const seed = 20_261_116;
/** Other tests need the processor too, and each process takes most of a second of it. */
const size = { perSecond: 10, workers: 1, receivers: 1 };

it.runIf(inject('redisUrl'))('FLUSHALL and kill -9 of a receiver at once', async ({ task }) => {
  const chosen = scenarios.find(({ name, on }) => name === task.name && on === 'Redis + SQLite');
  const row = await chosen?.run(seed, size);
  expect(row?.failures, 'there is such a row').toEqual([]);
  expect(row?.evidence).not.toBe('');
});
