// The SQL expressions of bookings and of numbers about them that SQLite and PostgreSQL write differently. They are here, and not in
// `SqlDialect`, because views are to take their place: nothing else uses them, and nothing is added to them.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { StoreEngine } from '#src/store/contract.ts';
import type { Sql } from '#src/store/sql-dialect.ts';

export interface BookingSql {
  /**
   * Joins the rows of a table that meet a condition, row by row through an index. PostgreSQL would read the whole table where it expects
   * many rows.
   */
  lookUp(join: 'join' | 'left join', table: string, on: Sql): Sql;
  /** From one time to another in whole seconds, each time cut to its second. */
  secondsBetween(from: Sql, to: Sql): Sql;
  /** Whole seconds since 1970. */
  epoch(time: Sql): Sql;
  /** `2025-04-14T09:30` in UTC. */
  minute(time: Sql): Sql;
  /** A member of a JSON object, or of the object at an index of a JSON list; null where it is no text. */
  textAt(json: Sql, path: { readonly index?: number; readonly name: string }): Sql;
  /** As `SqlDialect.items`, without items that have no text in a member; of those with the same text, the last. */
  distinctItems(json: Sql, name: string): Sql;
  itemIsTrue(name: string): RawBuilder<SqlBool>;
  /** The text that `item` is; null where it is no text. */
  readonly item: Sql;
}

const member = (json: Sql, name: string): Sql =>
  sql`(case when jsonb_typeof(${json} -> ${sql.lit(name)}) = 'string' then ${json} ->> ${sql.lit(name)} end)`;

export const bookingSql: Readonly<Record<StoreEngine['name'], BookingSql>> = {
  postgres: {
    // The planner does not look behind the offset.
    lookUp(join, table, on) {
      const found = sql`select * from ${sql.table(table)} where ${on} offset 0`;
      return sql`${join === 'join' ? sql`join` : sql`left join`} lateral (${found}) as ${sql.ref(table)} on true`;
    },
    secondsBetween: (from, to) => sql`(floor(date_part('epoch', ${to})) - floor(date_part('epoch', ${from})))::bigint`,
    epoch: (time) => sql`floor(date_part('epoch', ${time}))::bigint`,
    minute: (time) => sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI')`,
    textAt: (json, { index, name }) => member(index === undefined ? json : sql`(${json} -> ${sql.lit(index)})`, name),
    distinctItems(json, name) {
      const text = member(sql`listed.value`, name);
      const list = sql`case when jsonb_typeof(${json}) = 'array' then ${json} else '[]'::jsonb end`;
      return sql`lateral (select distinct on (${text}) listed.value
        from jsonb_array_elements(${list}) with ordinality as listed(value, position)
        where ${text} is not null order by ${text}, listed.position desc) as item`;
    },
    itemIsTrue: (name) => sql`(item.value -> ${sql.lit(name)} is not distinct from 'true'::jsonb)`,
    item: sql`(case when jsonb_typeof(item.value) = 'string' then item.value #>> '{}' end)`,
  },
  sqlite: {
    // A cross join is made in the order in which it is written.
    lookUp: (join, table, on) =>
      sql`${join === 'join' ? sql`cross join` : sql`left join`} ${sql.table(table)} on ${on}`,
    secondsBetween: (from, to) => sql`(unixepoch(${to}) - unixepoch(${from}))`,
    epoch: (time) => sql`unixepoch(${time})`,
    minute: (time) => sql`substr(${time}, 1, 16)`,
    textAt(json, { index, name }) {
      const path = sql.lit(`$${index === undefined ? '' : `[${index}]`}.${name}`);
      return sql`(case when json_type(${json}, ${path}) = 'text' then ${json} ->> ${path} end)`;
    },
    // With `max`, the other columns are those of the row that has it.
    distinctItems(json, name) {
      const path = sql.lit(`$.${name}`);
      const list = sql`case when json_type(${json}) = 'array' then ${json} else '[]' end`;
      return sql`json_each((select json_group_array(json(newest.value)) from (select listed.value, max(listed.key)
        from json_each(${list}) as listed
        where json_type(case listed.type when 'object' then listed.value end, ${path}) = 'text'
        group by listed.value ->> ${path}) as newest)) as item`;
    },
    itemIsTrue: (name) =>
      sql`(coalesce(case when item.type = 'object' then json_type(item.value, ${sql.lit(`$.${name}`)}) end, '') = 'true')`,
    item: sql`case item.type when 'text' then item.value end`,
  },
};
