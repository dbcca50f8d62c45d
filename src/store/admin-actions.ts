// The rows of `admin_actions`: what operators, hosts and models did. They hold URIs and ids, and no other personal data.
import { sql, type SqlBool } from 'kysely';
import { dayMs, instantOf } from '#src/base/time.ts';
import type { Store } from './contract.ts';
import { insertRows } from './rows.ts';
import type { TableRow } from './schema/tables.ts';

export type AdminAction = TableRow<'admin_actions'>;

/** How long an action stays, and how many do: whichever ends first. */
const storedMs = 400 * dayMs;
const maxStored = 100_000;

export const insertAction = (store: Store, action: AdminAction): Promise<void> =>
  store.transaction((unit) => insertRows(unit, 'admin_actions', [action]));

export async function endAction(
  store: Store,
  { id, status, result }: Pick<AdminAction, 'id' | 'status' | 'result'>,
): Promise<void> {
  await store.transaction(({ db, engine }) =>
    db
      .updateTable('admin_actions')
      .set({ status, result: engine.encode('json', result) })
      .where('id', '=', id)
      .execute(),
  );
}

/** Models, and people without a login, are counted apart: however much they do, it does not push out what operators did. */
const apart = [
  sql<SqlBool>`caller like 'mcp %'`,
  sql<SqlBool>`caller = 'answer link'`,
  sql<SqlBool>`caller = 'slack button'`,
];
const kinds = [...apart, sql<SqlBool>`not (${sql.join(apart, sql` or `)})`];

export async function pruneActions(store: Store, nowMs: number, most = maxStored): Promise<void> {
  await store.transaction(async ({ db }) => {
    const old = instantOf(nowMs - storedMs);
    await db.deleteFrom('admin_actions').where('at', '<', old).execute();
    for (const kind of kinds) {
      const newest = db.selectFrom('admin_actions').select('at').where(kind).orderBy('at', 'desc');
      const surplus = await newest.offset(most).limit(1).executeTakeFirst();
      if (surplus) await db.deleteFrom('admin_actions').where(kind).where('at', '<=', surplus.at).execute();
    }
  });
}
