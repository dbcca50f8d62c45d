// Counts the deliveries of a period without reading the log: the offsets of its two ends are found by a search, and the entries between
// them are counted in the index of kinds. What was counted once is not counted again.
import { allEventKinds, isEventKind, type EventKind } from '#schemas/events.ts';
import { dayMs, instantOf, minuteMs } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { decodeColumns } from '#src/store/rows.ts';
import { isUnprojected, lastSeq } from './read.ts';

/** Deliveries of all kinds, and those of the kinds that people count. */
export interface DeliveryCounts {
  readonly deliveries: number;
  readonly bookings: number;
  readonly cancellations: number;
  readonly no_shows: number;
}

export interface Period {
  readonly fromMs: number;
  /** Exclusive; absent: up to the end of the log. */
  readonly toMs?: number;
  /** Periods that begin at the same time and end at different ones are counted separately. */
  readonly name: string;
}

export interface DeliveryCounter {
  /** In the order of the periods. */
  count(...periods: readonly Period[]): Promise<readonly DeliveryCounts[]>;
}

export const none: DeliveryCounts = { deliveries: 0, bookings: 0, cancellations: 0, no_shows: 0 };

/** The offset of a time does not change any more once it is this long ago: a delivery may wait for the queue. */
const settledMs = 10 * minuteMs;
const rememberedMs = 9 * dayMs;

interface Counted {
  readonly fromMs: number;
  /** The first offset that is not counted. */
  readonly next: number;
  readonly counts: DeliveryCounts;
}

const counters = new WeakMap<Store, DeliveryCounter>();

/** The counter of a store, with what it has counted so far. */
export function deliveryCounter(store: Store, nowMs: () => number): DeliveryCounter {
  const counter = counters.get(store) ?? createCounter(store, nowMs);
  counters.set(store, counter);
  return counter;
}

function createCounter(store: Store, nowMs: () => number): DeliveryCounter {
  const begins = new Map<number, number>();
  const counted = new Map<string, Counted>();

  async function firstAt(atMs: number, end: number): Promise<number> {
    const known = begins.get(atMs);
    if (known !== undefined) return known;
    const found = await firstSeqSince(store, instantOf(atMs), end);
    // At the end of the log, the next entry may still be an earlier one.
    if (found < end && atMs < nowMs() - settledMs) begins.set(atMs, found);
    return found;
  }

  function expire(): void {
    const beforeMs = nowMs() - rememberedMs;
    for (const atMs of begins.keys()) if (atMs < beforeMs) begins.delete(atMs);
    for (const [key, { fromMs }] of counted) if (fromMs < beforeMs) counted.delete(key);
  }

  async function countOne({ fromMs, toMs, name }: Period, end: number): Promise<DeliveryCounts> {
    const until = toMs === undefined ? end : await firstAt(toMs, end);
    const key = `${name} ${fromMs}`;
    const known = counted.get(key) ?? { fromMs, next: await firstAt(fromMs, end), counts: none };
    if (until <= known.next) return known.counts;
    const added = await countBetween(store, known.next, until);
    const counts = {
      deliveries: known.counts.deliveries + added.deliveries,
      bookings: known.counts.bookings + added.bookings,
      cancellations: known.counts.cancellations + added.cancellations,
      no_shows: known.counts.no_shows + added.no_shows,
    };
    counted.set(key, { fromMs, next: until, counts });
    return counts;
  }

  return {
    async count(...periods) {
      expire();
      const end = (await lastSeq(store)) + 1;
      const counts: DeliveryCounts[] = [];
      for (const period of periods) counts.push(await countOne(period, end));
      return counts;
    },
  };
}

/** The kinds of webhooks are those of no other entries: what was read from the API has kinds of its own. */
async function countBetween({ db }: Store, from: number, until: number): Promise<DeliveryCounts> {
  const range = db.selectFrom('event_log').where('seq', '>=', from).where('seq', '<', until);
  const rows = await range
    .select(({ fn }) => ['event', fn.countAll().as('count')])
    .where('event', 'in', allEventKinds)
    .groupBy('event')
    .execute();
  const unprojected = await range
    .select(({ fn }) => ['event', fn.countAll().as('count')])
    .where(isUnprojected)
    .where('source', '=', 'webhook')
    .groupBy('event')
    .execute();
  const byKind = new Map(rows.map(({ event, count }) => [event, Number(count)]));
  const unread = new Map(unprojected.map(({ event, count }) => [event, Number(count)]));
  const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);
  const others = [...unread].filter(([event]) => event === null || !isEventKind(event));
  /** What is in quarantine booked nothing yet; a replay that applies it moves it to the end of the log. */
  const applied = (kind: EventKind): number => (byKind.get(kind) ?? 0) - (unread.get(kind) ?? 0);
  return {
    deliveries: sum(byKind.values()) + sum(others.map(([, count]) => count)),
    bookings: applied('invitee.created'),
    cancellations: applied('invitee.canceled'),
    no_shows: applied('invitee_no_show.created'),
  };
}

/** Entries that are compared per query. */
const sampled = 64;

/**
 * The first offset that was received at this time or later; `end` when there is none. Entries are nearly in the order of their receipt.
 * Those that a replay or a redaction moved to the end of the log are older than what is before them, so the first later one counts.
 */
export async function firstSeqSince(store: Store, time: string, end: number): Promise<number> {
  // All up to `low` are earlier, and `high` is later.
  let [low, high] = [0, end];
  while (high - low > 1) {
    const between = high - low - 1;
    const size = Math.min(sampled, between);
    const points = Array.from(
      { length: size },
      (_, index) => low + Math.floor(((index + 1) * (high - low)) / (size + 1)),
    );
    const found = await readTimes(store, points);
    // Where moved entries left a gap, the next entry after it.
    const samples = found.length > 0 || size === between ? found : await nextTimes(store, low, high);
    const later = samples.find(({ received_at }) => received_at >= time);
    const earlier = samples.findLast(({ seq }) => seq < (later?.seq ?? high));
    [low, high] = [earlier?.seq ?? low, later?.seq ?? high];
    if (size === between || samples.length === 0) return high;
  }
  return high;
}

const timeColumns = ['seq', 'received_at'] as const;

async function readTimes({ db, engine }: Store, seqs: readonly number[]) {
  const rows = await db.selectFrom('event_log').select(timeColumns).where('seq', 'in', seqs).orderBy('seq').execute();
  return rows.map((row) => decodeColumns(engine, { table: 'event_log', columns: timeColumns }, row));
}

async function nextTimes({ db, engine }: Store, after: number, before: number) {
  const between = db.selectFrom('event_log').select(timeColumns).where('seq', '>', after).where('seq', '<', before);
  const rows = await between.orderBy('seq').limit(1).execute();
  return rows.map((row) => decodeColumns(engine, { table: 'event_log', columns: timeColumns }, row));
}
