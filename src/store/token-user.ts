// The user of the token with which `bootstrap`, `backfill` or a comparison last asked the service: who `GET /users/me` answers.
import { z } from 'zod';
import type { Store } from './contract.ts';
import { keyValue, readValue, writeValue } from './key-value.ts';

const tokenUser = keyValue('token user', z.object({ uri: z.string() }));

export async function readTokenUser(store: Pick<Store, 'db' | 'engine'>): Promise<string | undefined> {
  return (await readValue(store, tokenUser))?.uri;
}

export async function noteTokenUser(store: Store, uri: string): Promise<void> {
  if ((await readTokenUser(store)) !== uri) await store.transaction((unit) => writeValue(unit, tokenUser, { uri }));
}
