// A promise that does not settle in time is rejected.
import { expect, it } from 'vitest';
import { isTransient } from '#src/base/errors.ts';
import { withTimeout } from '#src/base/timeout.ts';

it('a promise that settles in time keeps its result or its error', async () => {
  expect(await withTimeout(Promise.resolve(7), 10_000)).toBe(7);
  await expect(withTimeout(Promise.reject(new Error('own')), 10_000)).rejects.toThrow('own');
});

it('a promise that does not settle in time is rejected with a transient error', async () => {
  const error: unknown = await withTimeout(new Promise(() => {}), 1).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ name: 'TimeoutError', message: 'no answer within 1 ms' });
  expect(isTransient(error)).toBe(true);
});
