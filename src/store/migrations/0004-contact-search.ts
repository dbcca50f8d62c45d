// What searching contacts needs: the live ones in both orders, and an index of their texts. SQLite: a word index of trigrams,
// which readers bring up to date from a list of what changed, so that writing a contact costs a note and no more; what is
// forgotten leaves it at once. PostgreSQL: pg_trgm, where it can be had.
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
  // The rows of `contacts` have no lasting number of their own: `vacuum` gives them others.
  await sql`create table contact_search_ids (id integer primary key, uri text not null unique)`.execute(db);
  await sql`create table contact_search_pending (uri text primary key) without rowid`.execute(db);
  await sql`create virtual table contact_search using fts5(name, job_title, company, city, timezone, country, state,
    tokenize = 'trigram case_sensitive 1', detail = column, columnsize = 0)`.execute(db);
  await sql`insert into contact_search (contact_search, rank) values ('secure-delete', 1)`.execute(db);
  await sql`insert into contact_search_pending select uri from contacts where deleted_at is null`.execute(db);

  // Not `or ignore`: what an upsert fires fails on every conflict, whatever the trigger says.
  const note = sql`insert into contact_search_pending select new.uri
    where not exists (select 1 from contact_search_pending where uri = new.uri);`;
  const forget = sql`delete from contact_search where rowid = (select id from contact_search_ids where uri = old.uri);
    delete from contact_search_ids where uri = old.uri;`;
  const any = (compare: (name: string) => ReturnType<typeof sql>) => sql.join(searched.map(compare), sql` or `);
  const now = (name: string) => sql.ref(`new.${name}`);
  const before = (name: string) => sql.ref(`old.${name}`);
  await sql`create trigger contact_search_told after insert on contacts when new.deleted_at is null begin ${note} end`.execute(
    db,
  );
  await sql`create trigger contact_search_changed after update on contacts
    when new.deleted_at is null and (old.deleted_at is not null or ${any((name) => sql`${now(name)} is not ${before(name)}`)})
    begin ${note} end`.execute(db);
  await sql`create trigger contact_search_forgotten after update on contacts
    when old.deleted_at is null and (new.deleted_at is not null or ${any((name) => sql`(${now(name)} is null and ${before(name)} is not null)`)})
    begin ${forget} end`.execute(db);
  await sql`create trigger contact_search_removed after delete on contacts
    begin ${forget} delete from contact_search_pending where uri = old.uri; end`.execute(db);
}

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
    await sql`create extension if not exists pg_trgm`.execute(db);
    // U+212A and U+0130 are the only characters beyond ASCII whose small letters are within it.
    await sql`create index contacts_trigrams on contacts using gin (
      translate(name, U&'\\212A\\0130', 'ki') gin_trgm_ops, translate(job_title, U&'\\212A\\0130', 'ki') gin_trgm_ops,
      translate(company, U&'\\212A\\0130', 'ki') gin_trgm_ops, translate(city, U&'\\212A\\0130', 'ki') gin_trgm_ops)`.execute(
      db,
    );
  } catch {
    // Whoever may not create it searches without: slower, and no less right.
    await sql`rollback to savepoint trigrams`.execute(db);
  }
}
