// Statements of a transaction that do not depend on each other's results travel together where the engine pipelines: waiting for each
// answer costs more than running the statement.
import type { Unit } from './contract.ts';

export type Step = () => Promise<unknown>;

/**
 * Runs these steps one after the other. Where the engine pipelines, the statements of all steps are sent at once, and the server runs
 * them in this order. So a step, unless it is the last, sends its statements by `engine.run` before it waits for anything. Throws the
 * error of the first step that failed: PostgreSQL refuses the statements after it, and their errors say only that.
 */
export async function inOrder({ db, engine }: Unit, steps: readonly Step[]): Promise<void> {
  if (engine.pipelines(db)) {
    const results = await Promise.allSettled(steps.map(async (step) => step()));
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  } else for (const step of steps) await step();
}
