// How contact texts are written to and queried from the trigram index of SQLite: partial columns as lower-case letters, exact columns
// as a hash of three letters. The index does not separate columns, so each column maps to a range of letters of its own.
import { createHash } from 'node:crypto';
import type { FilterValue, ColumnFilter, TextsOf } from '#src/store/contact-search/contact-match.ts';

/** The columns of the index. */
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

// All characters of two bytes in UTF-8, a quarter for each partial column: enough for the letters of most languages to differ.
// Different texts may collide in the same trigrams: every candidate is compared again.
const firstLetter = 0x80;
const letters = 0x800 - firstLetter;
const lettersOfColumn = letters / 4;

/** As a function of SQL: from the values of `wordColumns` to a JSON list of their words. */
export const contactWords = (...values: readonly unknown[]): string =>
  JSON.stringify(wordColumns.map((name, index) => wordOf(name, values[index])));

function wordOf(name: ColumnFilter, value: unknown): string | null {
  if (typeof value !== 'string') return null;
  return coded.has(name) ? codeOf(name, value) : lettersIn(name, value.toLowerCase());
}

function lettersIn(name: ColumnFilter, text: string): string {
  const first = firstLetter + wordColumns.indexOf(name) * lettersOfColumn;
  return Array.from(text, (letter) =>
    String.fromCharCode(first + ((letter.codePointAt(0) ?? 0) % lettersOfColumn)),
  ).join('');
}

function codeOf(name: ColumnFilter, value: string): string {
  const hash = createHash('sha256').update(`${name} ${value}`).digest();
  return [0, 2, 4].map((at) => String.fromCharCode(firstLetter + (hash.readUInt16BE(at) % letters))).join('');
}

/** How many trigrams a query has: each costs about as much as the first and mostly narrows down less. */
const trigramsQueried = { quick: 6, thorough: 24 } as const;
type Thoroughness = keyof typeof trigramsQueried;
/** When this many texts of the sample all have a trigram, every text is assumed to have it. */
const assumed = { quick: 1, thorough: 5 } as const satisfies Record<Thoroughness, number>;
/** With more alternatives a scan is as fast. */
const mostAlternatives = 16;

/**
 * The index query that finds at least what matches the filters; undefined where they do not narrow the search down. The sample shows
 * which trigrams of a segment are rare.
 */
export function wordQuery(
  columns: readonly FilterValue<ColumnFilter>[],
  sample: readonly TextsOf[],
  how: Thoroughness,
): string | undefined {
  const usable = columns.filter(
    ({ kind, segments }) =>
      segments.length <= mostAlternatives &&
      (kind === 'exact' || segments.every((segment) => trigramsOf(segment).length > 0)),
  );
  if (usable.length === 0) return undefined;
  const most = Math.max(2, Math.floor(trigramsQueried[how] / usable.length));
  return usable.map((filter) => termOf(filter, sample, { most, assumed: assumed[how] })).join(' AND ');
}

interface TrigramLimits {
  readonly most: number;
  readonly assumed: number;
}

function termOf(
  { name, kind, segments }: FilterValue<ColumnFilter>,
  sample: readonly TextsOf[],
  how: TrigramLimits,
): string {
  if (kind === 'exact') return `(${segments.map((value) => quoted(codeOf(name, value))).join(' OR ')})`;
  const texts = sample.flatMap((row) => row[name]?.toLowerCase() ?? []);
  const alternatives = segments.map((segment) => {
    const trigrams = rareTrigrams(segment, texts, how);
    return `(${trigrams.map((trigram) => quoted(lettersIn(name, trigram))).join(' AND ')})`;
  });
  return `(${alternatives.join(' OR ')})`;
}

/** The rarest first, without those that the sample shows to come with the others. */
function rareTrigrams(
  segment: string,
  texts: readonly string[],
  { most, assumed: enough }: TrigramLimits,
): readonly string[] {
  const counted = trigramsOf(segment).map((trigram) => ({
    trigram,
    seen: texts.filter((text) => text.includes(trigram)).length,
  }));
  const chosen: string[] = [];
  let left = texts;
  for (const { trigram } of counted.toSorted((a, b) => a.seen - b.seen)) {
    if (chosen.length === most) break;
    const fewer = left.filter((text) => text.includes(trigram));
    if (chosen.length > 0 && left.length >= enough && fewer.length === left.length) continue;
    chosen.push(trigram);
    left = fewer;
  }
  return chosen;
}

function trigramsOf(segment: string): readonly string[] {
  const characters = Array.from(segment);
  const trigrams = characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
  // From both ends in turn: among equally rare trigrams, distant ones narrow down most.
  const turns = trigrams.map((_, index) => trigrams.at(index % 2 === 0 ? index / 2 : -(index + 1) / 2) ?? '');
  return [...new Set(turns)];
}

const quoted = (text: string): string => `"${text}"`;
