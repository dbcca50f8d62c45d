// Whom the rows are tried on: the sandbox, unless a test that takes them over says otherwise.
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

export const openTarget = (options: SandboxOptions): Promise<TestSandbox> => target.open(options);
