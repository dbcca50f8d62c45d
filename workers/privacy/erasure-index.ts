// Who was erased: read from the log, which is its only place, and kept in memory as long as no erasure is added.
import { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import type { StoreEngine, Unit } from '#src/store/contract.ts';
import { runPrepared } from '#src/store/prepared-sql.ts';
import type { MirrorTable } from '#workers/projections/contract.ts';
import { readCheckpoint, writeCheckpoint } from '#workers/sync/checkpoints.ts';
import { addressesIn, addressHash, sieveOf } from './addresses.ts';
import { erasureEvent, readErasure, type Erased, type ErasedAddress, type ErasedSubject } from './erasure-entry.ts';

export interface Erasures {
  /** The place of the last one in the log; 0 when nobody was ever erased. */
  readonly seq: number;
  readonly subjects: ReadonlyMap<string, MirrorTable | null>;
  /** Hashes of addresses, and through when they are erased. */
  readonly addresses: ReadonlyMap<string, string>;
  /** The latest of those moments: what is newer than all of them is not searched for addresses. */
  readonly latest: string;
  /** Whether a text holds an address that is erased for facts of that time. */
  carries(text: string, at: string): boolean;
}

export const noErasures: Erasures = {
  seq: 0,
  subjects: new Map(),
  addresses: new Map(),
  latest: '',
  carries: () => false,
};

interface Given {
  readonly seq: number;
  readonly key: string;
  readonly erased: readonly Erased[];
}

export function erasuresOf({ seq, key, erased }: Given): Erasures {
  const subjects = new Map<string, MirrorTable | null>();
  const addresses = new Map<string, string>();
  const sieves = new Set<number | undefined>();
  for (const one of erased) {
    if ('uri' in one) subjects.set(one.uri, subjects.get(one.uri) ?? one.table);
    else {
      sieves.add(one.sieve);
      if (one.through > (addresses.get(one.email_hash) ?? '')) addresses.set(one.email_hash, one.through);
    }
  }
  const sieve = sieveOf(key);
  const isPossible = (address: string) => sieves.has(undefined) || sieves.has(sieve(address));
  const latest = [...addresses.values()].reduce((last, at) => (at > last ? at : last), '');
  const carries = (text: string, at: string): boolean => {
    if (at > latest) return false;
    for (const address of addressesIn(text)) {
      const through = isPossible(address) ? addresses.get(addressHash(key, address)) : undefined;
      if (through !== undefined && at <= through) return true;
    }
    return false;
  };
  return { seq, subjects, addresses, latest, carries };
}

/** An address as it is remembered. */
export function erasedAddress(key: string, { address, through }: { address: string; through: string }): ErasedAddress {
  return { email_hash: addressHash(key, address), sieve: sieveOf(key)(address), through };
}

/** The same, and these subjects besides. */
export function withMore(erasures: Erasures, more: readonly ErasedSubject[]): Erasures {
  return {
    ...erasures,
    subjects: new Map([...erasures.subjects, ...more.map(({ uri, table }) => [uri, table] as const)]),
  };
}

type Reading = Pick<Unit, 'db' | 'engine'>;
const known = new WeakMap<StoreEngine, Erasures>();

/** As they stand now: one small query when nothing was added. */
export async function currentErasures(from: Reading): Promise<Erasures> {
  const seq = await lastErasure(from);
  if (seq === 0) return noErasures;
  const kept = known.get(from.engine);
  if (kept?.seq === seq) return kept;
  const erased = await standingErasures(from);
  const erasures = erasuresOf({ seq, key: await keyOf(from, erased), erased });
  known.set(from.engine, erasures);
  return erasures;
}

/** For a writer that holds the log: what it read before must have been read without everybody who is erased by now. */
export async function requireCurrent(unit: Unit, { seq }: Pick<Erasures, 'seq'>): Promise<void> {
  // Elsewhere a transaction is the only writer from its beginning.
  if (!unit.engine.manyWriters || (await lastErasure(unit)) === seq) return;
  throw new SlotstreamError('erased_meanwhile', 'Somebody was erased while this was being folded.', {
    hint: 'Nothing was written. Do it again.',
  });
}

export async function lastErasure(from: Reading): Promise<number> {
  const [last] = await runPrepared(from, {
    id: 'last erasure',
    values: {},
    build: () =>
      from.db
        .selectFrom('event_log')
        .select('seq')
        .where('event', '=', erasureEvent)
        .where('source', '=', 'operator')
        .orderBy('seq', 'desc')
        .limit(1),
  });
  return last?.seq ?? 0;
}

export async function standingErasures({ db }: Reading): Promise<readonly Erased[]> {
  const told = db.selectFrom('event_log').select('body').where('event', '=', erasureEvent);
  const rows = await told.where('source', '=', 'operator').orderBy('seq').execute();
  return rows.flatMap(({ body }) => readErasure(body as string | null)?.erased ?? []);
}

// In the store, because every process on any machine must find the same people; in no answer and no log line.
const keyPlace = 'erasure_key';
const keyForm = z.string().min(32);

export function readKey(from: Reading): Promise<string | undefined> {
  return readCheckpoint(from, keyPlace, keyForm);
}

/** Made once. Its caller holds the log. */
export async function makeKey(unit: Unit, newKey: () => string): Promise<string> {
  const standing = await readKey(unit);
  if (standing !== undefined) return standing;
  const key = newKey();
  await writeCheckpoint(unit, keyPlace, key);
  return key;
}

async function keyOf(from: Reading, erased: readonly Erased[]): Promise<string> {
  const key = await readKey(from);
  if (key !== undefined) return key;
  if (erased.every((one) => 'uri' in one)) return '';
  // To go on without it would bring erased people back. What waits in the queue waits on.
  throw new SlotstreamError('store_unavailable', 'The key of erased addresses is missing from sync_checkpoints.', {
    hint: `Restore the row "${keyPlace}" from a backup.`,
  });
}
