// Suggests the name that was probably meant by a mistyped one.

/** `Did you mean contacts? There are: alerts, contacts, users.` The list is sorted, so that it can be scanned. */
export function suggestName(
  names: readonly string[],
  { typed, opening }: { readonly typed: string; readonly opening: string },
): string {
  const nearest = nearestName(names, typed);
  const question = nearest === undefined ? '' : `Did you mean ${nearest}? `;
  return `${question}${opening}: ${names.toSorted().join(', ')}.`;
}

/** Undefined when no name is similar; the first of several that are equally similar. */
export function nearestName(names: readonly string[], typed: string): string | undefined {
  const ranked = names
    .map((name) => ({ name, edits: editDistance(name, typed) }))
    .toSorted((a, b) => a.edits - b.edits);
  const [nearest] = ranked;
  return nearest && nearest.edits <= Math.ceil(typed.length / 3) ? nearest.name : undefined;
}

/** The number of characters to insert, delete or replace (Levenshtein distance). */
export function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of from.split('').entries()) {
    let diagonal = index;
    let last = index + 1;
    const current = [last];
    for (const [column, above] of previous.slice(1).entries()) {
      last = Math.min(diagonal + (character === to[column] ? 0 : 1), above + 1, last + 1);
      current.push(last);
      diagonal = above;
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
