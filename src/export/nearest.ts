// Names in the order of their likeness to one that was mistyped.

/** The most alike first; of two that are equally alike the one that comes first in the list. */
export function nearestFirst(names: readonly string[], to: string): string[] {
  const distances = new Map(names.map((name) => [name, distance(name, to)]));
  return names.toSorted((a, b) => (distances.get(a) as number) - (distances.get(b) as number));
}

/** How many letters must be added, taken away or changed (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
