// What waits for a time of the sandbox's clock: a heap by due time, looked at when a timer fires or the clock is advanced.
import type { Clock } from '#src/sandbox/clock.ts';

export interface TimerQueue<Item> extends Disposable {
  readonly size: number;
  /** When the next is due; infinitely late when there is none. */
  readonly nextMs: number;
  add(dueMs: number, item: Item): void;
  removeIf(test: (item: Item) => boolean): void;
}

interface Entry<Item> {
  readonly dueMs: number;
  /** Equal times keep the order in which they came. */
  readonly order: number;
  readonly item: Item;
}

const longestTimerMs = 2 ** 31 - 1;

export function createTimerQueue<Item>(clock: Clock, onDue: (item: Item) => void): TimerQueue<Item> {
  const heap = createHeap<Entry<Item>>((a, b) => a.dueMs - b.dueMs || a.order - b.order);
  let added = 0;
  let timer: NodeJS.Timeout | undefined;
  let armedFor = Infinity;

  function look(): void {
    const nowMs = clock.nowMs();
    for (let next = heap.top(); next !== undefined && next.dueMs <= nowMs; next = heap.top()) {
      heap.pop();
      onDue(next.item);
    }
    arm();
  }
  function arm(): void {
    clearTimeout(timer);
    const next = heap.top();
    armedFor = next?.dueMs ?? Infinity;
    if (next === undefined) return;
    // At least a millisecond: timers fire a trifle early, and a clock that a test holds still must not spin.
    timer = setTimeout(look, Math.min(Math.max(1, next.dueMs - clock.nowMs()), longestTimerMs)).unref();
  }
  clock.onAdvance(look);
  return {
    get size() {
      return heap.size;
    },
    get nextMs() {
      return heap.top()?.dueMs ?? Infinity;
    },
    add(dueMs, item) {
      heap.push({ dueMs, order: (added += 1), item });
      if (dueMs < armedFor) arm();
    },
    removeIf(test) {
      heap.removeIf(({ item }) => test(item));
      arm();
    },
    [Symbol.dispose]() {
      heap.removeIf(() => true);
      clearTimeout(timer);
    },
  };
}

interface Heap<Entry> {
  readonly size: number;
  top(): Entry | undefined;
  push(entry: Entry): void;
  pop(): void;
  removeIf(test: (entry: Entry) => boolean): void;
}

function createHeap<Entry>(compare: (a: Entry, b: Entry) => number): Heap<Entry> {
  let entries: Entry[] = [];
  const isBefore = (a: number, b: number): boolean => compare(entries[a] as Entry, entries[b] as Entry) < 0;
  function swap(a: number, b: number): void {
    [entries[a], entries[b]] = [entries[b] as Entry, entries[a] as Entry];
  }
  function rise(start: number): void {
    let index = start;
    for (let parent = (index - 1) >> 1; index > 0 && isBefore(index, parent); parent = (index - 1) >> 1) {
      swap(index, parent);
      index = parent;
    }
  }
  function sink(start: number): void {
    let index = start;
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let least = left < entries.length && isBefore(left, index) ? left : index;
      if (right < entries.length && isBefore(right, least)) least = right;
      if (least === index) return;
      swap(index, least);
      index = least;
    }
  }
  return {
    get size() {
      return entries.length;
    },
    top: () => entries[0],
    push(entry) {
      entries.push(entry);
      rise(entries.length - 1);
    },
    pop() {
      const last = entries.pop();
      if (last === undefined || entries.length === 0) return;
      entries[0] = last;
      sink(0);
    },
    removeIf(test) {
      const kept = entries.filter((entry) => !test(entry));
      // A sorted list is a heap.
      if (kept.length < entries.length) entries = kept.sort(compare);
    },
  };
}
