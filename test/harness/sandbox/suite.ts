// The sandbox of a suite: one for all of its tests.
import { afterAll, beforeAll } from 'vitest';
import type { SandboxOptions } from '#src/sandbox/sandbox.ts';
import { openTestSandbox, type TestSandbox } from '../sandbox.ts';

/** A sandbox that is open, and prepared, before the first test of the file or of the suite around it, and closed after the last. */
export function openForSuite(
  options: SandboxOptions = {},
  prepare: (sandbox: TestSandbox) => Promise<void> = async () => undefined,
  open: (options: SandboxOptions) => Promise<TestSandbox> = openTestSandbox,
): TestSandbox {
  let opened: TestSandbox | undefined;
  beforeAll(async () => {
    opened = await open(options);
    await prepare(opened);
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());
  return new Proxy({} as TestSandbox, { get: (_, name) => Reflect.get(opened ?? {}, name) as unknown });
}
