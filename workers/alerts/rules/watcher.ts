// Reads the log as it grows and asks the rules about every booking it tells of: what is so now, whatever happened in which order.
// The log is the outbox of what happened, written with the rows it tells of; this makes of it the outbox of what to say.
//
//   log ──stretch──▶ bookings ──what is so──▶ ┌ alerts ← the difference
//                                            └ position
//
// Rows are read outside of the transaction. What changes meanwhile has its entry further on, and is asked about again.
import { sleepUnlessAborted } from '#src/base/time.ts';
import { isTransient } from '#src/base/errors.ts';
import type { Tail } from '#src/feed/tail.ts';
import { alertsAbout, removeAlerts } from '#src/store/alerts/alert-rows.ts';
import { lockKey } from '#src/store/locks.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/log.ts';
import { advancePosition, readPosition } from '#src/store/log/consumer-offsets.ts';
import { readUnchecked, type StoredRow } from '#src/store/rows.ts';
import { loadCases } from './booking-context.ts';
import { alertId, settleAlerts, timeOf, type WantedAlert } from '#workers/alerts/outbox/apply.ts';
import type { Case } from './rule.ts';
import type { BookingRule } from './ruleset.ts';
import { bookingsIn, nextStretch } from './affected-bookings.ts';

export interface WatcherNeeds {
  readonly store: Store;
  readonly nowMs: () => number;
  /** Told after alerts changed. */
  onSettled?(): void;
}

export interface WatcherInput {
  readonly rules: readonly BookingRule[];
  /** `ALERT_MAX_AGE`: what happened longer ago is never told. */
  readonly maxAgeMs: number;
}

export const watcherPosition = 'alerts:bookings';

const pageLimit = 200;
const noteEveryMs = 1_000;
const storeAgainMs = 1_000;

/** Until `signal`. Its caller sees to it that nobody else does; should somebody all the same, nothing is said wrongly. */
export async function watch(
  needs: WatcherNeeds & { readonly tail: Pick<Tail, 'beyond' | 'closing'> },
  input: WatcherInput,
  signal: AbortSignal,
): Promise<void> {
  const over = AbortSignal.any([signal, needs.tail.closing]);
  const steps = stepsOf(needs, input);
  while (!over.aborted) {
    try {
      const { place, isEnd } = await steps.next();
      if (isEnd) await needs.tail.beyond(place, over);
    } catch (error) {
      if (!isTransient(error)) throw error;
      await sleepUnlessAborted(storeAgainMs, over);
    }
  }
  await steps.note();
}

/** A new one tells of what happens from now on: it has its place before anything is folded, and comes back to it. */
export async function placeWatcher({ store, nowMs }: Pick<WatcherNeeds, 'store' | 'nowMs'>): Promise<number> {
  const known = await readPosition(store, watcherPosition);
  return known ?? store.transaction((unit) => placed(unit, timeOf(nowMs())));
}

/** Once through to the end of the log; what `watch` does when it is woken. */
export async function catchUp(needs: WatcherNeeds, input: WatcherInput): Promise<void> {
  const steps = stepsOf(needs, input);
  for (let isEnd = false; !isEnd;) ({ isEnd } = await steps.next());
  await steps.note();
}

interface Steps {
  next(): Promise<{ readonly place: number; readonly isEnd: boolean }>;
  /** Keeps the place in the store, where it was not kept with what changed. */
  note(): Promise<void>;
}

function stepsOf(needs: WatcherNeeds, input: WatcherInput): Steps {
  const { store, nowMs } = needs;
  const interest = {
    contacts: input.rules.filter(({ asksContact }) => asksContact).map(({ name }) => name),
    marks: input.rules.some(({ asksMarks }) => asksMarks),
    events: input.rules.some(({ asksEvent }) => asksEvent),
  };
  let noted: number | undefined;
  let place = 0;
  let notedMs = 0;

  async function begin(): Promise<void> {
    noted = await placeWatcher({ store, nowMs });
    place = noted;
    notedMs = nowMs();
  }

  /** False when somebody else has moved the position: what was read is not to be believed any more. */
  async function commit(end: number, change: (unit: Unit) => Promise<number>): Promise<boolean> {
    const changed = await store.transaction(async (unit) => {
      const standing = await heldPosition(unit);
      if (standing !== noted) return undefined;
      const count = await change(unit);
      await advancePosition(unit, { name: watcherPosition, position: end, updatedAt: timeOf(nowMs()) });
      return count;
    });
    if (changed === undefined) {
      noted = undefined;
      return false;
    }
    noted = end;
    place = end;
    notedMs = nowMs();
    if (changed > 0) needs.onSettled?.();
    return true;
  }

  async function note(): Promise<void> {
    if (noted !== undefined && place > noted) await commit(place, async () => 0);
  }

  return {
    note,
    async next() {
      if (noted === undefined) await begin();
      const { end, entries } = await nextStretch(store, { after: place, limit: pageLimit });
      if (end === place) {
        if (nowMs() - notedMs >= noteEveryMs) await note();
        return { place, isEnd: true };
      }
      const subjects =
        entries.length === 0
          ? []
          : await bookingsIn(store, entries, { interest, since: timeOf(nowMs() - input.maxAgeMs) });
      const asked = await worthAsking(store, subjects, { ...input, nowMs: nowMs() });
      if (asked.length > 0) {
        const cases = await loadCases(store, asked);
        await commit(end, (unit) => settlePage(unit, { ...input, nowMs: nowMs() }, { asked, cases }));
      } else {
        place = end;
        if (nowMs() - notedMs >= noteEveryMs) await note();
      }
      return { place, isEnd: false };
    },
  };
}

interface Now extends WatcherInput {
  readonly nowMs: number;
}

/** Those with something recent enough to be told, or about which something was told: nothing can come of the others. */
async function worthAsking(
  store: Store,
  subjects: readonly string[],
  { rules, maxAgeMs, nowMs }: Now,
): Promise<readonly string[]> {
  if (subjects.length === 0) return [];
  const told = new Set((await alertsAbout(store, subjects)).map(({ subjectUri }) => subjectUri));
  const moments = [...new Set(rules.flatMap((rule) => rule.moments))];
  const since = timeOf(nowMs - maxAgeMs);
  const columns = ['uri', ...moments];
  const rows = await readUnchecked(store, 'invitees', { columns, key: 'uri', values: subjects });
  const isRecent = (row: StoredRow) => moments.some((name) => String(row[name] ?? '') >= since);
  const recent = new Set(rows.filter(isRecent).map(({ uri }) => String(uri)));
  return subjects.filter((uri) => told.has(uri) || recent.has(uri));
}

interface Page {
  readonly asked: readonly string[];
  readonly cases: ReadonlyMap<string, Case>;
}

async function settlePage(unit: Unit, { rules, maxAgeMs, nowMs }: Now, { asked, cases }: Page): Promise<number> {
  const subjects = asked.filter((uri) => cases.has(uri));
  const wanted = subjects.flatMap((uri) => wantedOf(rules, cases.get(uri) as Case));
  // Whoever is erased is not spoken of any more, not even to take back what was said.
  const gone = await alertsAbout(
    unit,
    asked.filter((uri) => !cases.has(uri)),
  );
  await removeAlerts(
    unit,
    gone.map(({ id }) => id),
  );
  return settleAlerts(unit, { subjects, wanted, rules, nowMs, maxAgeMs });
}

/** What rules find to be so of one booking, for each of their channels. */
export function wantedOf(rules: readonly BookingRule[], known: Case): readonly WantedAlert[] {
  const subjectUri = known.invitee.uri ?? '';
  return rules.flatMap(({ name: rule, channels, graceMs, find }) =>
    find(known).flatMap((finding) =>
      channels.map((channel) => {
        const about = { rule, channel, subjectUri, ...finding };
        return { ...about, id: alertId(about), graceMs };
      }),
    ),
  );
}

/** Held: of two who watch at once the second sees what the first has done. */
async function heldPosition({ db, engine }: Unit): Promise<number | undefined> {
  const query = db.selectFrom('feed_consumers').select('position').where('name', '=', watcherPosition);
  const row = await (engine.manyWriters ? query.forUpdate() : query).executeTakeFirst();
  return row === undefined ? undefined : row.position;
}

async function placed(unit: Unit, updatedAt: string): Promise<number> {
  await lockKey(unit, watcherPosition);
  const known = await readPosition(unit, watcherPosition);
  if (known !== undefined) return known;
  const position = await lastSeq(unit);
  await advancePosition(unit, { name: watcherPosition, position, updatedAt });
  return position;
}
