// Limits the memory and the time of all bodies that are being read. They are not verified yet, so anyone can send them: when the
// budget is used up, the body that has cost the most is given up, not the one that comes last.
//
//   joined ──bytes arrive──▶ left: complete, aborted or too large
//              ├─ the budget is used up, and this one has cost the most (bytes × time) ──▶ evicted: body_budget
//              └─ fewer bytes than the minimum rate, in any window ──▶ evicted: slow_body

export type BodyEviction = 'body_budget' | 'slow_body';

export interface BodyBudgetOptions {
  /** All bodies together. */
  readonly maxBytes: number;
  /** A body that declares at most this length is small. */
  readonly smallBytes?: number;
  /** Part of `maxBytes` that only small bodies use: nearly every delivery is one. */
  readonly reservedBytes?: number;
  readonly minBytesPerSecond?: number;
  /** The minimum rate holds for each window of this length, the first included. */
  readonly windowMs?: number;
  /** Milliseconds, any origin. */
  readonly clock?: () => number;
}

export interface BodyBudget {
  /** `declaredBytes` is the content length, if there is one. `evict` is called at most once, and ends the share. */
  join(declaredBytes: number | undefined, evict: (reason: BodyEviction) => void): BodyShare;
}

/** The part of the budget that one body uses. */
export interface BodyShare {
  /** Counts bytes that have arrived, and evicts while all together are too many: other bodies, or this one. */
  add(bytes: number): void;
  leave(): void;
}

interface Reader {
  readonly isSmall: boolean;
  readonly joinedAtMs: number;
  readonly evict: (reason: BodyEviction) => void;
  bytes: number;
  windowFromMs: number;
  windowBytes: number;
}

export function createBodyBudget(options: BodyBudgetOptions): BodyBudget {
  const { maxBytes, smallBytes = 64 * 1024, reservedBytes = maxBytes / 4, clock = () => performance.now() } = options;
  const { minBytesPerSecond = 16 * 1024, windowMs = 2000 } = options;
  const readers = new Set<Reader>();
  let bytes = 0;
  let largeBytes = 0;
  let isWatching = false;

  function count(reader: Reader, change: number): void {
    bytes += change;
    if (!reader.isSmall) largeBytes += change;
  }

  function leave(reader: Reader): void {
    if (readers.delete(reader)) count(reader, -reader.bytes);
  }

  function evict(reader: Reader, reason: BodyEviction): void {
    leave(reader);
    reader.evict(reason);
  }

  function makeRoom(): void {
    for (;;) {
      const areLargeOver = largeBytes > maxBytes - reservedBytes;
      if (!areLargeOver && bytes <= maxBytes) return;
      const costliest = findCostliest(areLargeOver);
      if (!costliest) return;
      evict(costliest, 'body_budget');
    }
  }

  function findCostliest(onlyLarge: boolean): Reader | undefined {
    const nowMs = clock();
    let found: Reader | undefined;
    let most = 0;
    for (const reader of readers) {
      if (onlyLarge && reader.isSmall) continue;
      // One more millisecond, so that among bodies of the same moment the largest is found.
      const cost = reader.bytes * (nowMs - reader.joinedAtMs + 1);
      if (cost <= most) continue;
      most = cost;
      found = reader;
    }
    return found;
  }

  function evictSlow(dueAtMs: number): void {
    const nowMs = clock();
    // This process was slow, not the senders: what they sent meanwhile is not read yet.
    const isLate = nowMs - dueAtMs > windowMs / 4;
    for (const reader of readers) {
      const elapsedMs = nowMs - reader.windowFromMs;
      if (elapsedMs < windowMs) continue;
      if (!isLate && reader.windowBytes * 1000 < minBytesPerSecond * elapsedMs) evict(reader, 'slow_body');
      reader.windowFromMs = nowMs;
      reader.windowBytes = 0;
    }
  }

  /** Runs only while bodies are being read: an idle receiver has no timer. */
  function watch(): void {
    if (isWatching || readers.size === 0) return;
    const dueAtMs = clock() + windowMs / 2;
    isWatching = true;
    const check = (): void => {
      isWatching = false;
      evictSlow(dueAtMs);
      watch();
    };
    setTimeout(check, windowMs / 2).unref();
  }

  return {
    join(declaredBytes, evictReader) {
      const nowMs = clock();
      const reader: Reader = {
        isSmall: declaredBytes !== undefined && declaredBytes <= smallBytes,
        joinedAtMs: nowMs,
        evict: evictReader,
        bytes: 0,
        windowFromMs: nowMs,
        windowBytes: 0,
      };
      readers.add(reader);
      watch();
      return {
        add(more) {
          if (!readers.has(reader)) return;
          reader.bytes += more;
          reader.windowBytes += more;
          count(reader, more);
          makeRoom();
        },
        leave: () => leave(reader),
      };
    },
  };
}
