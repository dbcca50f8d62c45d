// What the word index of SQLite holds of a contact and is asked for: texts in small letters, cut into threes by the index itself,
// and exact values as a code of three letters each. The index does not tell columns apart, so every column has letters of its own.
import { createHash } from 'node:crypto';
import type { Asked, ColumnFilter, TextsOf } from '#src/store/search/contact-match.ts';

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

// All characters of two bytes in UTF-8, a quarter for each column of texts: enough for the letters of most languages to differ.
// Characters, codes and texts may meet in the same threes: what is found is looked at again.
const firstLetter = 0x80;
const letters = 0x800 - firstLetter;
const lettersOfColumn = letters / 4;

/** One entry for each of `wordColumns`. */
export function wordsOf(texts: TextsOf): readonly (string | null)[] {
  return wordColumns.map((name) => {
    const value = texts[name];
    if (value === null) return null;
    return coded.has(name) ? codeOf(name, value) : lettersIn(name, value.toLowerCase());
  });
}

function lettersIn(name: ColumnFilter, text: string): string {
  const first = firstLetter + wordColumns.indexOf(name) * lettersOfColumn;
  return Array.from(text, (letter) =>
    String.fromCharCode(first + ((letter.codePointAt(0) as number) % lettersOfColumn)),
  ).join('');
}

function codeOf(name: ColumnFilter, value: string): string {
  const hash = createHash('sha256').update(`${name} ${value}`).digest();
  return [0, 2, 4].map((at) => String.fromCharCode(firstLetter + (hash.readUInt16BE(at) % letters))).join('');
}

/** By how many of their threes texts are looked for: each more costs about as much as the first, and mostly says less. */
const threesAsked = { quick: 6, thorough: 24 } as const;
type Thoroughness = keyof typeof threesAsked;
/** So many texts of the sample that all hold a three are believed: so do all others. */
const believed = { quick: 1, thorough: 5 } as const satisfies Record<Thoroughness, number>;
/** Beyond this many alternatives walking is as good. */
const mostAlternatives = 16;

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
  const most = Math.max(2, Math.floor(threesAsked[how] / usable.length));
  return usable.map((filter) => termOf(filter, sample, { most, believed: believed[how] })).join(' AND ');
}

interface Telling {
  readonly most: number;
  readonly believed: number;
}

function termOf({ name, kind, segments }: Asked<ColumnFilter>, sample: readonly TextsOf[], how: Telling): string {
  if (kind === 'exact') return `(${segments.map((value) => quoted(codeOf(name, value))).join(' OR ')})`;
  const texts = sample.flatMap((row) => row[name]?.toLowerCase() ?? []);
  const alternatives = segments.map((segment) => {
    const threes = tellingThrees(segment, texts, how);
    return `(${threes.map((three) => quoted(lettersIn(name, three))).join(' AND ')})`;
  });
  return `(${alternatives.join(' OR ')})`;
}

/** The rarest first, without those that come with the others anyway, by the look of the sample. */
function tellingThrees(
  segment: string,
  texts: readonly string[],
  { most, believed: enough }: Telling,
): readonly string[] {
  const counted = threesOf(segment).map((three) => ({
    three,
    seen: texts.filter((text) => text.includes(three)).length,
  }));
  const chosen: string[] = [];
  let left = texts;
  for (const { three } of counted.toSorted((a, b) => a.seen - b.seen)) {
    if (chosen.length === most) break;
    const fewer = left.filter((text) => text.includes(three));
    if (chosen.length > 0 && left.length >= enough && fewer.length === left.length) continue;
    chosen.push(three);
    left = fewer;
  }
  return chosen;
}

function threesOf(segment: string): readonly string[] {
  const characters = Array.from(segment);
  const threes = characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
  // From both ends in turn: of equally rare ones those far apart say most.
  const turns = threes.map((_, index) => threes.at(index % 2 === 0 ? index / 2 : -(index + 1) / 2) as string);
  return [...new Set(turns)];
}

const quoted = (text: string): string => `"${text}"`;
