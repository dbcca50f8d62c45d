// The SQL of SQLite: times are text, JSON is text, flags are 0 and 1.
import { sql } from 'kysely';
import { largestAmount, largestInteger, type Sql, type SqlDialect } from '#src/store/sql-dialect.ts';

const written = (json: Sql): Sql => sql`case when json_type(${json}) = 'text' then ${json} ->> '$' end`;

/** A cross join is made in the order in which it is written. */
const joins = { join: sql`cross join`, 'left join': sql`left join` };

export const sqliteDialect: SqlDialect = {
  isOfAnother: sql`false`,
  time: (text) => sql`${text}`,
  lowerCase: (column) => sql`lower(${sql.ref(column)})`,
  plainCase: (text) => sql`lower(trim(${text}))`,
  comparable: (text) => text,
  lastCharacters: (column, count) => sql`substr(${sql.ref(column)}, ${sql.lit(-count)})`,
  lookUp: (join, table, { on, as = table }) => sql`${joins[join]} ${sql.table(table)} as ${sql.ref(as)} on ${on}`,
  // There are no lateral joins, but the argument of a table-valued function may be a query about the row.
  oneRow(alias, { values, with: common = sql``, from }) {
    const list = Object.entries(values).map(([name, value]) => sql`${sql.lit(name)}, ${value}`);
    const row = sql`${common} select json_array(json_object(${sql.join(list)})) ${from}`;
    return {
      join: sql`cross join json_each((${row})) as ${sql.id(alias)}`,
      value: (name) => sql`(${sql.id(alias)}.value ->> ${sql.lit(`$.${name}`)})`,
    };
  },
  values: (texts) => sql`select value from json_each(${JSON.stringify(texts)})`,
  list: (text) => sql`json_group_array(${text})`,
  listOf: (text = sql``) => sql`json_array(${text})`,
  texts: (list, alias) => sql`json_each(${list}) as ${sql.id(alias)}`,
  lookUpAddress(table, { address, as }) {
    const email = sql.ref(`${as}.email`);
    return sql`cross join ${sql.table(table)} as ${sql.id(as)}
      on (${email} = ${address} or (${email} <> lower(${email}) and lower(${email}) = ${address}))`;
  },
  sortedPart: (select) => select,
  limitsRecursion: true,
  jsonText: (column) => column,
  hasUserAmong: (list, users) =>
    sql`exists (select 1 from json_each(${list}) as host
        where case when host.type = 'object' then host.value ->> 'user' end in (${users}))`,
  // A query of its own is computed once, not for every row.
  now: sql`(select strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))`,
  bytes: (text) => text,
  secondsBetween: (from, to) => sql`(unixepoch(${to}) - unixepoch(${from}))`,
  epoch: (time) => sql`unixepoch(${time})`,
  month: (time) => sql`substr(${time}, 1, 7)`,
  day: (time) => sql`substr(${time}, 1, 10)`,
  hour: (time) => sql`substr(${time}, 12, 2)`,
  weekday: (time) => sql`((cast(strftime('%w', ${time}) as integer) + 6) % 7 + 1)`,
  later: (time, seconds) => sql`strftime('%Y-%m-%dT%H:%M:%SZ', substr(${time}, 1, 19), ${seconds} || ' seconds')`,
  minute: (time) => sql`substr(${time}, 1, 16)`,
  textAt(json, { index, name }) {
    const path = sql.lit(`$${index === undefined ? '' : `[${index}]`}.${name}`);
    return sql`(case when json_type(${json}, ${path}) = 'text' then ${json} ->> ${path} end)`;
  },
  items: (json) => sql`json_each(case when json_type(${json}) = 'array' then ${json} else '[]' end) as item`,
  // With `max`, the other columns are those of the row that has it.
  distinctItems(json, name) {
    const path = sql.lit(`$.${name}`);
    return sql`json_each((select json_group_array(json(newest.value)) from (select listed.value, max(listed.key)
      from json_each(case when json_type(${json}) = 'array' then ${json} else '[]' end) as listed
      where json_type(case listed.type when 'object' then listed.value end, ${path}) = 'text'
      group by listed.value ->> ${path}) as newest)) as item`;
  },
  itemPosition: sql`(item.key + 1)`,
  // One in the other, not `and`: a plain text read as JSON is an error, not a null.
  itemText(name) {
    const path = sql.lit(`$.${name}`);
    return sql`case json_type(case item.type when 'object' then item.value end, ${path}) when 'text' then item.value ->> ${path} end`;
  },
  itemJson(name) {
    const member = sql`case item.type when 'object' then item.value -> ${sql.lit(`$.${name}`)} end`;
    return sql`nullif(${member}, 'null')`;
  },
  itemIsTrue: (name) =>
    sql`(coalesce(case when item.type = 'object' then json_type(item.value, ${sql.lit(`$.${name}`)}) end, '') = 'true')`,
  item: sql`case item.type when 'text' then item.value end`,
  greatest: (numbers) => sql`max(${sql.join(numbers)})`,
  asText: (value) => sql`cast(${value} as text)`,
  ratio: (part, whole) => sql`(cast(${part} as real) / nullif(${whole}, 0))`,
  sumOfMoney: (amount) => sql`round(sum(case when abs(${amount}) < ${sql.lit(largestAmount)} then ${amount} end), 4)`,
  // One object per contact; of a name that it has twice, a path finds the first.
  customFields: (list) => ({
    join: sql`cross join json_each((select json_array(json_group_object(listed.value ->> '$.uri', listed.value -> '$.value'))
      from (select item.value from ${sqliteDialect.items(list)}
        where case item.type when 'object' then item.value ->> '$.uri' end is not null order by item.key desc) as listed)) as fields`,
    value: ({ uri }) => sql`nullif(fields.value -> ${sql.lit(`$.${JSON.stringify(uri)}`)}, 'null')`,
  }),
  custom: {
    text: written,
    number: (value) =>
      sql`case when json_type(${value}) in ('integer', 'real') then cast(${value} ->> '$' as real) end`,
    integer: (value) =>
      sql`case when json_type(${value}) = 'integer' then
        case when abs(${value} ->> '$') <= ${largestInteger} then ${value} ->> '$' end end`,
    flag: (value) => sql`case json_type(${value}) when 'true' then 1 when 'false' then 0 end`,
    // SQLite makes 2 March of 30 February instead of answering null.
    date: (value) =>
      sql`case when json_type(${value}) = 'text' and ${value} ->> '$' glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'
        and ${value} ->> '$' >= '0001' and date(${value} ->> '$', '+0 days') = ${value} ->> '$' then ${value} ->> '$' end`,
    tags: (value) =>
      sql`case when json_type(${value}) = 'array' then case when not exists
        (select 1 from json_each(${value}) as tag where tag.type <> 'text') then ${value} end end`,
    option: (value, options) =>
      sql`(select coalesce(option.value ->> '$.label', option.value ->> '$.uuid') from json_each(${options}) as option
        where option.value ->> '$.uuid' = ${written(value)} order by option.key limit 1)`,
    anyText: (value) => sql`case when json_type(${value}) = 'text' then ${value} ->> '$' else ${value} end`,
  },
};
