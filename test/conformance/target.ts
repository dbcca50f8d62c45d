// Whom the rows are tried on: the sandbox, unless a test that takes them over says otherwise.
import { openTestSandbox, type TestSandbox } from '../harness/sandbox.ts';
import { openForSuite } from '../harness/sandbox/suite.ts';
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

export const openForRows = (
  options: SandboxOptions = {},
  prepare?: (sandbox: TestSandbox) => Promise<void>,
): TestSandbox => openForSuite(options, prepare, target.open);
