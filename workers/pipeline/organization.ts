// The organization of the mirror, and the quarantine of deliveries that name another one.
import { z } from 'zod';
import type { Store, Unit } from '#src/store/contract.ts';
import { keyValue, readValue } from '#src/store/key-value.ts';
import { quarantined, type ParsedItem } from './parse.ts';

/** Recorded by the first command that registers or copies (sync/mirror-identity.ts). */
export const mirrorIdentity = keyValue(
  'mirrored',
  z.object({
    origin: z.string(),
    organization: z.string(),
    /** Whether everything was copied once. */
    filled: z.boolean(),
    /** When that was. */
    filled_at: z.string().optional(),
  }),
);

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
  const own = idOf((await readValue(store, mirrorIdentity))?.organization ?? '');
  if (own === undefined) return items;
  return items.map((item) => {
    const named = idOf(item.organization ?? '');
    if (item.fact === null || named === undefined || named === own) return item;
    return quarantined(item, `It is of another organization (${named}) than the mirror.`);
  });
}
