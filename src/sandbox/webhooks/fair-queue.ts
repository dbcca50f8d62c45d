// Decides which delivery is sent next: round robin over subscriptions, with a limit on deliveries in flight per subscription and
// in total, so that a slow subscriber does not delay the others.

export interface FairQueueNeeds<Item> {
  readonly mostPerKey: number;
  readonly mostInAll: number;
  /** Never rejects. */
  run(item: Item): Promise<void>;
  onEnd(): void;
}

/** Counts the items that were added together. */
interface Group {
  size: number;
}

/** An entry of a linked list: taking the first costs the same however many wait. */
interface Entry<Item> {
  readonly item: Item;
  readonly group: Group;
  next?: Entry<Item>;
}

interface Lane<Item> {
  readonly key: string;
  first?: Entry<Item> | undefined;
  last?: Entry<Item>;
  inFlight: number;
}

export function createFairQueue<Item>({ mostPerKey, mostInAll, run, onEnd }: FairQueueNeeds<Item>) {
  const lanes = new Map<string, Lane<Item>>();
  // Lanes that can start an item, in round-robin order.
  const ready = new Set<Lane<Item>>();
  let waiting = 0;
  let inFlight = 0;
  let current: Group = { size: 0 };

  function update(lane: Lane<Item>): void {
    if (lane.first && lane.inFlight < mostPerKey) ready.add(lane);
    else if (!lane.first && lane.inFlight === 0) lanes.delete(lane.key);
  }
  function take(lane: Lane<Item>): Entry<Item> | undefined {
    const entry = lane.first;
    if (entry === undefined) return undefined;
    lane.first = entry.next;
    waiting -= 1;
    return entry;
  }
  function start(): void {
    for (const lane of ready) {
      if (inFlight >= mostInAll) return;
      ready.delete(lane);
      const entry = take(lane);
      if (entry === undefined) continue;
      inFlight += 1;
      lane.inFlight += 1;
      update(lane);
      void run(entry.item).then(() => end(lane, entry));
    }
  }
  function end(lane: Lane<Item>, { group }: Entry<Item>): void {
    group.size -= 1;
    inFlight -= 1;
    lane.inFlight -= 1;
    update(lane);
    start();
    onEnd();
  }
  return {
    /** Waiting or in flight. */
    get size(): number {
      return waiting + inFlight;
    },
    add(key: string, item: Item): void {
      const lane = lanes.get(key) ?? { key, inFlight: 0 };
      lanes.set(key, lane);
      const entry: Entry<Item> = { item, group: current };
      if (lane.first && lane.last) lane.last.next = entry;
      else lane.first = entry;
      lane.last = entry;
      waiting += 1;
      current.size += 1;
      update(lane);
      start();
    },
    dropIf(test: (key: string) => boolean): void {
      for (const lane of lanes.values()) {
        if (!test(lane.key)) continue;
        for (let entry = take(lane); entry; entry = take(lane)) entry.group.size -= 1;
        ready.delete(lane);
        update(lane);
      }
    },
    /** Returns a function that tells whether everything added while `act` ran has ended or was dropped. */
    track(act: () => void): () => boolean {
      const group = (current = { size: 0 });
      act();
      current = { size: 0 };
      return () => group.size === 0;
    },
  };
}
