// Runs calls a few at a time: there is one per meeting, recap or user, and each waits for the service.

const callsAtOnce = 4;

/** Returns the results in order. After a failure no further call is started, and none is left running. */
export async function concurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const queue = [...items.entries()];
  const results: Result[] = [];
  const failures: unknown[] = [];
  const line = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, item] = next;
      try {
        results[index] = await work(item);
      } catch (error) {
        failures.push(error);
        queue.length = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, line));
  if (failures.length > 0) throw failures[0];
  return results;
}
