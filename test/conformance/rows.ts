// The conformance table: each row is a sentence of the specification and the test that shows it to be true of the sandbox.
// docs/proof/conformance.md is made from these rows.
import { it } from 'vitest';
import { openForSuite, openTestSandbox, type TestSandbox } from '../harness/sandbox.ts';
import type { SandboxOptions } from '#src/sandbox/sandbox.ts';

/** Whom the rows are tried on. */
export interface Target {
  open(options: SandboxOptions): Promise<TestSandbox>;
  /** Whether the row, by its title, says something of this target. */
  concerns(title: string): boolean;
}

let target: Target = { open: openTestSandbox, concerns: () => true };

/** Tries the rows that are loaded later on something else than the sandbox. */
export function tryOn(other: Target): void {
  target = other;
}

/**
 * A row is `where | what` or `where | what | note`. `where` is the section, rule or field; `what` is what the specification says there.
 * A note `A17` is the assumption that the row rests on, where the specification is silent. The note `exception` marks what the
 * specification says and a simulation does not do; `what` then says what the sandbox does instead.
 */
type Row = `${string} | ${string}`;

export function rows(table: Readonly<Record<Row, () => Promise<void> | void>>): void {
  for (const [row, holds] of Object.entries(table)) {
    const [where, what, note = 'exception'] = row.split(' | ');
    const title = note === 'exception' ? `${where}: ${what}` : `${where} (${note}): ${what}`;
    const test = target.concerns(title) ? it : leaveOut;
    test(title, holds);
  }
}

/** Which rows are left out, and why, stands with the target. */
const leaveOut = (): void => undefined;

/** What the rows of a file are tried on. */
export const openForRows = (
  options: SandboxOptions = {},
  prepare?: (sandbox: TestSandbox) => Promise<void>,
): TestSandbox => openForSuite(options, prepare, (given) => target.open(given));
