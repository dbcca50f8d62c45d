// Keeps `bookings` equal to what invitees, meetings and recaps say. It follows the log with an offset of its own, so that no writer waits
// for it. An entry commits with the rows it describes, so a row that was read after its entry is at least as new.
//
//   entries after the offset ─▶ the invitees they concern ─▶ all that links connect with them ─▶ chains ─▶ rows
//
// Transactions that change rows without an entry (rebuild), or that remove people (erasure), update the table themselves. Any process may
// bring it up to date: one transaction at a time does.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { isContention, SlotstreamError } from '#src/base/errors.ts';
import { hourMs, instantOf } from '#src/base/time.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import { lockKey } from '#src/store/locks.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { fillBookings, updateBookings } from './booking-writer.ts';

/** The version of the code that makes the rows: the table is made anew where it has another. */
const rules = 2;
/** `offset`: the last log entry that the table contains; `at`: when that was found. */
const bookingsState = keyValue('bookings', z.object({ offset: z.number(), rules: z.number(), at: z.string() }));

type Readable = Pick<Store, 'db' | 'engine'>;

/** The last log entry that the table contains, and when that was found. */
export const readBookingsState = (store: Readable) => readValue(store, bookingsState);

const entriesAtOnce = { sqlite: 200, postgres: 500 } as const;

export interface CatchUpOptions {
  readonly atOnce?: number;
  /** Ends the work after the current transaction. */
  readonly signal?: AbortSignal;
  /** Asked before each transaction; false ends the work. */
  readonly hasRoom?: () => Promise<boolean>;
}

/** Brings the table up to the end of the log. Returns its offset; undefined where the work ended early. */
export async function catchUpBookings(store: Store, options: CatchUpOptions = {}): Promise<number | undefined> {
  return reach(store, await lastSeq(store), options);
}

/** For readers that need what the log has up to this entry. Returns the offset; undefined where the work ended early. */
export async function bookingsAtLeast(
  store: Store,
  seq: number,
  options: CatchUpOptions = {},
): Promise<number | undefined> {
  return reach(store, Math.min(seq, await lastSeq(store)), options);
}

async function reach(
  store: Store,
  end: number,
  { atOnce = entriesAtOnce[store.engine.name], signal, hasRoom = async () => true }: CatchUpOptions = {},
): Promise<number | undefined> {
  for (;;) {
    // Asked outside of a transaction: mostly there is nothing to do, and no writer should wait for that.
    const state = await readValue(store, bookingsState);
    if (state !== undefined && (state.offset >= end || state.rules > rules)) return state.offset;
    if (signal?.aborted || !(await hasRoom())) return undefined;
    await store.transaction((unit) => advance(unit, atOnce));
    await yieldToEventLoop();
  }
}

/** Fills the table of a database that has none of these rules: a new one, or one of an earlier version. */
export async function prepareBookings(store: Store): Promise<void> {
  for (const endMs = Date.now() + longestFillMs; needsFill(await readValue(store, bookingsState));) {
    try {
      await store.transaction((unit) => advance(unit, 1));
    } catch (error) {
      // Another process fills it, which takes minutes where there are very many bookings.
      if (!isContention(error) || Date.now() > endMs) throw error;
    }
  }
}

const longestFillMs = hourMs;
const needsFill = (state: { readonly rules: number } | undefined) => state === undefined || state.rules < rules;

const writeState = (unit: Unit, offset: number): Promise<void> =>
  writeValue(unit, bookingsState, { offset, rules, at: instantOf(Date.now()) });

/** One transaction at a time changes the table. It is taken last, after rows and the log. */
const lockBookings = (unit: Unit): Promise<void> => lockKey(unit, bookingsState.key);

async function advance(unit: Unit, atOnce: number): Promise<void> {
  await lockBookings(unit);
  const state = await readValue(unit, bookingsState);
  if (state === undefined || state.rules < rules) await refill(unit);
  // A newer version has made the table, and follows the log itself.
  else if (state.rules === rules) await follow(unit, state.offset, atOnce);
}

/** Reads the next entries. Returns the offset of the last one. */
async function follow(unit: Unit, from: number, atOnce: number): Promise<number> {
  const { rows } = await sql<{
    seq: number;
    uri: string | null;
  }>`select seq, subject_uri as uri from ${sql.table('event_log')}
    where seq > ${from} order by seq limit ${atOnce}`.execute(unit.db);
  const offset = rows.at(-1)?.seq ?? from;
  await updateBookings(unit, { subjects: new Set(rows.flatMap(({ uri }) => uri ?? [])), changedSeq: offset });
  await writeState(unit, offset);
  return offset;
}

/**
 * For transactions that change rows of these subjects (invitees, meetings, recaps) in another way than by an entry of the log. It must be
 * locked. The table follows it to its end first: a reader of changes by `changed_seq` then misses none of an earlier entry.
 */
export async function refreshBookings(unit: Unit, subjects: Iterable<string>): Promise<void> {
  await lockBookings(unit);
  const state = await readValue(unit, bookingsState);
  if (state === undefined || state.rules < rules) return refill(unit);
  // It would not learn of these rows from the log, and an erased person must not stay in the table.
  if (state.rules > rules)
    throw new SlotstreamError('store_unavailable', 'A newer version of Slotstream has made the table of bookings.', {
      hint: 'Update this process, or stop it: those of the newer version do its work.',
    });
  const end = await lastSeq(unit);
  let { offset } = state;
  while (offset < end) offset = await follow(unit, offset, entriesAtOnce[unit.engine.name]);
  await updateBookings(unit, { subjects: new Set(subjects), changedSeq: end });
}

export async function refillBookings(unit: Unit): Promise<void> {
  await lockBookings(unit);
  await refill(unit);
}

async function refill(unit: Unit): Promise<void> {
  await writeState(unit, await fillBookings(unit));
}
