// The entries that were read and are not yet known to have arrived: in lanes, each in order, and bounded in number and in weight.
import type { FeedEntry } from '#src/feed/entry.ts';

export interface Window {
  /** True when this entry begins a lane that somebody has to see to. */
  add(lane: string, entry: FeedEntry): boolean;
  /** Those of a lane that leave next; none when it is empty, and then it is gone. */
  next(lane: string, count: number): readonly FeedEntry[];
  done(lane: string, entries: readonly FeedEntry[]): void;
  /** Room for so many more entries; 0 while too many, or too heavy ones, wait. */
  room(): number;
  /** Everything up to here has arrived; `read` is how far the log was read. */
  arrived(read: number): number;
}

export interface WindowBounds {
  readonly entries: number;
  readonly characters: number;
}

export function createWindow({ entries, characters }: WindowBounds): Window {
  const lanes = new Map<string, FeedEntry[]>();
  // In the order of the log: a set remembers it.
  const waiting = new Set<number>();
  let weight = 0;
  return {
    add(name, entry) {
      waiting.add(entry.seq);
      weight += entry.text.length;
      const lane = lanes.get(name);
      if (lane) lane.push(entry);
      else lanes.set(name, [entry]);
      return lane === undefined;
    },
    next(name, count) {
      const lane = lanes.get(name) ?? [];
      if (lane.length === 0) lanes.delete(name);
      return lane.slice(0, count);
    },
    done(name, arrived) {
      lanes.get(name)?.splice(0, arrived.length);
      for (const { seq, text } of arrived) {
        waiting.delete(seq);
        weight -= text.length;
      }
    },
    room: () => (weight >= characters ? 0 : Math.max(0, entries - waiting.size)),
    arrived(read) {
      const [first] = waiting;
      return first === undefined ? read : first - 1;
    },
  };
}
