// The index of erased people: read from the log, which is the only record of erasures, and cached until an erasure is added.
import { sql } from 'kysely';
import { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import type { StoreEngine, Unit } from '#src/store/contract.ts';
import { newerSchema, schemaVersion } from '#src/store/migrations.ts';
import { runPrepared } from '#src/store/prepared-sql.ts';
import type { MirrorTable } from '#workers/fold/projections/contract.ts';
import {
  parseErasure,
  type ErasureTarget,
  type ErasedAddress,
  type ErasedSubject,
} from '#workers/fold/projections/erasure.ts';
import { erasureEvent } from '#schemas/events.ts';
import { keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import { lockKey } from '#src/store/locks.ts';
import { addressesIn, normalAddress, sieveOf, spellingHash } from './addresses.ts';

export interface Erasures {
  /** The last erasure's position in the log; 0 when there is none. */
  readonly seq: number;
  readonly subjects: ReadonlyMap<string, MirrorTable | null>;
  /** Hash of an address → the time up to which it is erased. */
  readonly addresses: ReadonlyMap<string, string>;
  /** The latest of those times: newer entries are not searched for addresses. */
  readonly latest: string;
  /** Whether a text contains an address that is erased for facts of that time. */
  containsAddress(text: string, at: string): boolean;
}

const noErasures: Erasures = {
  seq: 0,
  subjects: new Map(),
  addresses: new Map(),
  latest: '',
  containsAddress: () => false,
};

interface ErasureList {
  readonly seq: number;
  readonly key: string;
  readonly erased: readonly ErasureTarget[];
}

export function erasuresOf({ seq, key, erased }: ErasureList): Erasures {
  const subjects = new Map<string, MirrorTable | null>();
  const addresses = new Map<string, string>();
  const sieves = new Set<number>();
  for (const one of erased) {
    if ('uri' in one) subjects.set(one.uri, subjects.get(one.uri) ?? one.table);
    else {
      sieves.add(one.sieve);
      if (one.through > (addresses.get(one.email_hash) ?? '')) addresses.set(one.email_hash, one.through);
    }
  }
  const sieve = sieveOf(key);
  const latest = [...addresses.values()].reduce((last, at) => (at > last ? at : last), '');
  const containsAddress = (text: string, at: string): boolean => {
    if (at > latest) return false;
    for (const address of addressesIn(text)) {
      const through = sieves.has(sieve(address)) ? addresses.get(spellingHash(key, address)) : undefined;
      if (through !== undefined && at <= through) return true;
    }
    return false;
  };
  return { seq, subjects, addresses, latest, containsAddress };
}

/** An address in the form in which the log records its erasure. */
export function erasedAddress(key: string, { address, through }: { address: string; through: string }): ErasedAddress {
  const spelling = normalAddress(address);
  return { email_hash: spellingHash(key, spelling), sieve: sieveOf(key)(spelling), through };
}

export function withSubjects(erasures: Erasures, more: readonly ErasedSubject[]): Erasures {
  return {
    ...erasures,
    subjects: new Map([...erasures.subjects, ...more.map(({ uri, table }) => [uri, table] as const)]),
  };
}

type Readable = Pick<Unit, 'db' | 'engine'>;
const cached = new WeakMap<StoreEngine, Erasures>();

/** What decides how entries are folded: when it changes, they must be folded again. */
export interface Mark {
  /** The position of the last erasure in the log; 0 when there is none. */
  readonly erasure: number;
  /** Of the settings that all processes share. */
  readonly revision: number;
}

/** The erasures at this mark. They are read again only when one was added. */
export async function erasuresAt(from: Readable, { erasure: seq }: Mark): Promise<Erasures> {
  const known = cached.get(from.engine);
  if (known?.seq === seq) return known;
  const erasures = seq === 0 ? noErasures : await erasuresThrough(from, seq);
  cached.set(from.engine, erasures);
  return erasures;
}

/** The erasures as they were last read. A transaction that uses them calls `requireErasures` with the log locked. */
export async function knownErasures(from: Readable): Promise<Erasures> {
  return cached.get(from.engine) ?? erasuresAt(from, await readMark(from));
}

async function erasuresThrough(from: Readable, seq: number): Promise<Erasures> {
  const erased = await readErasures(from);
  return erasuresOf({ seq, key: await keyOf(from, erased), erased });
}

/** Throws when an erasure was added since these were read. */
export function requireErasures({ engine }: Unit, { seq }: Pick<Erasures, 'seq'>, { erasure }: Mark): void {
  if (erasure === seq) return;
  if (cached.get(engine)?.seq === seq) dropKnownErasures({ engine });
  throw new SlotstreamError('erased_meanwhile', 'A person was erased while entries were being applied.', {
    hint: 'Nothing was written. Try again.',
  });
}

/** For a transaction that adds an erasure: the next one reads them again. */
export const dropKnownErasures = ({ engine }: Pick<Unit, 'engine'>): void => void cached.delete(engine);

/** One statement. Throws where a newer version has migrated the database: this one must not write into it. */
export async function readMark(from: Readable): Promise<Mark> {
  const [found] = await runPrepared(from, {
    id: 'mark',
    values: {},
    // Erasures are rare. A plan for any event would read the log from its end, where there is none.
    isPlannedEachTime: true,
    build: () => {
      const erasures = from.db
        .selectFrom('event_log')
        .select('seq')
        .where('event', '=', erasureEvent)
        .where('source', '=', 'operator')
        .orderBy('seq', 'desc')
        .limit(1);
      const settings = from.db.selectFrom('mirror_settings').select('revision').where('id', '>', '').limit(1);
      return from.db.selectNoFrom([
        erasures.as('erasure'),
        settings.as('revision'),
        sql<string>`(select max(name) from ${sql.table('kysely_migration')})`.as('schema'),
      ]);
    },
  });
  const { erasure, revision, schema } = found ?? {};
  if ((schema ?? '') > schemaVersion()) throw newerSchema();
  return { erasure: erasure ?? 0, revision: revision ?? 0 };
}

export async function readErasures({ db }: Readable): Promise<readonly ErasureTarget[]> {
  const entries = db.selectFrom('event_log').select('body').where('event', '=', erasureEvent);
  const rows = await entries.where('source', '=', 'operator').orderBy('seq').execute();
  return rows.flatMap(({ body }) => parseErasure(body)?.erased ?? []);
}

// In the store, so that every process on any machine recognizes the same people. It is never returned or logged.
const storedKey = keyValue('erasure_key', z.string().min(32));

export function readKey(from: Readable): Promise<string | undefined> {
  return readValue(from, storedKey);
}

/** Creates the key unless it exists. Concurrent callers get the same key. */
export async function makeKey(unit: Unit, newKey: () => string): Promise<string> {
  await lockKey(unit, storedKey.key);
  const existing = await readKey(unit);
  if (existing !== undefined) return existing;
  const key = newKey();
  await writeValue(unit, storedKey, key);
  return key;
}

async function keyOf(from: Readable, erased: readonly ErasureTarget[]): Promise<string> {
  const key = await readKey(from);
  if (key !== undefined) return key;
  if (erased.every((one) => 'uri' in one)) return '';
  // Continuing without the key would store erased people again. Deliveries stay in the queue meanwhile.
  throw new SlotstreamError('store_unavailable', 'The key of erased addresses is missing from key_values.', {
    hint: `Restore the row "${storedKey.key}" from a backup.`,
  });
}
