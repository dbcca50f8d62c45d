// Many small writes as few transactions: what comes while one is under way goes together into the next. A commit costs a wait for the
// disk, and a message needs several.
import { holdAlerts } from '#src/store/alerts/alert-rows.ts';
import type { Store, Unit } from '#src/store/contract.ts';

/** `ids`: every alert that `work` may write. */
export type Desk = <Result>(ids: readonly string[], work: (unit: Unit) => Promise<Result>) => Promise<Result>;

interface Slip {
  readonly ids: readonly string[];
  run(unit: Unit): Promise<void>;
  done(): void;
  fail(error: unknown): void;
}

const mostTogether = 50;

export function openDesk(store: Pick<Store, 'transaction'>): Desk {
  const waiting: Slip[] = [];
  let writing: Promise<void> | undefined;

  const commit = (slips: readonly Slip[]): Promise<void> =>
    store.transaction(async (unit) => {
      // All at first, in the order in which everybody holds them: slips come in any, and two would wait for each other in a ring.
      if (unit.engine.manyWriters)
        await holdAlerts(
          unit,
          slips.flatMap(({ ids }) => ids),
        );
      for (const slip of slips) await slip.run(unit);
    });

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const slips = waiting.splice(0, mostTogether);
      try {
        await commit(slips);
        for (const slip of slips) slip.done();
      } catch {
        // One of them may be at fault: each on its own.
        for (const slip of slips)
          await commit([slip]).then(
            () => slip.done(),
            (error: unknown) => slip.fail(error),
          );
      }
    }
    writing = undefined;
  }

  return (ids, work) =>
    new Promise((resolve, reject) => {
      let result: Awaited<ReturnType<typeof work>>;
      waiting.push({
        ids,
        run: async (unit) => {
          result = await work(unit);
        },
        done: () => resolve(result),
        fail: reject,
      });
      // Not at once: whoever is ready in this very moment comes along.
      writing ??= Promise.resolve().then(write);
    });
}
