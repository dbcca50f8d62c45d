-- DuckDB: keeps a table of contacts from incremental exports. Each run of this command writes the changes since the last one:
--
--   ./bin/slotstream export contacts --incremental --out exports/contacts-$(date +%s).parquet
--
-- Then, in the folder above `exports`:
--
--   duckdb warehouse.duckdb -c "set variable files = 'exports/contacts-*.parquet'" -f docs/examples/upsert_from_exports.sql
--
-- Loading a file twice changes nothing, so the files can stay.
create table if not exists contacts_copy (
  uri varchar primary key,
  name varchar,
  primary_email varchar,
  company varchar,
  updated_at timestamptz,
  deleted_at timestamptz
);

-- The last row of each contact counts: in the last file, and in that file the last one.
insert or replace into contacts_copy
select uri, name, primary_email, company, updated_at, deleted_at
from read_parquet(getvariable('files'), filename = true, file_row_number = true, union_by_name = true)
qualify row_number() over (partition by uri order by filename desc, file_row_number desc) = 1;
