// The conformance table: each row is a sentence of the specification and the test that shows it to be true of the sandbox.
// docs/proof/conformance.md is made from these rows.
import { it } from 'vitest';
import { type TestSandbox, openForSuite } from '../harness/sandbox.ts';
import type { SandboxOptions } from '#src/sandbox/sandbox.ts';
import { concernsTarget, openTarget } from './target.ts';

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
    const test = concernsTarget(title) ? it : leaveOut;
    test(title, holds);
  }
}

/** Which rows are left out, and why, stands with the target. */
const leaveOut = (): void => undefined;

/** What the rows of a file are tried on. */
export const openForRows = (
  options: SandboxOptions = {},
  prepare?: (sandbox: TestSandbox) => Promise<void>,
): TestSandbox => openForSuite(options, prepare, openTarget);
