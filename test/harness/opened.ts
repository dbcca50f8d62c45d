// What the tests of a suite share: it is opened before the first of them, or anew before each, and closed afterwards.
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

type Hooks = readonly [before: typeof beforeAll, after: typeof afterAll];

function opening<Opened extends AsyncDisposable>(open: () => Promise<Opened>, [before, after]: Hooks): Opened {
  let opened: Opened | undefined;
  before(async () => {
    opened = await open();
  });
  after(async () => {
    await opened?.[Symbol.asyncDispose]();
    opened = undefined;
  });
  // A test reads it when it runs, and the suite before anything is open.
  return new Proxy({} as Opened, { get: (_, name) => Reflect.get(opened ?? {}, name) });
}

export const openedOnce = <Opened extends AsyncDisposable>(open: () => Promise<Opened>): Opened =>
  opening(open, [beforeAll, afterAll]);

export const openedAnew = <Opened extends AsyncDisposable>(open: () => Promise<Opened>): Opened =>
  opening(open, [beforeEach, afterEach]);
