// One row of the conformance table: a sentence of the specification and the test that shows it to be true of the sandbox.
// docs/conformance.md is made from these rows.
import { it } from 'vitest';
import { concernsTarget } from './target.ts';

/** `where` is the section, rule, field or table row; `what` is what the specification says there. */
export function sentence(where: string, what: string, holds: () => Promise<void> | void): void {
  const row = concernsTarget(`${where}: ${what}`) ? it : leaveOut;
  row(`${where}: ${what}`, holds);
}

/** What the specification leaves open ("not shown"), and what the sandbox does by the assumption of that number. */
export function assumed(number: `A${string}`, where: string, what: string, holds: () => Promise<void> | void): void {
  sentence(`${where} (${number})`, what, holds);
}

/** What the specification says and a simulation does not do; `what` says what the sandbox does instead. */
export function exception(where: string, what: string, holds: () => Promise<void> | void): void {
  sentence(where, what, holds);
}

/** Which rows are left out, and why, stands with the target. */
const leaveOut = (): void => undefined;
