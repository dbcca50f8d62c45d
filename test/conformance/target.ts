// Whom the rows are tried on: the sandbox, unless a test that takes them over says otherwise.
import { afterAll, beforeAll } from 'vitest';
import { openTestSandbox, type TestSandbox } from '../harness/sandbox.ts';
import type { SandboxOptions } from '#src/sandbox/sandbox.ts';

export interface Target {
  open(options: SandboxOptions): Promise<TestSandbox>;
  /** Whether the row, by its title, says something of this target. */
  concerns(title: string): boolean;
}

let target: Target = { open: openTestSandbox, concerns: () => true };

/** Before the rows are loaded. */
export function tryOn(other: Target): void {
  target = other;
}

export const concernsTarget = (title: string): boolean => target.concerns(title);

/** The sandbox of a file's rows. It is open, and prepared, before the first of them, and closed after the last. */
export function openForRows(
  options: SandboxOptions = {},
  prepare: (sandbox: TestSandbox) => Promise<void> = async () => undefined,
): TestSandbox {
  let opened: TestSandbox | undefined;
  const { open } = target;
  beforeAll(async () => {
    opened = await open(options);
    await prepare(opened);
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());
  return new Proxy({} as TestSandbox, { get: (_, name) => Reflect.get(opened ?? {}, name) as unknown });
}
