// The rows of the outbox, as the compiler knows them.
import type { Store } from '#src/store/contract.ts';

/** Every alert. `key` is the id that its message has in this episode. */
export async function outboxRows({ db }: Store) {
  const rows = await db
    .selectFrom('alerts')
    .select(['id', 'rule', 'subject_uri', 'fact', 'state', 'episode'])
    .execute();
  return rows.map((row) => ({ ...row, key: row.episode === 1 ? row.id : `${row.id}-${row.episode}` }));
}
