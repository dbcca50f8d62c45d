// Evaluates the rules on records as they are now: the alerts that should exist about them.
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { alertId, type DesiredAlert } from '#workers/alerts/outbox/apply.ts';
import { loadSubmissionContexts } from '#workers/alerts/submissions/submission-context.ts';
import { loadBookingContexts } from '#src/read/bookings/booking-context.ts';
import { encodeFact, type BookingFact, type SubmissionFact } from './fact.ts';
import type { Finding } from './rule.ts';
import type { BookingRule, SubmissionRule } from './ruleset.ts';

export interface Evaluation {
  /** What was evaluated, by URI. */
  readonly subjects: readonly string[];
  /** Records of erased people, about which nothing is sent any more. */
  readonly erased: readonly string[];
  readonly desired: readonly DesiredAlert[];
  /** Reports to hosts; the same one for every booking that it lists. */
  readonly reports: readonly DesiredAlert[];
}

export async function evaluateBookings(
  store: Store,
  uris: readonly string[],
  { rules, nowMs }: { readonly rules: readonly BookingRule[]; readonly nowMs: number },
): Promise<Evaluation> {
  const withAttendance = rules.some(({ readsAttendance }) => readsAttendance);
  const contexts = await loadBookingContexts(store, uris, { withAttendance });
  const alertsOf = (wanted: readonly BookingRule[]) =>
    [...contexts].flatMap(([uri, context]) =>
      wanted.flatMap((rule) =>
        desiredAlerts(rule, uri, rule.evening ? due(rule.find(context), nowMs) : rule.find(context)),
      ),
    );
  return {
    ...partsOf(uris, contexts),
    desired: alertsOf(rules.filter(({ evening }) => evening === undefined)),
    reports: alertsOf(rules.filter(({ evening }) => evening !== undefined)),
  };
}

/** A submission without a booking is reported when its time is over. */
export async function evaluateSubmissions(
  store: Store,
  uris: readonly string[],
  { rules, nowMs }: { readonly rules: readonly SubmissionRule[]; readonly nowMs: number },
): Promise<Evaluation> {
  const contexts = await loadSubmissionContexts(store, uris);
  const desired = [...contexts].flatMap(([uri, context]) =>
    rules.flatMap((rule) => desiredAlerts({ ...rule, graceMs: 0 }, uri, due(rule.find(context), nowMs))),
  );
  return { ...partsOf(uris, contexts), desired, reports: [] };
}

/** Of facts that are true from their time on, those whose time has come. */
function due<Found extends { readonly occurredAt: string }>(
  findings: readonly Found[],
  nowMs: number,
): readonly Found[] {
  const now = instantOf(nowMs);
  return findings.filter(({ occurredAt }) => occurredAt <= now);
}

function partsOf(uris: readonly string[], contexts: ReadonlyMap<string, unknown>) {
  return { subjects: [...contexts.keys()], erased: uris.filter((uri) => !contexts.has(uri)) };
}

/** One alert for each channel of the rule. */
function desiredAlerts(
  { name: rule, channels, graceMs }: Pick<BookingRule, 'name' | 'channels' | 'graceMs'>,
  uri: string,
  findings: readonly Finding<BookingFact | SubmissionFact>[],
): readonly DesiredAlert[] {
  return findings.flatMap(({ fact, occurredAt, subject = uri }) =>
    channels.map((channel) => {
      const identity = { rule, channel, subject_uri: subject, fact: encodeFact(fact) };
      return { ...identity, id: alertId(identity), occurred_at: occurredAt, graceMs };
    }),
  );
}
