// The quarantine of deliveries that name another organization than the mirror's.
import type { Store, Unit } from '#src/store/contract.ts';
import { readAccount } from '#src/store/settings-row.ts';
import { quarantined, type ParsedItem } from './parse.ts';

/** Hosts may differ for one resource, so only the identifier at the end of the URI counts. */
const organizationId = /^https?:\/\/.+\/organizations\/([\w-]{1,100})$/;
const idOf = (uri: string): string | undefined => organizationId.exec(uri)?.[1];

/**
 * Only a delivery that names an organization is looked at, so that the others cost no query. No kind of the specification names one,
 * and nothing else in a delivery is certain: `created_by` may be a user who joined a moment ago.
 */
export async function quarantineOthers<Item extends ParsedItem>(
  store: Pick<Store | Unit, 'db' | 'engine'>,
  items: readonly Item[],
): Promise<readonly Item[]> {
  if (items.every(({ organization }) => organization === undefined)) return items;
  const own = idOf((await readAccount(store)).organization ?? '');
  if (own === undefined) return items;
  return items.map((item) => {
    const named = idOf(item.organization ?? '');
    if (item.fact === null || named === undefined || named === own) return item;
    return quarantined(item, `It is of another organization (${named}) than the mirror.`);
  });
}
