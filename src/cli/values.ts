// Values on one line of a terminal: cut, and without anything a terminal would obey.
import type { Changes } from '#workers/projections/merge.ts';

// What JSON leaves as it is and a terminal acts upon: C1 controls, and marks that turn the direction of the line.
const obeyed = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** As JSON, so that a text and a number can be told apart. */
export function shown(value: unknown, longest = 80): string {
  const text = JSON.stringify(value).replaceAll(obeyed, escaped);
  return text.length > longest ? `${text.slice(0, longest - 3)}…` : text;
}

/** Words that anybody may have sent, as the name of a kind. */
export const plain = (words: string): string => JSON.stringify(words).replaceAll(obeyed, escaped).slice(1, -1);

/** One line a column: `  contacts.company: null → "Example"`. */
export function changeLines(changes: Changes | null): string[] {
  return Object.entries(changes ?? {}).flatMap(([table, columns]) =>
    Object.entries(columns).map(
      ([column, [before, after]]) => `  ${table}.${column}: ${shown(before)} → ${shown(after)}`,
    ),
  );
}
