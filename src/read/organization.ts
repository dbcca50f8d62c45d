// The organization of the mirror: whose token registered it or filled it, or, before, whose records deliveries brought.
import { sql } from 'kysely';
import type { Readable } from '#src/store/contract.ts';
import { readAccount } from '#src/store/settings-row.ts';

export async function ownOrganization(store: Readable): Promise<string | undefined> {
  return (await readAccount(store)).organization ?? undefined;
}

/** True of any organization while none is known. */
export async function isOwnOrganization(store: Readable, uri: string): Promise<boolean> {
  const own = await ownOrganization(store);
  if (own !== undefined) return own === uri;
  const { rows } = await sql<{ organization_uri: string }>`select distinct organization_uri
    from ${sql.table('organization_memberships')} where organization_uri is not null limit 2`.execute(store.db);
  return rows.length === 0 || rows.some(({ organization_uri: known }) => known === uri);
}
