// From one address of a person to the next: the addresses of a record that is theirs are theirs too. An address of a user of the
// organization is not followed unless that user was asked for: a colleague who stands in somebody's contact stays.
import { isObject, type JsonObject } from '#schemas/wire.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import type { MirrorTable } from '#workers/projections/contract.ts';
import type { Reading } from '#workers/pipeline/parse.ts';
import { addressesIn, isAddress, normalAddress } from './addresses.ts';
import type { ErasedSubject } from './erasure-entry.ts';
import type { Target } from './target.ts';

/** Normal address → the users whose it is. */
export type Colleagues = ReadonlyMap<string, ReadonlySet<string>>;

/** More than this hang together through something shared, such as one address for a whole office. */
export const mostAddresses = 25;

export async function colleaguesIn({ db }: Store | Unit): Promise<Colleagues> {
  const found = new Map<string, Set<string>>();
  const users = await db.selectFrom('users').select(['uri', 'email']).where('email', 'is not', null).execute();
  for (const { uri, email } of users) {
    const address = normalAddress(String(email));
    found.set(address, (found.get(address) ?? new Set()).add(uri));
  }
  return found;
}

/** Whether following it would lead to a colleague that nobody asked for. */
export function isOfAnother(colleagues: Colleagues, target: Target, address: string): boolean {
  const users = colleagues.get(address);
  if (users === undefined) return false;
  if (target.kind === 'uri') return !users.has(target.uri);
  const asked = colleagues.get(normalAddress(target.address));
  return asked === undefined || ![...users].some((uri) => asked.has(uri));
}

/** What these records of a person, all of them in one entry, give as the person's address; normalised. */
export function addressesOf({ record }: Pick<Reading, 'record'>, own: readonly ErasedSubject[]): string[] {
  const embedded = isObject(record?.['user']) ? record['user'] : undefined;
  const parts = [record, embedded].filter((part) => part !== null && part !== undefined);
  return own.flatMap(({ uri, table }) =>
    parts.filter((part) => part['uri'] === uri).flatMap((part) => addressesGiven(table, part)),
  );
}

function addressesGiven(table: MirrorTable | null, record: JsonObject): string[] {
  // Those who attended one meeting, or are named in one answer, are several people.
  if (table !== 'contacts' && table !== 'invitees' && table !== 'users') return [];
  const listed = table === 'contacts' && Array.isArray(record['emails']) ? record['emails'] : [record];
  return listed.flatMap((each) => {
    const text = isObject(each) ? each['email'] : undefined;
    if (typeof text !== 'string' || !isAddress(text)) return [];
    const [address] = addressesIn(text);
    return address === undefined ? [] : [address];
  });
}

export function tooMany(): SlotstreamError {
  return new SlotstreamError(
    'usage',
    `More than ${mostAddresses} addresses hang together with this one: several people share an address. Nothing was erased.`,
    { hint: 'Erase with --only what belongs to the person, one by one.' },
  );
}
