// The SQL of PostgreSQL: everything has a type, and a cast that does not fit fails the whole query, so each is checked first.
import { sql } from 'kysely';
import { largestAmount, largestInteger, type Sql, type SqlDialect } from '#src/store/sql-dialect.ts';

const utc = (time: Sql): Sql => sql`(${time} at time zone 'UTC')`;
const inner = (json: Sql): Sql => sql`(${json} #>> '{}')`;
const written = (json: Sql): Sql => sql`case when jsonb_typeof(${json}) = 'string' then ${inner(json)} end`;
const member = (json: Sql, name: string): Sql =>
  sql`(case when jsonb_typeof(${json} -> ${sql.lit(name)}) = 'string' then ${json} ->> ${sql.lit(name)} end)`;

const joins = { join: sql`join`, 'left join': sql`left join` };

const elements = (json: Sql): Sql =>
  sql`jsonb_array_elements(case when jsonb_typeof(${json}) = 'array' then ${json} else '[]'::jsonb end)`;

export const postgresDialect: SqlDialect = {
  // `xmin` has the lower 32 bits of the number of the transaction.
  isOfAnother: sql`xmin::text <> (txid_current() & 4294967295)::text`,
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
  values: (texts) => sql`select unnest(${texts}::text[])`,
  list: (text) => sql`coalesce(jsonb_agg(${text} order by ${text} collate "C"), '[]'::jsonb)`,
  listOf: (text = sql``) => sql`jsonb_build_array(${text})`,
  texts: (list, alias) => sql`jsonb_array_elements_text(${list}) as ${sql.id(alias)}(value)`,
  // An index is used only in its collation. Two queries instead of an `or`, which would read the whole index of the address first.
  // The lengths are always equal; without them PostgreSQL expects thousands of rows, and clears a hash table of that size for each contact.
  lookUpAddress(table, { address, as }) {
    const lowered = sql`lower(same.email collate "C")`;
    const rows = sql`select same.* from ${sql.table(table)} as same`;
    return sql`cross join lateral (${rows} where same.email = (${address} collate "default")
      union all ${rows} where same.email <> ${lowered} and ${lowered} = ${address}
        and length(same.email) = length(${address})) as ${sql.id(as)}`;
  },
  sortedPart: (select, column) => sql`(${select} order by ${sql.ref(column)})`,
  limitsRecursion: false,
  jsonText: (column) => sql`${column}::text`,
  hasUserAmong: (list, users) =>
    sql`exists (select 1 from jsonb_path_query(${list}, 'lax $[*].user') as host where host #>> '{}' in (${users}))`,
  now: sql`now()`,
  bytes: (text) => sql`(${text} collate "C")`,
  secondsBetween: (from, to) => sql`(floor(date_part('epoch', ${to})) - floor(date_part('epoch', ${from})))::bigint`,
  epoch: (time) => sql`floor(date_part('epoch', ${time}))::bigint`,
  month: (time) => sql`to_char(${utc(time)}, 'YYYY-MM')`,
  day: (time) => sql`${utc(time)}::date`,
  hour: (time) => sql`to_char(${utc(time)}, 'HH24')`,
  weekday: (time) => sql`extract(isodow from ${utc(time)})::integer`,
  later: (time, seconds) => sql`(date_trunc('second', ${time}) + ${seconds} * interval '1 second')`,
  minute: (time) => sql`to_char(${utc(time)}, 'YYYY-MM-DD"T"HH24:MI')`,
  textAt: (json, { index, name }) => member(index === undefined ? json : sql`(${json} -> ${sql.lit(index)})`, name),
  items: (json) => sql`lateral ${elements(json)} with ordinality as item(value, position)`,
  distinctItems(json, name) {
    const text = member(sql`listed.value`, name);
    return sql`lateral (select distinct on (${text}) listed.value from ${elements(json)} with ordinality as listed(value, position)
      where ${text} is not null order by ${text}, listed.position desc) as item`;
  },
  itemPosition: sql`item.position`,
  itemText: (name) => member(sql`item.value`, name),
  itemJson: (name) => sql`nullif(item.value -> ${sql.lit(name)}, 'null'::jsonb)`,
  itemIsTrue: (name) => sql`(item.value -> ${sql.lit(name)} is not distinct from 'true'::jsonb)`,
  item: sql`(${written(sql`item.value`)})`,
  greatest: (numbers) => sql`greatest(${sql.join(numbers)})`,
  asText: (value) => sql`${value}::text`,
  ratio: (part, whole) => sql`((${part})::double precision / nullif(${whole}, 0))`,
  sumOfMoney: (amount) =>
    sql`round(sum((case when abs(${amount}) < ${sql.lit(largestAmount)} then ${amount} end)::numeric), 4)::double precision`,
  // The server computes the columns that are read, and leaves out the join where none is.
  customFields(list, fields) {
    const last = (uri: string) => sql`(max(listed.position) filter (where listed.uri = ${sql.lit(uri)}) - 1)::integer`;
    const columns = fields.map(
      ({ uri, name }) => sql`nullif(${list} -> ${last(uri)} -> 'value', 'null'::jsonb) as ${sql.id(name)}`,
    );
    const listed = sql`select value ->> 'uri' as uri, position from ${elements(list)} with ordinality as item(value, position) offset 0`;
    return {
      join: sql`left join lateral (select ${sql.join(columns)} from (${listed}) as listed) as fields on true`,
      value: ({ name }) => sql.id('fields', name),
    };
  },
  custom: {
    text: written,
    number: (value) => sql`case when jsonb_typeof(${value}) = 'number' then (${value})::double precision end`,
    integer: (value) =>
      sql`case when jsonb_typeof(${value}) = 'number' then case when (${value})::numeric % 1 = 0
        and abs((${value})::numeric) <= ${largestInteger} then (${value})::bigint end end`,
    flag: (value) => sql`case when jsonb_typeof(${value}) = 'boolean' then (${value})::boolean end`,
    // The JSON path knows the calendar and refuses 30 February without an error. It also accepts 2026-3-1, but writes it differently.
    date: (value) =>
      sql`case when jsonb_path_query_first(${value}, '$.datetime("yyyy-mm-dd")', silent => true) #>> '{}' = ${inner(value)}
        and length(${inner(value)}) = 10 then ${inner(value)}::date end`,
    tags: (value) =>
      sql`case when jsonb_typeof(${value}) = 'array' then
        case when not jsonb_path_exists(${value}, 'strict $[*] ? (@.type() != "string")') then ${value} end end`,
    // The labels by UUID do not depend on the row, so the server puts them together once.
    option: (value, options) =>
      sql`(select jsonb_object_agg(option.value ->> 'uuid', coalesce(option.value ->> 'label', option.value ->> 'uuid') order by option.place desc)
        from jsonb_array_elements(${options}) with ordinality as option(value, place)
        where option.value ->> 'uuid' is not null) ->> (${written(value)})`,
    anyText: (value) => sql`coalesce(${written(value)}, ${value}::text)`,
  },
};
