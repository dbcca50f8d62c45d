// The name that somebody who mistyped one probably meant.

/** Undefined where none is alike; of two that are equally alike the one that comes first in the list. */
export function nearestTo(names: readonly string[], typed: string): string | undefined {
  const [nearest] = names.map((name) => ({ name, apart: distance(name, typed) })).toSorted((a, b) => a.apart - b.apart);
  return nearest && nearest.apart <= Math.ceil(typed.length / 3) ? nearest.name : undefined;
}

/** `Did you mean contacts? There are: alerts, contacts, users.` Always in the same order, so that a list can be looked through. */
export function offering(names: readonly string[], { typed, opening }: Offer): string {
  const nearest = nearestTo(names, typed);
  const question = nearest === undefined ? '' : `Did you mean ${nearest}? `;
  return `${question}${opening}: ${names.toSorted().join(', ')}.`;
}

interface Offer {
  readonly typed: string;
  readonly opening: string;
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
