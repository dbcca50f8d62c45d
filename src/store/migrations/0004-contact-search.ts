// The search of contacts by trigrams. It never changes once it is released: a later version adds a migration.
//
//   contacts ──triggers──▶ contact_search ──triggers on SQLite──▶ contact_search_texts
//
// A table of its own: its indexes change with every update of a contact, and those of `contacts` must not. Its rows on SQLite have a
// number of their own, because `vacuum` renumbers others, and the trigrams name a row by its number.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

const texts = ['name', 'job_title', 'company', 'city'];
const columns = ['uri', 'created_at', 'updated_at', ...texts, 'timezone', 'country', 'state'];
const list = columns.join(', ');
const valuesIn = (row: string, names: readonly string[]) => names.map((name) => `${row}.${name}`).join(', ');
const replacing = `on conflict (uri) do update set ${columns
  .slice(1)
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')}`;
const fill = [
  'delete from contact_search',
  `insert into contact_search (${list}) select ${list} from contacts where deleted_at is null`,
  `delete from key_values where key in ('contact search', 'lease contact search', 'lease clear contact search')`,
];

// Once per statement, which writes many contacts. `from current`: for those who write contacts with another search path.
const changed = (event: string) =>
  `create trigger contact_search_${event} after ${event} on contacts referencing new table as changed
    for each statement execute function contact_search_copy()`;
const onPostgres = [
  ...['country', 'state', 'timezone'].map((name) => `drop index contact_search_${name}`),
  'alter table contact_search drop column words',
  // They tell a rare text from a frequent one.
  ...texts.map((name) => `alter table contact_search alter column ${name} set statistics 1000`),
  `create function contact_search_copy() returns trigger language plpgsql set search_path from current as $$ begin
    insert into contact_search (${list}) select ${list} from changed where deleted_at is null ${replacing};
    delete from contact_search using changed where contact_search.uri = changed.uri and changed.deleted_at is not null;
    return null; end $$`,
  `create function contact_search_remove() returns trigger language plpgsql set search_path from current as $$ begin
    delete from contact_search using removed where contact_search.uri = removed.uri; return null; end $$`,
  changed('insert'),
  changed('update'),
  `create trigger contact_search_delete after delete on contacts referencing old table as removed
    for each statement execute function contact_search_remove()`,
  ...fill,
];

const copy = `insert into contact_search (${list}) values (${valuesIn('new', columns)}) ${replacing};`;
const remove = (row: string) => `delete from contact_search where uri = ${row}.uri;`;
const unindex = `insert into contact_search_texts (contact_search_texts, rowid, ${texts.join(', ')})
  values ('delete', old.id, ${valuesIn('old', texts)});`;
const index = `insert into contact_search_texts (rowid, ${texts.join(', ')}) values (new.id, ${valuesIn('new', texts)});`;
const areOthers = texts.map((name) => `old.${name} is not new.${name}`).join(' or ');
const onSqlite = [
  ...['added', 'changed', 'removed'].map((name) => `drop trigger contact_search_${name}`),
  'drop table contact_search_trigrams',
  'drop view contact_search_words',
  'alter table contact_search drop column words',
  // Without `secure-delete`, which takes longer the more contacts there are: the scrub of the file removes what deleting leaves here too.
  `create virtual table contact_search_texts using fts5(${texts.join(', ')}, content = 'contact_search', content_rowid = 'id',
    tokenize = 'trigram', columnsize = 0)`,
  `create trigger contact_search_texts_added after insert on contact_search begin ${index} end`,
  `create trigger contact_search_texts_changed after update on contact_search when ${areOthers} begin ${unindex} ${index} end`,
  `create trigger contact_search_texts_removed after delete on contact_search begin ${unindex} end`,
  `create trigger contact_search_added after insert on contacts when new.deleted_at is null begin ${copy} end`,
  `create trigger contact_search_changed after update on contacts when new.deleted_at is null begin ${copy} end`,
  `create trigger contact_search_deleted after update on contacts when new.deleted_at is not null begin ${remove('new')} end`,
  `create trigger contact_search_removed after delete on contacts begin ${remove('old')} end`,
  // Rows of the earlier search have no trigrams here that could be removed.
  `insert into contact_search_texts (contact_search_texts) values ('rebuild')`,
  ...fill,
];

export function contactSearch({ engine }: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      for (const statement of engine === 'sqlite' ? onSqlite : onPostgres) await sql.raw(statement).execute(db);
    },
  };
}
