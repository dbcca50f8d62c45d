// A store that takes everything back: what it is told is computed to the end, answered, and then not written.
import type { Store } from './contract.ts';

/** For dry runs. Page by page, so that nobody waits long for the locks of one. */
export function undone(store: Store): Store {
  const transaction: Store['transaction'] = async (work) => {
    const rollback = new Error('dry run');
    let done: Awaited<ReturnType<typeof work>> | undefined;
    await store
      .transaction(async (unit) => {
        done = await work(unit);
        throw rollback;
      })
      .catch((error: unknown) => {
        if (error !== rollback) throw error;
      });
    return done as Awaited<ReturnType<typeof work>>;
  };
  return { ...store, transaction };
}
