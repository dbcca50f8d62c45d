// Who is served next: each subscription has a lane of its own with a bound on what is under way, and all lanes together have
// one, so that a slow subscriber holds up nobody else for long.

export interface FairQueue<Item> {
  /** Waiting in a lane or under way. */
  readonly size: number;
  add(lane: string, item: Item): void;
  /** Forgets what waits in the lanes that fit. */
  clearIf(test: (lane: string) => boolean): void;
  /** Says, from now on, whether all that was added while `act` ran has ended or was forgotten. */
  batch(act: () => void): () => boolean;
}

export interface FairQueueNeeds<Item> {
  readonly mostPerLane: number;
  readonly mostInAll: number;
  /** Never rejects. */
  run(item: Item): Promise<void>;
  /** After each item that ended. */
  onEnd(): void;
}

/** What is added together is counted together. */
interface Batch {
  size: number;
}

interface Entry<Item> {
  readonly item: Item;
  readonly batch: Batch;
}

interface Lane<Item> {
  readonly name: string;
  readonly waiting: Line<Entry<Item>>;
  underWay: number;
}

export function createFairQueue<Item>({ mostPerLane, mostInAll, run, onEnd }: FairQueueNeeds<Item>): FairQueue<Item> {
  const lanes = new Map<string, Lane<Item>>();
  // FairQueue with something to do and room to do it, in the order of their turns.
  const turns = new Set<Lane<Item>>();
  let waiting = 0;
  let underWay = 0;
  let current: Batch = { size: 0 };

  function queueUp(lane: Lane<Item>): void {
    if (lane.waiting.length > 0 && lane.underWay < mostPerLane) turns.add(lane);
  }
  function start(): void {
    for (const lane of turns) {
      if (underWay >= mostInAll) return;
      turns.delete(lane);
      const entry = lane.waiting.take();
      if (entry === undefined) continue;
      waiting -= 1;
      underWay += 1;
      lane.underWay += 1;
      queueUp(lane);
      void run(entry.item).then(() => end(lane, entry));
    }
  }
  function end(lane: Lane<Item>, { batch }: Entry<Item>): void {
    batch.size -= 1;
    underWay -= 1;
    lane.underWay -= 1;
    if (lane.underWay === 0 && lane.waiting.length === 0) lanes.delete(lane.name);
    queueUp(lane);
    start();
    onEnd();
  }
  return {
    get size() {
      return waiting + underWay;
    },
    add(name, item) {
      const lane = lanes.get(name) ?? { name, waiting: createLine<Entry<Item>>(), underWay: 0 };
      lanes.set(name, lane);
      lane.waiting.put({ item, batch: current });
      current.size += 1;
      waiting += 1;
      queueUp(lane);
      start();
    },
    clearIf(test) {
      for (const lane of lanes.values()) {
        if (!test(lane.name)) continue;
        waiting -= lane.waiting.length;
        for (let entry = lane.waiting.take(); entry !== undefined; entry = lane.waiting.take()) entry.batch.size -= 1;
        turns.delete(lane);
        if (lane.underWay === 0) lanes.delete(lane.name);
      }
    },
    batch(act) {
      const batch = (current = { size: 0 });
      act();
      current = { size: 0 };
      return () => batch.size === 0;
    },
  };
}

/** First in, first out; taking costs the same however long the line is. */
interface Line<Item> {
  readonly length: number;
  put(item: Item): void;
  take(): Item | undefined;
}

const cutAfter = 1024;

function createLine<Item>(): Line<Item> {
  let items: (Item | undefined)[] = [];
  let first = 0;
  return {
    get length() {
      return items.length - first;
    },
    put: (item) => void items.push(item),
    take() {
      if (first === items.length) return undefined;
      const item = items[first];
      items[first] = undefined;
      first += 1;
      if (first === items.length || (first >= cutAfter && first * 2 > items.length)) {
        items = items.slice(first);
        first = 0;
      }
      return item;
    },
  };
}
