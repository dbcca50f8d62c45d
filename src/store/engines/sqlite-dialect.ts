// The SQL of SQLite: times are text, JSON is text, flags are 0 and 1.
import { sql } from 'kysely';
import type { SqlDialect } from '#src/store/sql-dialect.ts';

export const sqliteDialect: SqlDialect = {
  isOfAnother: sql`false`,
  time: (text) => sql`${text}`,
  // A query of its own is computed once, not for every row.
  now: sql`(select strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))`,
  lowerCase: (column) => sql`lower(${sql.ref(column)})`,
  plainCase: (text) => sql`lower(trim(${text}))`,
  bytes: (text) => text,
  lastCharacters: (column, count) => sql`substr(${sql.ref(column)}, ${sql.lit(-count)})`,
  values: (texts) => sql`select value from json_each(${JSON.stringify(texts)})`,
  jsonText: (column) => column,
  hasUserAmong: (list, users) =>
    sql`exists (select 1 from json_each(${list}) as host
        where case when host.type = 'object' then host.value ->> 'user' end in (${users}))`,
  items: (json) => sql`json_each(case when json_type(${json}) = 'array' then ${json} else '[]' end) as item`,
  // One in the other, not `and`: a plain text read as JSON is an error, not a null.
  itemText(name) {
    const path = sql.lit(`$.${name}`);
    return sql`case json_type(case item.type when 'object' then item.value end, ${path}) when 'text' then item.value ->> ${path} end`;
  },
};
