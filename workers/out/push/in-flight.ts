// Entries that were read and have not arrived yet: queued per key, in order, bounded in number and in size.
import type { FeedEntry } from '#src/feed/entry.ts';

export interface InFlight {
  /** True when the entry is the first of its key: the caller must start a sender for it. */
  add(lane: string, entry: FeedEntry): boolean;
  /** The next entries of a key; an empty queue is removed. */
  next(lane: string, count: number): readonly FeedEntry[];
  done(lane: string, entries: readonly FeedEntry[]): void;
  /** How many more entries fit; 0 while too many, or too large ones, are in flight. */
  room(): number;
  /** The offset up to which everything has arrived; `read` is the offset up to which the log was read. */
  arrived(read: number): number;
}

export interface InFlightBounds {
  readonly entries: number;
  readonly characters: number;
}

export function createInFlight({ entries, characters }: InFlightBounds): InFlight {
  const lanes = new Map<string, FeedEntry[]>();
  // A set keeps the order of insertion, which is that of the log.
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
