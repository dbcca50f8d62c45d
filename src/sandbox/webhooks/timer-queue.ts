// Items that are due at a time of the sandbox's clock. They are checked when a timer fires and when the clock is advanced.
import type { Clock } from '#src/sandbox/clock.ts';

interface Entry<Item> {
  readonly dueMs: number;
  readonly item: Item;
}

const longestTimerMs = 2 ** 31 - 1;

export function createTimerQueue<Item>(clock: Clock, onDue: (item: Item) => void) {
  // The latest first, so that the next one is taken off the end. Items due at the same time keep the order they were added in.
  let entries: Entry<Item>[] = [];
  let timer: NodeJS.Timeout | undefined;
  let armedFor = Infinity;
  const nextMs = (): number => entries.at(-1)?.dueMs ?? Infinity;

  function check(): void {
    const nowMs = clock.nowMs();
    while (nextMs() <= nowMs) {
      const entry = entries.pop();
      if (entry) onDue(entry.item);
    }
    arm();
  }
  function arm(): void {
    clearTimeout(timer);
    armedFor = nextMs();
    if (armedFor === Infinity) return;
    // At least one millisecond: timers fire slightly early, and a clock that a test stops must not cause a busy loop.
    timer = setTimeout(check, Math.min(Math.max(1, armedFor - clock.nowMs()), longestTimerMs)).unref();
  }
  /** The index of the first entry that is not due later. */
  function indexFor(dueMs: number): number {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle]?.dueMs ?? 0) > dueMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  clock.onAdvance(check);
  return {
    get size(): number {
      return entries.length;
    },
    /** When the next item is due; Infinity when there is none. */
    get nextMs(): number {
      return nextMs();
    },
    add(dueMs: number, item: Item): void {
      entries.splice(indexFor(dueMs), 0, { dueMs, item });
      if (dueMs < armedFor) arm();
    },
    removeIf(test: (item: Item) => boolean): void {
      entries = entries.filter(({ item }) => !test(item));
      arm();
    },
    [Symbol.dispose](): void {
      entries = [];
      clearTimeout(timer);
    },
  };
}
