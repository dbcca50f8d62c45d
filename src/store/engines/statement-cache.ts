// Keeps the prepared statements of a SQLite connection: preparing one costs more than running it.
import type Sqlite from 'better-sqlite3';

const mostCached = 256;

export function cachedStatements(database: Sqlite.Database): (sql: string) => Sqlite.Statement {
  const statements = new Map<string, Sqlite.Statement>();
  return (sql) => {
    const cached = statements.get(sql);
    if (cached) return cached;
    const statement = database.prepare(sql);
    const [oldest] = statements.keys();
    if (oldest !== undefined && statements.size >= mostCached) statements.delete(oldest);
    statements.set(sql, statement);
    return statement;
  };
}
