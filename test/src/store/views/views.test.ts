// The text of the views, which other programs parse when they open a SQLite file.
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { expect, it } from 'vitest';
import { sqliteDialect } from '#src/store/engines/sqlite-dialect.ts';
import { viewsFor } from '#src/store/views/views.ts';

const compiler = new Kysely({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** How many parentheses and cases are open at once, at most. */
function nesting(text: string): number {
  let [open, most] = [0, 0];
  for (const [token] of text.matchAll(/'[^']*'|"[^"]*"|[()]|\b(?:case|end)\b/g)) {
    if (token === '(' || token === 'case') open += 1;
    else if (token === ')' || token === 'end') open -= 1;
    most = Math.max(most, open);
  }
  expect(open).toBe(0);
  return most;
}

// SQLite before 3.46 parses with a stack of 100 symbols. One view that needs more makes the whole file unreadable ("malformed database
// schema"). SQLite 3.40 reads a view of 18 levels inside another select, and refuses one of 22.
it.each(viewsFor([]))('$name is not nested too deeply for earlier versions of SQLite', (view) => {
  const { sql } = view.select(sqliteDialect, 'America/New_York').compile(compiler);
  expect(nesting(sql)).toBeLessThanOrEqual(19);
});
