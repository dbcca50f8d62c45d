// Who is served next: each subscription has a lane of its own with a bound on what is under way, and all lanes together have
// one, so that a slow subscriber holds up nobody else for long.

export interface Lanes<Item> {
  /** Waiting in a lane or under way. */
  readonly size: number;
  add(lane: string, item: Item): void;
  /** Forgets what waits in the lanes that fit. */
  clearIf(test: (lane: string) => boolean): void;
}

export interface LanesNeeds<Item> {
  readonly mostPerLane: number;
  readonly mostInAll: number;
  /** Never rejects. */
  run(item: Item): Promise<void>;
  /** After each item that ended. */
  onEnd(): void;
}

interface Lane<Item> {
  readonly name: string;
  readonly waiting: Line<Item>;
  underWay: number;
}

export function createLanes<Item>({ mostPerLane, mostInAll, run, onEnd }: LanesNeeds<Item>): Lanes<Item> {
  const lanes = new Map<string, Lane<Item>>();
  // Lanes with something to do and room to do it, in the order of their turns.
  const turns = new Set<Lane<Item>>();
  let waiting = 0;
  let underWay = 0;

  function queueUp(lane: Lane<Item>): void {
    if (lane.waiting.length > 0 && lane.underWay < mostPerLane) turns.add(lane);
  }
  function start(): void {
    for (const lane of turns) {
      if (underWay >= mostInAll) return;
      turns.delete(lane);
      const item = lane.waiting.take();
      if (item === undefined) continue;
      waiting -= 1;
      underWay += 1;
      lane.underWay += 1;
      queueUp(lane);
      void run(item).then(() => end(lane));
    }
  }
  function end(lane: Lane<Item>): void {
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
      const lane = lanes.get(name) ?? { name, waiting: createLine<Item>(), underWay: 0 };
      lanes.set(name, lane);
      lane.waiting.put(item);
      waiting += 1;
      queueUp(lane);
      start();
    },
    clearIf(test) {
      for (const lane of lanes.values()) {
        if (!test(lane.name)) continue;
        waiting -= lane.waiting.length;
        lane.waiting.clear();
        turns.delete(lane);
        if (lane.underWay === 0) lanes.delete(lane.name);
      }
    },
  };
}

/** First in, first out; taking costs the same however long the line is. */
interface Line<Item> {
  readonly length: number;
  put(item: Item): void;
  take(): Item | undefined;
  clear(): void;
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
    clear() {
      items = [];
      first = 0;
    },
  };
}
