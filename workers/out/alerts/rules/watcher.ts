// Follows the log and evaluates the rules of every booking and submission it affects, on the rows as they are now and whatever the order
// of events. The log is written with the rows it describes, so it serves as the outbox of changes; the watcher turns it into the outbox of
// alerts. Some facts become true only as time passes: the watcher also evaluates what has become due since it last looked.
//
//   log ──page──▶ affected records ──rules──▶ ┌ outbox ← the difference
//   clock ──────▶ due records ────────┘       └ offset        (one transaction)
//
// Rows are read outside of the transaction. A row that changes meanwhile has a later log entry and is evaluated again.
import { isTransient } from '#src/base/errors.ts';
import { instantOf, sleepUnlessAborted } from '#src/base/time.ts';
import type { Tail } from '#src/feed/tail.ts';
import { alertsAbout, deleteAlerts } from '#src/store/alerts/alert-rows.ts';
import { nextLogPage, type ChangeEntry } from '#src/read/deliveries/log-changes.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { lockKey } from '#src/store/locks.ts';
import { advancePosition, lockPosition, readPosition } from '#src/store/log/consumer-offsets.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { addReports, applyDesiredAlerts, type DesiredAlert } from '#workers/out/alerts/outbox/apply.ts';
import { distinct } from '#src/read/contacts/contacts-by-address.ts';
import { bookingSubject } from '#workers/out/alerts/bookings/booking-subject.ts';
import { submissionSubject } from '#workers/out/alerts/submissions/submission-subject.ts';
import type { BookingRule, SubmissionRule, WatchedRule } from './ruleset.ts';
import { evaluate, type Evaluation, type RecordRule, type Subject } from './subject.ts';

export interface WatcherNeeds {
  readonly store: Store;
  readonly nowMs: () => number;
  /** Called after the outbox changed. */
  onOutboxChanged?(): void;
}

export interface WatcherInput {
  readonly rules: readonly WatchedRule[];
  /** `ALERT_MAX_AGE`: facts older than this are never reported. */
  readonly maxAgeMs: number;
  /** When each rule was first loaded: earlier facts are not reported. Absent: all facts are. */
  readonly firstLoaded?: ReadonlyMap<string, string>;
}

/** The name of the watcher's consumer offset. */
export const watcherConsumer = 'alerts:bookings';

const pageLimit = 200;
const saveEveryMs = 1_000;
const retryMs = 1_000;
/** How often the watcher looks for what has become due. */
const lookEveryMs = 10_000;

/** Runs until `signal` aborts. The caller holds a lease; two watchers at once waste work, but the offset keeps the outbox right. */
export async function watch(
  needs: WatcherNeeds & { readonly tail: Pick<Tail, 'beyond' | 'closing'> },
  input: WatcherInput,
  signal: AbortSignal,
): Promise<void> {
  const stopping = AbortSignal.any([signal, needs.tail.closing]);
  const steps = stepsOf(needs, input);
  const isTimed = input.rules.some((rule) => rule.isTimed);
  while (!stopping.aborted) {
    try {
      const { offset, isEnd } = await steps.next();
      if (isEnd) await needs.tail.beyond(offset, isTimed ? lookAgain(stopping) : stopping);
    } catch (error) {
      if (!isTransient(error)) throw error;
      await sleepUnlessAborted(retryMs, stopping);
    }
  }
  await steps.save();
}

const lookAgain = (stopping: AbortSignal): AbortSignal => AbortSignal.any([stopping, AbortSignal.timeout(lookEveryMs)]);

/** Creates the consumer offset at the end of the log, so that a new installation reports what happens from now on. Returns the offset. */
export async function registerWatcher({ store, nowMs }: Pick<WatcherNeeds, 'store' | 'nowMs'>): Promise<number> {
  const existing = await readPosition(store, watcherConsumer);
  return existing ?? store.transaction((unit) => createOffset(unit, instantOf(nowMs())));
}

interface Steps {
  next(): Promise<{ readonly offset: number; readonly isEnd: boolean }>;
  /** Saves the offset where it was not saved together with a change. */
  save(): Promise<void>;
}

function stepsOf(needs: WatcherNeeds, input: WatcherInput): Steps {
  const { store, nowMs } = needs;
  let saved: number | undefined;
  let offset = 0;
  let savedMs = 0;
  /** What became due up to this time is in the outbox. */
  let lookedMs = 0;

  async function begin(): Promise<void> {
    saved = await registerWatcher({ store, nowMs });
    offset = saved;
    savedMs = nowMs();
    // Older facts are not reported.
    lookedMs = savedMs - input.maxAgeMs;
  }

  /** Does nothing when another watcher has moved the offset: what was read is stale then, and reading begins again there. */
  async function commit(end: number, change: (unit: Unit) => Promise<number>): Promise<void> {
    const changed = await store.transaction(async (unit) => {
      if ((await lockPosition(unit, watcherConsumer)) !== saved) return undefined;
      const count = await change(unit);
      await advancePosition(unit, { name: watcherConsumer, position: end, updated_at: instantOf(nowMs()) });
      return count;
    });
    if (changed === undefined) {
      saved = undefined;
      return;
    }
    saved = end;
    offset = end;
    savedMs = nowMs();
    if (changed > 0) needs.onOutboxChanged?.();
  }

  async function save(): Promise<void> {
    if (saved !== undefined && offset > saved) await commit(offset, async () => 0);
  }

  return {
    save,
    async next() {
      if (saved === undefined) await begin();
      const { end, isLast, entries } = await nextLogPage(store, { after: offset, limit: pageLimit });
      const at = { ...input, nowMs: nowMs() };
      const isLook = at.nowMs - lookedMs >= lookEveryMs;
      const evaluation = await evaluateRound(store, at, { entries, ...(isLook && { lookedMs }) });
      if (evaluation.subjects.length + evaluation.erased.length > 0) {
        await commit(end, (unit) => applyPage(unit, at, evaluation));
      } else {
        offset = end;
        if (nowMs() - savedMs >= saveEveryMs) await save();
      }
      if (isLook && saved !== undefined) lookedMs = at.nowMs;
      return { offset, isEnd: isLast };
    },
  };
}

interface WatcherRound {
  readonly entries: readonly ChangeEntry[];
  /** Also evaluate what became due after this time. */
  readonly lookedMs?: number;
}

type WatcherInputAt = WatcherInput & { readonly nowMs: number };

async function evaluateRound(store: Store, at: WatcherInputAt, round: WatcherRound): Promise<Evaluation> {
  const { rules } = at;
  const evaluated = [
    await evaluateSubject(store, at, { ...round, subject: bookingSubject, rules: rules.filter(isAboutBookings) }),
    await evaluateSubject(store, at, { ...round, subject: submissionSubject, rules: rules.filter(isAboutSubmissions) }),
  ];
  return {
    subjects: evaluated.flatMap(({ subjects }) => subjects),
    erased: evaluated.flatMap(({ erased }) => erased),
    desired: evaluated.flatMap(({ desired }) => desired),
    reports: evaluated.flatMap(({ reports }) => reports),
  };
}

const isAboutBookings = (rule: WatchedRule): rule is BookingRule => rule.on === 'booking';
const isAboutSubmissions = (rule: WatchedRule): rule is SubmissionRule => rule.on === 'submission';

interface SubjectRound<Context, Rule extends RecordRule<Context>> extends WatcherRound {
  readonly subject: Subject<Context, Rule>;
  readonly rules: readonly Rule[];
}

async function evaluateSubject<Context, Rule extends RecordRule<Context>>(
  store: Store,
  { nowMs, maxAgeMs }: WatcherInputAt,
  { subject, rules, entries, lookedMs }: SubjectRound<Context, Rule>,
): Promise<Evaluation> {
  const since = instantOf(nowMs - maxAgeMs);
  const isIdle = rules.length === 0 || entries.length === 0;
  const affected = isIdle ? [] : await subject.affected(store, entries, { rules, since });
  const period = { afterMs: lookedMs ?? nowMs, throughMs: nowMs };
  const due = lookedMs === undefined ? [] : await subject.due(store, { rules, ...period });
  return evaluate(subject, store, { uris: distinct([...affected, ...due]), rules, nowMs });
}

async function applyPage(
  unit: Unit,
  { rules, maxAgeMs, firstLoaded, nowMs }: WatcherInputAt,
  { subjects, erased, desired, reports }: Evaluation,
): Promise<number> {
  // Alerts about erased people are deleted: nothing is sent about them any more, not even a retraction.
  const alertsToDelete = await alertsAbout(unit, erased);
  await deleteAlerts(
    unit,
    alertsToDelete.map(({ id }) => id),
  );
  const isAfterLoad = ({ rule, occurred_at: at }: DesiredAlert) => at >= (firstLoaded?.get(rule) ?? '');
  const active = { rules, nowMs, maxAgeMs };
  const added = await addReports(unit, reports.filter(isAfterLoad), active);
  return added + (await applyDesiredAlerts(unit, { ...active, subjects, desired: desired.filter(isAfterLoad) }));
}

async function createOffset(unit: Unit, updated_at: string): Promise<number> {
  await lockKey(unit, watcherConsumer);
  const existing = await readPosition(unit, watcherConsumer);
  if (existing !== undefined) return existing;
  const position = await lastSeq(unit);
  await advancePosition(unit, { name: watcherConsumer, position, updated_at });
  return position;
}
