// Random numbers from a seed, so that a run can be repeated.

export type Random = ReturnType<typeof randomOf>;

/** The algorithm is mulberry32. */
export function randomOf(seed: number) {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  /** At least 0, less than 1. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** A whole number: at least 0, less than `limit`. */
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (share: number): boolean => next() < share,
    pick<Item>(items: readonly Item[]): Item {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('There is nothing to pick from.');
      return item;
    },
  };
}
