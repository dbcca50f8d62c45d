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
-- Compiling a view of bookings takes PostgreSQL longer than reading it: seconds, where `jit` is on as by default.
alter role slotstream_reader set jit = off;
alter role slotstream_reader set statement_timeout = '5min';
alter role slotstream_reader set idle_in_transaction_session_timeout = '1min';
grant usage on schema :"schema" to slotstream_reader;
grant select on all tables in schema :"schema" to slotstream_reader;
-- Tables and views of later versions too: default privileges belong to the role that creates them.
select format('alter default privileges for role %I in schema %I grant select on tables to slotstream_reader', tableowner, schemaname)
  from pg_tables where schemaname = :'schema' and tablename = 'contacts' \gexec
-- Not the raw payloads (`event_log.body`), the record of actions, and what only the program may read, such as the keys of answer links and of
-- erased addresses. Of the log it reads columns by their names: `select *` is refused there.
-- rights: made by `npm run tables`
revoke select on admin_actions, key_values, sync_checkpoints from slotstream_reader;
revoke select on event_log from slotstream_reader;
grant select (seq, delivery_id, source, event, subject_uri, occurred_at, received_at, outcome, reason, duplicates, changes, encoding, tie, redacted, dismissed_at)
  on event_log to slotstream_reader;
-- /rights
