// The schema of the first release: the tables of the dictionary, the indexes of `indexes.ts`, and what only one engine needs.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { describedTables, type DescribedTable } from '#src/store/dictionary/dictionary.ts';
import { indexes } from '#src/store/indexes.ts';
import type { StorageTypes } from './storage-types.ts';

/** A released migration never changes: the tables, columns (`table.column`) and indexes that a later one adds are left out here. */
const addedLater = new Set<string>();

export function firstRelease(types: StorageTypes): Migration {
  const tables = describedTables().filter(({ name }) => !addedLater.has(name));
  const indexed = Object.entries(indexes).filter(([name]) => !addedLater.has(name));
  const statements = [
    ...tables.map((table) => tableStatement(types, table)),
    ...indexed.flatMap(([name, { [types.engine]: on }]) =>
      // The extension may be missing: `indexTrigrams` creates this one.
      on === undefined || on.includes('gin_trgm_ops') ? [] : [`create index ${name} on ${on}`],
    ),
    ...(types.engine === 'sqlite' ? trigramsOnSqlite : roomOnPostgres),
  ];
  return {
    async up(db: Kysely<unknown>) {
      for (const statement of statements) await sql.raw(statement).execute(db);
    },
  };
}

/** Some columns of these are written by an upsert, which fails where one that it leaves out may not be null. */
const upserted = ['alerts', 'webhook_subscriptions'];
const defaults: Readonly<Record<string, string>> = { duplicates: ' default 0', redacted: ' default false' };

function tableStatement({ engine, ...types }: StorageTypes, { name, key, columns }: DescribedTable): string {
  const isSqlite = engine === 'sqlite';
  // For the trigram index: `vacuum` renumbers rows that have no number of their own.
  const isNumbered = isSqlite && name === 'contact_search';
  const keyText = key.map((column) => `"${column}"`).join(', ');
  const definitions = columns
    .filter((column) => !addedLater.has(`${name}.${column.name}`))
    .map((column) => {
      if (column.name === 'seq') return `"seq" ${types.serial}`;
      const isRequired = upserted.includes(name) ? key.includes(column.name) : column.required;
      // The views look up names in lower case, which PostgreSQL computes by the collation of bytes.
      const collation = !isSqlite && name === 'time_zones' && column.name === 'name' ? ' collate "C"' : '';
      return `"${column.name}" ${types[column.kind]}${collation}${isRequired ? ' not null' : ''}${defaults[column.name] ?? ''}`;
    });
  if (isNumbered) definitions.unshift('"id" integer primary key');
  if (name === 'event_log') definitions.push('unique ("delivery_id")');
  else definitions.push(isNumbered ? `unique (${keyText})` : `constraint "${name}_pk" primary key (${keyText})`);
  // SQLite keeps the rows of a child table in its key, beside those of the same parent, instead of in two places.
  return `create table "${name}" (${definitions.join(', ')})${isSqlite && key.length > 1 ? ' without rowid' : ''}`;
}

const texts = ['name', 'job_title', 'company', 'city', 'timezone', 'country', 'state'];
const textList = texts.join(', ');
const wordsIn = (row: string) => texts.map((_, index) => `json_extract(${row}.words, '$[${index}]')`).join(', ');
const removal = `insert into contact_search_trigrams (contact_search_trigrams, rowid, ${textList})
  values ('delete', old.id, ${wordsIn('old')});`;
const addition = `insert into contact_search_trigrams (rowid, ${textList}) values (new.id, ${wordsIn('new')});`;

const trigramsOnSqlite = [
  // `words` is a list of the texts as the index spells them.
  `create view contact_search_words as select id, ${texts
    .map((name, at) => `json_extract(words, '$[${at}]') as ${name}`)
    .join(', ')} from contact_search`,
  // Which contacts hold three letters, and nothing about where: the letters themselves tell the columns apart. Without
  // `secure-delete`, which takes longer the more contacts there are; the scrub of the file removes what deleting leaves here too.
  `create virtual table contact_search_trigrams using fts5(${textList}, content = 'contact_search_words',
    content_rowid = 'id', tokenize = 'trigram case_sensitive 1', detail = none, columnsize = 0)`,
  `create trigger contact_search_added after insert on contact_search begin ${addition} end`,
  `create trigger contact_search_changed after update on contact_search when old.words is not new.words
    begin ${removal} ${addition} end`,
  `create trigger contact_search_removed after delete on contact_search begin ${removal} end`,
];

// Room in each page for the next version of its rows: an update that changes no indexed column then touches no index (HOT).
const roomOnPostgres = ['contacts', 'invitees', 'scheduled_events'].map(
  (table) => `alter table ${table} set (fillfactor = 85)`,
);
