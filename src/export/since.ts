// `--since`: which rows changed at or after a moment, by the times they tell themselves.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { SlotstreamError } from '#src/base/errors.ts';
import { parentOf, type Source } from './source.ts';

/** `at`: UTC, six fractional digits. */
export function changedSince(source: Source, at: string): RawBuilder<SqlBool> {
  const { changed, ended, parent } = source.lineage;
  if (changed !== undefined) {
    const conditions = [
      laterThan(source, changed, at),
      ...(ended === undefined ? [] : [laterThan(source, [ended], at)]),
    ];
    return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
  }
  const hangsOn = parentOf(source);
  if (hangsOn === undefined || parent === undefined)
    throw new SlotstreamError(
      'usage',
      `The rows of ${source.name} have no time of their own, so --since has nothing to compare.`,
      {
        hint: 'Leave --since out: the whole of it is exported.',
      },
    );
  const changedParents = changedSince(hangsOn, at);
  return sql<SqlBool>`${sql.id(parent.key)} in (select uri from ${sql.table(parent.table)} where ${changedParents})`;
}

function laterThan({ columns }: Source, names: readonly string[], at: string): RawBuilder<SqlBool> {
  const [only] = names;
  const told =
    names.length === 1 ? sql.id(only as string) : sql`coalesce(${sql.join(names.map((name) => sql.id(name)))})`;
  return sql<SqlBool>`${told} >= ${columns[only as string] === 'date' ? at.slice(0, 10) : at}`;
}
