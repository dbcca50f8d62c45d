// The SQL of PostgreSQL: everything has a type, and a cast that does not fit fails the whole query, so each is checked first.
import { sql } from 'kysely';
import type { SqlDialect } from '#src/store/sql-dialect.ts';

export const postgresDialect: SqlDialect = {
  // `xmin` has the lower 32 bits of the number of the transaction.
  isOfAnother: sql`xmin::text <> (txid_current() & 4294967295)::text`,
  time: (text) => sql`${text}::timestamptz`,
  now: sql`now()`,
  lowerCase: (column) => sql`lower(${sql.ref(column)} collate "C")`,
  plainCase: (text) => sql`lower(trim(${text}) collate "C")`,
  bytes: (text) => sql`(${text} collate "C")`,
  lastCharacters: (column, count) => sql`right(${sql.ref(column)}, ${sql.lit(count)})`,
  values: (texts) => sql`select unnest(${texts}::text[])`,
  jsonText: (column) => sql`${column}::text`,
  hasUserAmong: (list, users) =>
    sql`exists (select 1 from jsonb_path_query(${list}, 'lax $[*].user') as host where host #>> '{}' in (${users}))`,
  items: (json) =>
    sql`lateral jsonb_array_elements(case when jsonb_typeof(${json}) = 'array' then ${json} else '[]'::jsonb end)
      with ordinality as item(value, position)`,
  itemText: (name) =>
    sql`(case when jsonb_typeof(item.value -> ${sql.lit(name)}) = 'string' then item.value ->> ${sql.lit(name)} end)`,
};
