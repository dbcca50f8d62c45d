// What the outbox of alerts needs beside its first columns, and how people are found by their address however it is written.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

const texts = ['fact', 'follows', 'digest', 'detail'];
const times = ['occurred_at', 'due_at', 'next_at', 'claimed_at', 'sent_at'];

export function alerts(types: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      for (const name of texts) await db.schema.alterTable('alerts').addColumn(name, 'text').execute();
      for (const name of times) await db.schema.alterTable('alerts').addColumn(name, sql.raw(types.time)).execute();
      await db.schema.alterTable('alerts').addColumn('episode', sql.raw(types.integer)).execute();
      // A hash, where there is one: a B-tree takes no long values.
      const subjects = db.schema.createIndex('alerts_subject_uri').on('alerts').column('subject_uri');
      await (types.equalityIndex ? subjects.using(types.equalityIndex) : subjects).execute();
      // What waits is looked for many times a second; what was said stays for ever.
      await sql`create index alerts_waiting on alerts (next_at) where state = 'pending'`.execute(db);
      await sql`create index alerts_claimed on alerts (next_at) where claimed_at is not null`.execute(db);
      await sql`create index alerts_rule_occurred_at on alerts (rule, occurred_at)`.execute(db);

      const small = sql.raw(types.lowerCaseEmail);
      const using = types.equalityIndex ? sql`using ${sql.raw(types.equalityIndex)}` : sql``;
      // Few rows have an entry here: the marked, and those whose address is not in small letters, as nearly all are.
      await sql`create index invitees_marked_address on invitees ${using} (${small}) where no_show_uri is not null`.execute(
        db,
      );
      for (const table of ['invitees', 'contact_emails'])
        await sql`create index ${sql.ref(`${table}_other_address`)} on ${sql.table(table)} ${using} (${small})
          where email <> ${small}`.execute(db);
    },
  };
}
