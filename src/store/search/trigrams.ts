// What the word index of SQLite holds of a contact and is asked for: texts in small letters, cut into threes by the index itself,
// and exact values as a code of three letters each.
import { createHash } from 'node:crypto';
import type { Asked, ColumnFilter, TextsOf } from './contact-match.ts';

/** The columns of the index; the same for a contact and for a question. */
export const wordColumns = [
  'name',
  'job_title',
  'company',
  'city',
  'timezone',
  'country',
  'state',
] as const satisfies ColumnFilter[];
const coded: ReadonlySet<ColumnFilter> = new Set(['timezone', 'country', 'state']);

/** One entry for each of `wordColumns`. */
export function wordsOf(texts: TextsOf): readonly (string | null)[] {
  return wordColumns.map((name) => {
    const value = texts[name];
    if (value === null) return null;
    return coded.has(name) ? codeOf(value) : value.toLowerCase();
  });
}

/** Two values may share a code: what is found is looked at again. */
const codeOf = (value: string): string => createHash('sha256').update(value).digest('base64url').slice(0, 3);

/** By how many of its threes a text is looked for: each more costs about as much as the first, and mostly says less. */
const threesAsked = { quick: 3, thorough: 12 } as const;
export type Thoroughness = keyof typeof threesAsked;
/** Beyond this many alternatives walking is as good. */
const mostAlternatives = 40;

/**
 * The question to the index: at least what meets the filters. Undefined when they do not narrow it down. The sample says which
 * threes of a segment are rare, and which filter.
 */
export function wordQuery(
  columns: readonly Asked<ColumnFilter>[],
  sample: readonly TextsOf[],
  how: Thoroughness,
): string | undefined {
  const usable = columns.filter(
    ({ kind, segments }) =>
      segments.length <= mostAlternatives &&
      (kind === 'exact' || segments.every((segment) => threesOf(segment).length > 0)),
  );
  if (usable.length === 0) return undefined;
  return usable.map((filter) => termOf(filter, sample, threesAsked[how])).join(' AND ');
}

function termOf({ name, kind, segments }: Asked<ColumnFilter>, sample: readonly TextsOf[], most: number): string {
  if (kind === 'exact') return `${name} : (${segments.map((value) => quoted(codeOf(value))).join(' OR ')})`;
  const texts = sample.flatMap((row) => row[name]?.toLowerCase() ?? []);
  const alternatives = segments.map((segment) => {
    const counted = threesOf(segment).map((three) => ({
      three,
      seen: texts.filter((text) => text.includes(three)).length,
    }));
    const rarest = counted.toSorted((a, b) => a.seen - b.seen).slice(0, most);
    return `(${rarest.map(({ three }) => quoted(three)).join(' AND ')})`;
  });
  return `${name} : (${alternatives.join(' OR ')})`;
}

function threesOf(segment: string): readonly string[] {
  const characters = Array.from(segment);
  const threes = characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
  // From both ends in turn: of equally rare ones those far apart say most.
  const turns = threes.map((_, index) => threes.at(index % 2 === 0 ? index / 2 : -(index + 1) / 2) as string);
  return [...new Set(turns)];
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
