// Definitions of custom fields and contacts that carry values of them, as the service would tell of them.
import type { JsonObject } from '#schemas/wire.ts';
import type { Json } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { ingestRead } from '../stores.ts';

const base = 'https://api.example.test';
export const fieldUri = (n: number | string) => `${base}/contact_custom_fields/${n}`;
export const contactUri = (n: number | string) => `${base}/contacts/${n}`;
const at = '2025-01-01T00:00:00.000000Z';

/** Reads definitions from the API; a later one is older only where it says so. */
export async function readDefinitions(store: Store, definitions: readonly JsonObject[]): Promise<void> {
  const records = definitions.map((definition) => ({
    kind: 'custom_field_definition' as const,
    record: { created_at: at, updated_at: at, ...definition },
    observed: at,
  }));
  await ingestRead(store, records);
}

export const contactBody = (n: number | string, fields: Readonly<Record<string, Json>>): string =>
  JSON.stringify({
    event: 'contact.created',
    created_at: at,
    payload: {
      uri: contactUri(n),
      name: `Contact ${n}`,
      emails: [{ email: 'ada@example.test', is_primary: true }],
      created_at: at,
      updated_at: at,
      custom_fields: Object.entries(fields).map(([uri, value]) => ({ uri, value, label: 'any' })),
    },
  });
