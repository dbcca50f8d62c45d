-- A role for BI tools that reads the tables and views of Slotstream and changes nothing. Run it with psql in the database of the mirror, as
-- a superuser, or as the owner of the tables if that one may create roles. Where DATABASE_SCHEMA is set, add -v schema=NAME.
\if :{?schema}
\else
\set schema slotstream
\endif
set search_path = :"schema";
create role slotstream_reader login password 'choose-one';
alter role slotstream_reader set search_path = :"schema";
alter role slotstream_reader set default_transaction_read_only = on;
alter role slotstream_reader set statement_timeout = '5min';
alter role slotstream_reader set idle_in_transaction_session_timeout = '1min';
grant usage on schema :"schema" to slotstream_reader;
grant select on all tables in schema :"schema" to slotstream_reader;
-- Tables and views of later versions too: default privileges belong to the role that creates them.
select format('alter default privileges for role %I in schema %I grant select on tables to slotstream_reader', tableowner, schemaname)
  from pg_tables where schemaname = :'schema' and tablename = 'contacts' \gexec
-- The raw payloads, the quarantine included, and internal state such as the key that hashes erased addresses.
revoke select on event_log, key_values from slotstream_reader;
