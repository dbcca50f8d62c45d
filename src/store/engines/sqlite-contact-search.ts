// Contact search on SQLite: triggers index the texts of `contact_search` by FTS5's trigrams.
import { sql, type SqlBool } from 'kysely';
import { likePattern, type ContactSearch } from '#src/store/contract.ts';

export const sqliteContactSearch: ContactSearch = {
  contains(column, segments) {
    const indexed = segments.filter(hasTrigrams).map((segment) => `"${segment.replaceAll('"', '""')}"`);
    const short = segments.filter((segment) => !hasTrigrams(segment)).flatMap(bothCases);
    const isIndexed = sql`contact_search.id in (select rowid from contact_search_texts
      where contact_search_texts match ${`${column} : (${indexed.join(' OR ')})`})`;
    const hasShort = sql`exists (select 1 from json_each(${JSON.stringify(short.map(likePattern))}) as pattern
      where ${sql.ref(`contact_search.${column}`)} like pattern.value escape '\\')`;
    const conditions = [...(indexed.length > 0 ? [isIndexed] : []), ...(short.length > 0 ? [hasShort] : [])];
    return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
  },
  missing: async () => [],
};

const hasTrigrams = (segment: string): boolean => Array.from(segment).length >= 3;

/** Of one or two letters: `like` knows the case of ASCII letters only. */
const bothCases = (segment: string): readonly string[] =>
  Array.from(segment).reduce<readonly string[]>(
    (spellings, letter) =>
      [...new Set([letter.toLowerCase(), letter.toUpperCase()])].flatMap((each) =>
        spellings.map((text) => text + each),
      ),
    [''],
  );
