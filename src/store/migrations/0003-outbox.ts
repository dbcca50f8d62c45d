// A retraction is a message of the row of its alert. It never changes once it is released: a later version adds a migration.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const retraction = (column: string): string =>
  `(select retraction.${column} from alerts as retraction where retraction.id = alerts.id || '-retraction')`;

const statements = [
  // Retractions that were not sent.
  `update alerts set state = case ${retraction('state')} when 'failed' then 'failed' else 'retracting' end,
    sent_at = coalesce(sent_at, updated_at), claimed_at = ${retraction('claimed_at')}, attempts = ${retraction('attempts')},
    last_error = ${retraction('last_error')}, due_at = ${retraction('due_at')}, next_at = ${retraction('next_at')}, digest = null
    where ${retraction('state')} in ('pending', 'failed')`,
  // Alerts that ended while they were being sent.
  `update alerts set state = 'retracting', digest = null where state = 'retracted' and claimed_at is not null`,
  `delete from alerts where id = follows || '-retraction'`,
  'alter table alerts drop column follows',
  'drop index alerts_waiting',
  `create index alerts_waiting on alerts (next_at) where state in ('pending', 'retracting')`,
];

export const outbox: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
