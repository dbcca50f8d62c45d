// A seeded pseudo-random generator: the same seed makes the same choices on every machine.

export type Random = ReturnType<typeof randomOf>;

/** The parts name the purpose of the choices, so that the choices made for one thing never shift those made for another. */
export function randomOf(...parts: readonly (string | number)[]) {
  let state = fnv1a(parts.join('\u0000'));
  // mulberry32: tiny, fast and even enough for test data.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    /** From 0 (inclusive) to 1 (exclusive). */
    next,
    int,
    chance: (probability: number): boolean => next() < probability,
    pick: <Item>(items: readonly Item[]): Item => itemAt(items, int(0, items.length - 1)),
    uuid: (): string => {
      const hex = Array.from({ length: 4 }, () => int(0, 0xffff_ffff).toString(16).padStart(8, '0')).join('');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  };
}

export function itemAt<Item>(items: ArrayLike<Item>, index: number): Item {
  if (!(index in items)) throw new RangeError(`no item at ${index} of ${items.length}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the index is in range; Item itself may include undefined
  return items[index] as Item;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
