// Links one address of a person to the next: all addresses in a record of the person are theirs. An address of a user of the
// organization is not followed unless that user is the target, so that a colleague listed in the person's contact is not erased.
import { isObject, type JsonObject } from '#schemas/wire.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import type { ParsedItem } from '#workers/fold/pipeline/parse.ts';
import type { MirrorTable } from '#workers/fold/projections/contract.ts';
import type { ErasedSubject } from '#workers/fold/projections/erasure.ts';
import { embeddedRecord } from '#workers/fold/projections/touches.ts';
import { addressesIn, isAddress, normalAddress } from './addresses.ts';
import type { Target } from './target.ts';

/** Normalized address → the users who have it. */
export type Colleagues = ReadonlyMap<string, ReadonlySet<string>>;

/** More linked addresses than this indicate a shared address, such as that of an office. */
export const mostAddresses = 25;

export async function findColleagues({ db }: Store | Unit): Promise<Colleagues> {
  const found = new Map<string, Set<string>>();
  const users = await db.selectFrom('users').select(['uri', 'email']).where('email', 'is not', null).execute();
  for (const { uri, email } of users) {
    const address = normalAddress(String(email));
    found.set(address, (found.get(address) ?? new Set()).add(uri));
  }
  return found;
}

/** Whether following an address would erase a colleague who is not the target. */
export function isOfColleague(colleagues: Colleagues, target: Target, address: string): boolean {
  const users = colleagues.get(address);
  if (users === undefined) return false;
  if (target.kind === 'uri') return !users.has(target.uri);
  const targeted = colleagues.get(normalAddress(target.address));
  return targeted === undefined || ![...users].some((uri) => targeted.has(uri));
}

/** The normalized addresses that the person's records in one entry give. */
export function addressesOf({ record }: Pick<ParsedItem, 'record'>, subjects: readonly ErasedSubject[]): string[] {
  const records = [record, embeddedRecord(record, { key: 'user' })].filter(
    (each) => each !== null && each !== undefined,
  );
  return subjects.flatMap(({ uri, table }) =>
    records.filter((each) => each['uri'] === uri).flatMap((each) => addressesGiven(table, each)),
  );
}

function addressesGiven(table: MirrorTable | null, record: JsonObject): string[] {
  // The attendees of a meeting, and people named in an answer, are several people.
  if (table !== 'contacts' && table !== 'invitees' && table !== 'users') return [];
  const listed = table === 'contacts' && Array.isArray(record['emails']) ? record['emails'] : [record];
  return listed.flatMap((each) => {
    const text = isObject(each) ? each['email'] : undefined;
    if (typeof text !== 'string' || !isAddress(text)) return [];
    const [address] = addressesIn(text);
    return address === undefined ? [] : [address];
  });
}

export function tooManyAddresses(): SlotstreamError {
  return new SlotstreamError(
    'usage',
    `More than ${mostAddresses} addresses are linked to this one: several people share an address. Nothing was erased.`,
    { hint: 'Erase what belongs to the person with --only, one record or address at a time.' },
  );
}
