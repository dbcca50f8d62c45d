// Writes a value as JSON in one of the many ways there are: keys in some order, white space here and there.

export function rendered(value: unknown, seed: number): string {
  const random = lcg(seed);
  const space = () => (random() < 0.1 ? ' ' : '');
  const write = (part: unknown): string => {
    if (Array.isArray(part)) return `[${part.map((entry) => space() + write(entry)).join(',')}${space()}]`;
    if (typeof part !== 'object' || part === null) return escaped(part, random() < 0.1);
    const entries = Object.entries(part).map(([key, entry]) => ({
      place: random(),
      text: `${JSON.stringify(key)}:${space()}${write(entry)}`,
    }));
    entries.sort((a, b) => a.place - b.place);
    return `{${entries.map(({ text }) => space() + text).join(',')}${space()}}`;
  };
  return write(value);
}

/** `é` and `\u00e9` are the same text. */
function escaped(value: unknown, ascii: boolean): string {
  const text = JSON.stringify(value);
  return ascii
    ? text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text;
}

/** A linear congruential generator: numbers from 0 to 1. */
export function lcg(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
