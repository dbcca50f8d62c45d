-- Keeps a copy of `contacts` in another PostgreSQL database, from the feed with the rows after each change. Once:
--
--   create table feed_lines (line jsonb not null);
--   create table feed_position as select 0::bigint as seq;
--
-- Then as often as you like. The position is written with the rows, so a load that fails or is stopped is repeated, and nothing is lost:
--
--   ./bin/slotstream feed --after "$(psql "$WAREHOUSE_URL" -Atc 'select seq from feed_position')" --include row |
--     psql "$WAREHOUSE_URL" -v ON_ERROR_STOP=1 \
--     -c "copy feed_lines from stdin with (format csv, quote e'\x01', delimiter e'\x02')" -f docs/examples/upsert_from_feed.sql
--
-- Another table works the same way: replace its name and its columns.
begin;

create table if not exists contacts_copy (
  uri text primary key,
  name text,
  primary_email text,
  company text,
  updated_at timestamptz,
  seq bigint not null
);

-- The last entry about each contact counts. A row that is null was deleted.
create temporary table latest on commit drop as
select distinct on (line ->> 'subject_uri')
  line ->> 'subject_uri' as uri,
  (line ->> 'seq')::bigint as seq,
  line -> 'row' -> 'contacts' as contact
from feed_lines
where line -> 'row' ? 'contacts'
order by line ->> 'subject_uri', (line ->> 'seq')::bigint desc;

insert into contacts_copy (uri, name, primary_email, company, updated_at, seq)
select uri, contact ->> 'name', contact ->> 'primary_email', contact ->> 'company', (contact ->> 'updated_at')::timestamptz, seq
from latest
where contact <> 'null'
on conflict (uri) do update
set name = excluded.name, primary_email = excluded.primary_email, company = excluded.company,
  updated_at = excluded.updated_at, seq = excluded.seq
where contacts_copy.seq < excluded.seq;

delete from contacts_copy using latest
where latest.uri = contacts_copy.uri and latest.contact = 'null' and contacts_copy.seq < latest.seq;

update feed_position set seq = greatest(seq, (select max((line ->> 'seq')::bigint) from feed_lines));
delete from feed_lines;

commit;
