// Asks the rule of due alerts again, on the rows as they are now, and loads what their messages are about. Runs once per message, while it
// is claimed: the rows of the alerts are locked, so the watcher cannot change them meanwhile.
import { codeOf } from '#src/base/errors.ts';
import { isRetraction, type Alert } from '#src/store/alerts/alert-rows.ts';
import { subjectNames } from '#src/store/alerts/alert-subjects.ts';
import type { Unit } from '#src/store/contract.ts';
import type { ReportSubject } from '#workers/alerts/message/digest.ts';
import type { MessageHost, MessageSubject } from '#workers/alerts/message/message.ts';
import { bookingsOfEvening } from '#workers/alerts/attendance/evening-bookings.ts';
import { loadBookingContexts } from '#src/read/bookings/booking-context.ts';
import { decodeBookingFact, encodeFact, type Fact } from '#workers/alerts/rules/fact.ts';
import type { AlertRule, BookingRule, SubmissionRule } from '#workers/alerts/rules/ruleset.ts';
import { bookingsOfSubmissions } from '#src/read/people/submissions.ts';
import { loadSubmissionContexts } from '#workers/alerts/submissions/submission-context.ts';

/** An alert and what its message is about. */
export interface CheckedAlert {
  readonly id: string;
  readonly about: MessageSubject | ReportSubject;
  readonly hosts?: readonly MessageHost[] | undefined;
  /** A retraction stays valid. */
  readonly isCurrent: boolean;
  /** Why the rule could not be asked. */
  readonly problem?: string;
}

/** `alerts`: all of this rule. */
export async function checkAlerts(
  unit: Unit,
  rule: AlertRule,
  alerts: readonly Alert[],
): Promise<readonly CheckedAlert[]> {
  if ('graceMs' in rule) return (rule.evening ? checkReports : checkBookings)(unit, rule, alerts);
  if ('withinMs' in rule) return checkSubmissions(unit, rule, alerts);
  const names = await subjectNames(unit, subjectsOf(alerts));
  // A condition is closed by its evaluation only.
  return alerts.map((alert) => ({
    id: alert.id,
    about: unknown(alert, names.get(alert.subject_uri)),
    isCurrent: true,
  }));
}

const subjectsOf = (alerts: readonly Alert[]): readonly string[] => alerts.map(({ subject_uri }) => subject_uri);

const unknown = ({ subject_uri: subject, detail: problem }: Alert, name?: string): MessageSubject => ({
  subject,
  name,
  problem,
});

/** A rule that fails for one record must not delay the alerts about others. */
function asked(alert: Alert, find: () => readonly { readonly fact: Fact }[]) {
  if (isRetraction(alert)) return { isCurrent: true };
  try {
    return { isCurrent: find().some(({ fact }) => encodeFact(fact) === alert.fact) };
  } catch (error) {
    return { isCurrent: true, problem: codeOf(error) };
  }
}

async function checkBookings(unit: Unit, rule: BookingRule, alerts: readonly Alert[]) {
  const withAttendance = rule.readsAttendance;
  const contexts = await loadBookingContexts(unit, subjectsOf(alerts), { withAttendance });
  return alerts.map((alert): CheckedAlert => {
    const context = contexts.get(alert.subject_uri);
    const { id } = alert;
    if (context === undefined) return { id, about: unknown(alert), isCurrent: isRetraction(alert) };
    const about = { context, fact: decodeBookingFact(alert.fact) };
    return { id, about, hosts: rule.hostsOf?.(context), ...asked(alert, () => rule.find(context)) };
  });
}

/** A report lists the bookings of its host and evening that are still unconfirmed, and is over when there are none. It has no retraction. */
async function checkReports(unit: Unit, rule: BookingRule, alerts: readonly Alert[]) {
  const names = await subjectNames(unit, subjectsOf(alerts));
  const checked: CheckedAlert[] = [];
  for (const alert of alerts) {
    const { subject_uri: host } = alert;
    const fact = decodeBookingFact(alert.fact);
    const bookings = fact.kind === 'unconfirmed' ? await bookingsOfEvening(unit, { host, evening: fact.evening }) : [];
    const contexts = [...(await loadBookingContexts(unit, bookings, { withAttendance: true })).values()].filter(
      (context) => rule.find(context).some((found) => found.subject === host && encodeFact(found.fact) === alert.fact),
    );
    const about = { host, name: names.get(host), bookings: contexts.map((context) => ({ context, fact })) };
    const hosts = contexts.slice(0, 1).flatMap((context) => rule.hostsOf?.(context, host) ?? []);
    checked.push({
      id: alert.id,
      about,
      isCurrent: !isRetraction(alert) && contexts.length > 0,
      ...(rule.hostsOf && { hosts }),
    });
  }
  return checked;
}

async function checkSubmissions(unit: Unit, rule: SubmissionRule, alerts: readonly Alert[]) {
  const contexts = await loadSubmissionContexts(unit, subjectsOf(alerts));
  const booked = await bookingsOfSubmissions(unit, subjectsOf(alerts));
  const bookings = await loadBookingContexts(unit, [...booked.values()]);
  return alerts.map((alert): CheckedAlert => {
    const submission = contexts.get(alert.subject_uri);
    const { id } = alert;
    if (submission === undefined) return { id, about: unknown(alert), isCurrent: isRetraction(alert) };
    const booking = bookings.get(booked.get(alert.subject_uri) ?? '');
    const about = { submission, booking, withinMs: rule.withinMs };
    return { id, about, ...asked(alert, () => rule.find(submission)) };
  });
}
