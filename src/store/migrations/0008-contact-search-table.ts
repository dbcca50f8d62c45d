// The contact search becomes a table of its own that follows the log, so that writing a contact no longer updates its indexes; and
// indexes that no query needs are dropped. `indexes.ts` names the query of each index that is left.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

const times = ['created_at', 'updated_at'];
const texts = ['name', 'job_title', 'company', 'city', 'timezone', 'country', 'state'];

const unused = [
  'contacts_by_created_at',
  'contacts_by_updated_at',
  'contacts_primary_email',
  'contact_custom_fields_field_uri',
  'invitees_routing_form_submission',
  'no_shows_marked_at',
  'scheduled_events_event_type',
  'routing_form_submissions_routing_form',
  'routing_form_submissions_created_at',
];

export function contactSearchTable(types: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      const run = async (statements: readonly string[]): Promise<void> => {
        for (const statement of statements) await sql.raw(statement).execute(db);
      };
      await run(unused.map((name) => `drop index if exists ${name}`));
      if (types.textSearch === 'fts5') return run(onSqlite(types));
      await run(onPostgres(types));
      await sql`savepoint trigrams`.execute(db);
      try {
        await run(trigramStatements);
      } catch {
        // A user who may not create the extension searches without it: slower, and with the same results. `doctor` reports it.
        await sql`rollback to savepoint trigrams`.execute(db);
      }
    },
  };
}

const columnsOf = (types: StorageTypes): string =>
  [...times.map((name) => `${name} ${types.time}`), ...texts.map((name) => `${name} text`), 'words text'].join(', ');

function onSqlite(types: StorageTypes): readonly string[] {
  const wordsIn = (row: string) => texts.map((_, index) => `json_extract(${row}.words, '$[${index}]')`).join(', ');
  const index = `contact_search_trigrams (rowid, ${texts.join(', ')})`;
  const removal = `insert into contact_search_trigrams (contact_search_trigrams, rowid, ${texts.join(', ')})
    values ('delete', old.id, ${wordsIn('old')});`;
  const addition = `insert into ${index} values (new.id, ${wordsIn('new')});`;
  return [
    ...['told', 'changed', 'forgotten', 'moved', 'removed'].map(
      (name) => `drop trigger if exists contact_search_${name}`,
    ),
    'drop table if exists contact_search',
    'drop table if exists contact_search_texts',
    'drop table if exists contact_search_pending',
    // A number of its own for the trigram index: `vacuum` renumbers rows that have none.
    `create table contact_search (id integer primary key, uri text not null unique, ${columnsOf(types)})`,
    // With all that a search compares, so that a scan in order never touches the rows.
    ...times.map((name) => `create index contact_search_${name} on contact_search (${name}, uri, ${texts.join(', ')})`),
    // `words` is a list of the texts as the index spells them.
    `create view contact_search_words as select id, ${texts
      .map((name, at) => `json_extract(words, '$[${at}]') as ${name}`)
      .join(', ')} from contact_search`,
    // Which contacts hold three letters, and nothing about where: the letters themselves tell the columns apart. Without
    // `secure-delete`, which takes longer the more contacts there are; the scrub of the file removes what deleting leaves here too.
    `create virtual table contact_search_trigrams using fts5(${texts.join(', ')}, content = 'contact_search_words',
      content_rowid = 'id', tokenize = 'trigram case_sensitive 1', detail = none, columnsize = 0)`,
    `create trigger contact_search_added after insert on contact_search begin ${addition} end`,
    `create trigger contact_search_changed after update on contact_search when old.words is not new.words
      begin ${removal} ${addition} end`,
    `create trigger contact_search_removed after delete on contact_search begin ${removal} end`,
  ];
}

/** The statements that create the index on parts of texts, in this order; `doctor` shows them where it is missing. */
export const trigramStatements = [
  'create extension if not exists pg_trgm',
  // U+212A and U+0130 are the only characters beyond ASCII whose small letters are within it.
  `create index if not exists contact_search_trigrams on contact_search using gin (${[
    'name',
    'job_title',
    'company',
    'city',
  ]
    .map((name) => `translate(${name}, U&'\\212A\\0130', 'ki') gin_trgm_ops`)
    .join(', ')})`,
] as const;

function onPostgres(types: StorageTypes): readonly string[] {
  const places = ['timezone', 'country', 'state'];
  return [
    ...['trigrams', ...places].map((name) => `drop index if exists contacts_${name}`),
    // A hash index finds equal values only, and the view that reads these columns compares otherwise.
    'drop index if exists invitees_old_invitee',
    'drop index if exists invitees_new_invitee',
    `create table contact_search (uri text not null primary key, ${columnsOf(types)})`,
    ...times.map((name) => `create index contact_search_${name} on contact_search (${name}, uri collate "C")`),
    // Of the beginning only: a B-tree takes no long values.
    ...places.map((name) => `create index contact_search_${name} on contact_search (left(${name}, 100))`),
    // Room in each page for the next version of its rows: an update that changes no indexed column then touches no index (HOT).
    ...['contacts', 'invitees', 'scheduled_events'].map((table) => `alter table ${table} set (fillfactor = 85)`),
  ];
}
