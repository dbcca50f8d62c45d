// The SQL of PostgreSQL: everything has a type, and a cast that does not fit fails the whole query, so each is checked first.
import { sql } from 'kysely';
import { absurdAmount, largestInteger, type Sql, type SqlDialect } from '#src/store/sql-dialect.ts';

const utc = (time: Sql): Sql => sql`(${time} at time zone 'UTC')`;
const inner = (json: Sql): Sql => sql`(${json} #>> '{}')`;
const written = (json: Sql): Sql => sql`case when jsonb_typeof(${json}) = 'string' then ${inner(json)} end`;
const numeric = (json: Sql): Sql => sql`${inner(json)}::numeric`;
const member = (json: Sql, name: string): Sql =>
  sql`(case when jsonb_typeof(${json} -> ${sql.lit(name)}) = 'string' then ${json} ->> ${sql.lit(name)} end)`;

const joins = { join: sql`join`, 'left join': sql`left join` };

export const postgresDialect: SqlDialect = {
  time: (text) => sql`${text}::timestamptz`,
  lowerCase: (column) => sql`lower(${sql.ref(column)} collate "C")`,
  plainCase: (text) => sql`lower(trim(${text}) collate "C")`,
  comparable: (text) => sql`(${text} collate "default")`,
  lastCharacters: (column, count) => sql`right(${sql.ref(column)}, ${sql.lit(count)})`,
  // The planner does not look behind the offset.
  lookUp(join, table, { on, as = table }) {
    const found = sql`select * from ${sql.table(table)} as ${sql.ref(as)} where ${on} offset 0`;
    return sql`${joins[join]} lateral (${found}) as ${sql.ref(as)} on true`;
  },
  oneRow(alias, { values, with: common = sql``, from }) {
    const list = Object.entries(values).map(([name, value]) => sql`${value} as ${sql.id(name)}`);
    return {
      join: sql`cross join lateral (${common} select ${sql.join(list)} ${from} offset 0) as ${sql.id(alias)}`,
      value: (name) => sql.id(alias, name),
    };
  },
  list: (text) => sql`coalesce(jsonb_agg(${text} order by ${text} collate "C"), '[]'::jsonb)`,
  listOf: (text = sql``) => sql`jsonb_build_array(${text})`,
  texts: (list, alias) => sql`jsonb_array_elements_text(${list}) as ${sql.id(alias)}(value)`,
  // An index is used only in its collation. Two queries instead of an `or`, which would read the whole index of the address first.
  lookUpAddress(table, { address, as }) {
    const lowered = sql`lower(same.email collate "C")`;
    const rows = sql`select same.* from ${sql.table(table)} as same`;
    return sql`cross join lateral (${rows} where same.email = (${address} collate "default")
      union all ${rows} where same.email <> ${lowered} and ${lowered} = ${address}) as ${sql.id(as)}`;
  },
  sortedPart: (select, column) => sql`(${select} order by ${sql.ref(column)})`,
  limitsRecursion: false,
  jsonText: (column) => sql`${column}::text`,
  hasUserAmong: (list, users) =>
    sql`exists (select 1 from jsonb_path_query(${list}, 'lax $[*].user') as host where host #>> '{}' in (${users}))`,
  now: sql`now()`,
  bytes: (text) => sql`(${text} collate "C")`,
  secondsBetween: (from, to) => sql`(floor(extract(epoch from ${to})) - floor(extract(epoch from ${from})))::bigint`,
  month: (time) => sql`to_char(${utc(time)}, 'YYYY-MM')`,
  day: (time) => sql`${utc(time)}::date`,
  hour: (time) => sql`to_char(${utc(time)}, 'HH24')`,
  weekday: (time) => sql`extract(isodow from ${utc(time)})::integer`,
  later: (time, seconds) => sql`(date_trunc('second', ${time}) + ${seconds} * interval '1 second')`,
  minute: (time) => sql`to_char(${utc(time)}, 'YYYY-MM-DD"T"HH24:MI')`,
  textAt: (json, { index, name }) => member(index === undefined ? json : sql`(${json} -> ${sql.lit(index)})`, name),
  items: (json) =>
    sql`lateral jsonb_array_elements(case when jsonb_typeof(${json}) = 'array' then ${json} else '[]'::jsonb end)
      with ordinality as item(value, position)`,
  itemPosition: sql`item.position`,
  itemText: (name) => member(sql`item.value`, name),
  itemIsTrue: (name) => sql`(item.value -> ${sql.lit(name)} is not distinct from 'true'::jsonb)`,
  item: sql`(${written(sql`item.value`)})`,
  greatest: (numbers) => sql`greatest(${sql.join(numbers)})`,
  asText: (value) => sql`${value}::text`,
  ratio: (part, whole) => sql`((${part})::double precision / nullif(${whole}, 0))`,
  sumOfMoney: (amount) =>
    sql`round(sum((case when abs(${amount}) < ${absurdAmount} then ${amount} end)::numeric), 4)::double precision`,
  // Planning takes longer with each join.
  mostJoinedFields: 24,
  custom: {
    text: written,
    number: (value) => sql`case when jsonb_typeof(${value}) = 'number' then ${inner(value)}::double precision end`,
    integer: (value) =>
      sql`case when jsonb_typeof(${value}) = 'number' then case when ${numeric(value)} % 1 = 0
        and abs(${numeric(value)}) <= ${largestInteger} then ${numeric(value)}::bigint end end`,
    flag: (value) => sql`case when jsonb_typeof(${value}) = 'boolean' then ${inner(value)}::boolean end`,
    // There is no date for 30 February: so count on from the first of the month, and see whether it is the same.
    date(value) {
      const counted = sql`((substr(${inner(value)}, 1, 7) || '-01')::date + (substr(${inner(value)}, 9, 2)::integer - 1))`;
      return sql`case when jsonb_typeof(${value}) = 'string' and ${inner(value)} ~ '^[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}$'
        and substr(${inner(value)}, 1, 4) <> '0000'
        then case when to_char(${counted}, 'YYYY-MM-DD') = ${inner(value)} then ${counted} end end`;
    },
    tags: (value) =>
      sql`case when jsonb_typeof(${value}) = 'array' then case when not exists
        (select 1 from jsonb_array_elements(${value}) as tag(value) where jsonb_typeof(tag.value) <> 'string') then ${value} end end`,
    option: (value, options) =>
      sql`(select coalesce(option.value ->> 'label', option.value ->> 'uuid')
        from jsonb_array_elements(${options}) with ordinality as option(value, place)
        where option.value ->> 'uuid' = ${written(value)} order by option.place limit 1)`,
    anyText: (value) => sql`coalesce(${written(value)}, ${value}::text)`,
  },
};
