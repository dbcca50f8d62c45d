// Statements of a transaction that do not depend on each other's results travel together where the engine pipelines: waiting for each
// answer costs more than running the statement.
import type { Unit } from './contract.ts';

export type Step = () => Promise<unknown>;

/**
 * Runs these steps one after the other. Where the engine pipelines, it sends the statements of all steps at once, and the server runs
 * them in this order. So a step sends its statements before it waits for anything, by `engine.run`.
 */
export async function inOrder({ db, engine }: Unit, steps: readonly Step[]): Promise<void> {
  if (engine.pipelines(db)) await Promise.all(steps.map((step) => step()));
  else for (const step of steps) await step();
}
