// Contact search on SQLite: one index has all that a search compares, and is read from one end to the other.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { likePattern, type ContactSearch } from '#src/store/contract.ts';

export const sqliteContactSearch: ContactSearch = {
  contains: (column, segments) => anyOf(segments.map((segment) => containsText(sql.ref(column), segment))),
  // No index has the time of the last update: SQLite would read the rows of all contacts instead of the index alone.
  narrowed: async (_db, { order, condition }) =>
    order === 'created_at' ? condition : sql`rowid in (select rowid from ${sql.table('contacts')} where ${condition})`,
  missing: async () => [],
};

/** `like` is twice as fast, and knows the cases of A to Z only. */
function containsText(text: RawBuilder<unknown>, segment: string): RawBuilder<SqlBool> {
  const letters = Array.from(segment);
  return letters.some((letter) => letter > '\u007f' && casesOf(letter).length > 1)
    ? sql<SqlBool>`${text} glob ${`*${letters.map(globPattern).join('')}*`}`
    : sql<SqlBool>`${text} like ${likePattern(segment)} escape '\\'`;
}

function globPattern(letter: string): string {
  const cases = casesOf(letter);
  return cases.length > 1 || '*?['.includes(letter) ? `[${cases.join('')}]` : letter;
}

/** A letter in its cases, each of which is one letter too. */
function casesOf(letter: string): readonly string[] {
  const lower = letter.toLowerCase();
  const cases = [letter, lower, letter.toUpperCase(), lower.toUpperCase()].filter(
    (each) => each.toLowerCase() === lower,
  );
  return [...new Set([...cases, ...(withoutOneCase[letter] ?? [])])];
}

const withoutOneCase: Readonly<Record<string, readonly string[]>> = {
  σ: ['ς'],
  Σ: ['ς'],
  ς: ['σ', 'Σ'],
  ß: ['ẞ'],
};

/** As a tree: SQLite refuses a thousand conditions in a row. */
function anyOf(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  const [first = sql<SqlBool>`1 = 0`] = conditions;
  if (conditions.length <= 1) return first;
  const half = Math.ceil(conditions.length / 2);
  return sql<SqlBool>`(${anyOf(conditions.slice(0, half))} or ${anyOf(conditions.slice(half))})`;
}
