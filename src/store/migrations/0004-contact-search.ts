// The indexes of the contact search: contacts in both orders, and an index of their texts. SQLite: a trigram index that readers
// update from a list of changed contacts, so that writing a contact costs one row of that list; removed texts leave the index at once.
// PostgreSQL: pg_trgm, where the extension can be created.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function contactSearch({ textSearch }: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await sql`drop index contacts_created_at`.execute(db);
      await sql`drop index contacts_updated_at`.execute(db);
      await (textSearch === 'fts5' ? onSqlite(db) : onPostgres(db));
    },
  };
}

const orders = ['created_at', 'updated_at'] as const;
const searched = ['name', 'job_title', 'company', 'city', 'timezone', 'country', 'state'];

async function onSqlite(db: Kysely<unknown>): Promise<void> {
  // With all that a search looks at, so that a walk never touches the rows, which are long. `deleted_at` too, though it is null in
  // all of them: SQLite reads the row for it otherwise.
  for (const order of orders)
    await db.schema
      .createIndex(`contacts_by_${order}`)
      .on('contacts')
      .columns([order, 'uri', ...searched, 'deleted_at'])
      .where(sql.ref('deleted_at'), 'is', null)
      .execute();
  // An invitee's URI leads through its event's, so the event has to be known to ask for the row by its key.
  await sql`create index invitees_uri_end on invitees (substr(uri, -12))`.execute(db);
  // What is indexed, under a number of its own (`vacuum` gives the rows of `contacts` others), with what finds are sorted by.
  await sql`create table contact_search_texts (id integer primary key, uri text not null unique, created_at text, updated_at text,
    name text, job_title text, company text, city text, timezone text, country text, state text)`.execute(db);
  await sql`create table contact_search_pending (uri text primary key) without rowid`.execute(db);
  // Which contacts hold three letters, and nothing about where: the letters themselves tell the columns apart. Without
  // `secure-delete`, which takes longer the more contacts there are; the scrub of the file removes what deleting leaves here too.
  await sql`create virtual table contact_search using fts5(name, job_title, company, city, timezone, country, state,
    content = 'contact_search_texts', content_rowid = 'id', tokenize = 'trigram case_sensitive 1', detail = none,
    columnsize = 0)`.execute(db);
  await sql`insert into contact_search_pending select uri from contacts where deleted_at is null`.execute(db);

  // Not `or ignore`: what an upsert fires fails on every conflict, whatever the trigger says.
  const note = sql`insert into contact_search_pending select new.uri
    where not exists (select 1 from contact_search_pending where uri = new.uri);`;
  // In this order: the index reads there which words to take out.
  const remove = sql`delete from contact_search where rowid = (select id from contact_search_texts where uri = old.uri);
    delete from contact_search_texts where uri = old.uri;`;
  const differs = (name: string) => sql`${sql.ref(`new.${name}`)} is not ${sql.ref(`old.${name}`)}`;
  const otherTexts = sql.join(searched.map(differs), sql` or `);
  const otherTimes = sql.join(orders.map(differs), sql` or `);
  await sql`create trigger contact_search_told after insert on contacts when new.deleted_at is null begin ${note} end`.execute(
    db,
  );
  await sql`create trigger contact_search_changed after update on contacts
    when new.deleted_at is null and (old.deleted_at is not null or ${otherTexts}) begin ${note} end`.execute(db);
  // Removed texts leave the index at once, so that it never holds more than the rows do.
  await sql`create trigger contact_search_forgotten after update on contacts
    when old.deleted_at is null and (new.deleted_at is not null or ${otherTexts}) begin ${remove} end`.execute(db);
  await sql`create trigger contact_search_moved after update on contacts when new.deleted_at is null and (${otherTimes})
    begin update contact_search_texts set created_at = new.created_at, updated_at = new.updated_at where uri = new.uri; end`.execute(
    db,
  );
  await sql`create trigger contact_search_removed after delete on contacts
    begin ${remove} delete from contact_search_pending where uri = old.uri; end`.execute(db);
}

const trigramTexts = ['name', 'job_title', 'company', 'city'].map(
  (name) => `translate(${name}, U&'\\212A\\0130', 'ki') gin_trgm_ops`,
);
const trigramStatements = [
  'create extension if not exists pg_trgm',
  `create index if not exists contacts_trigrams on contacts using gin (${trigramTexts.join(', ')})`,
];

async function onPostgres(db: Kysely<unknown>): Promise<void> {
  for (const order of orders)
    await sql`create index ${sql.ref(`contacts_by_${order}`)} on contacts (${sql.ref(order)}, uri collate "C")`.execute(
      db,
    );
  await sql`create index invitees_uri_end on invitees (right(uri, 12))`.execute(db);
  // Of the beginning only: a B-tree takes no long values.
  for (const name of ['timezone', 'country', 'state'])
    await sql`create index ${sql.ref(`contacts_${name}`)} on contacts (left(${sql.ref(name)}, 100))`.execute(db);
  await sql`savepoint trigrams`.execute(db);
  try {
    for (const statement of trigramStatements) await sql.raw(statement).execute(db);
  } catch {
    // A user who may not create the extension searches without it: slower, and with the same results. `doctor` reports it.
    await sql`rollback to savepoint trigrams`.execute(db);
  }
}
