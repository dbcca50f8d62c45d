// A promise that does not settle in time is rejected.
import { expect, it } from 'vitest';
import { isTransient } from '#src/base/errors.ts';
import { withTimeout } from '#src/base/timeout.ts';

it('a promise that does not settle in time is rejected with a transient error', async () => {
  const error: unknown = await withTimeout(new Promise(() => {}), 1).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ name: 'TimeoutError', message: 'no answer within 1 ms' });
  expect(isTransient(error)).toBe(true);
});
