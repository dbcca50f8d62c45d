// Moments at which a test that waits looks again: the product wrote a line, sent a request or a message, or committed.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

let next = Promise.withResolvers<void>();

/** Is called where the test's process sees that the product has done something. */
export function happened(): void {
  next.resolve();
  next = Promise.withResolvers();
}

/** Resolves at the next moment; after `mostMs` in any case, because what other processes and engines do is not seen here. */
export const nextMoment = (mostMs: number): Promise<void> => Promise.race([next.promise, sleep(mostMs)]);

type Matchers = Record<PropertyKey, (...args: unknown[]) => unknown>;
const assertionOf = expect as unknown as (actual: unknown) => Matchers & { readonly not: Matchers };

/** As `expect.poll`, but looks at each moment. */
export const eventually: typeof expect.poll = (read, { timeout = 120_000 } = {}) => {
  const { signal } = new AbortController();
  async function untilPassed(matcher: PropertyKey, args: unknown[], isNot: boolean): Promise<void> {
    const deadline = performance.now() + timeout;
    for (let mostMs = 10; ; mostMs = Math.min(mostMs * 1.25, 250)) {
      const assertion = assertionOf(await read({ signal }));
      try {
        (isNot ? assertion.not : assertion)[matcher]?.(...args);
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
      await nextMoment(mostMs);
    }
  }
  const matchers = (isNot: boolean): object =>
    new Proxy(
      {},
      {
        get: (_target, name) =>
          name === 'not' ? matchers(true) : (...args: unknown[]) => untilPassed(name, args, isNot),
      },
    );
  return matchers(false) as ReturnType<typeof expect.poll>;
};
