// Asks the rule of due alerts again, on the rows as they are now, and loads what their messages are about.
import type { Alert } from '#src/store/alerts/alert-rows.ts';
import { subjectNames } from '#src/store/alerts/alert-subjects.ts';
import type { Store, Unit } from '#src/store/contract.ts';
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
  readonly alert: Alert;
  readonly about: MessageSubject | ReportSubject;
  readonly hosts?: readonly MessageHost[] | undefined;
  /** A retraction stays valid. */
  readonly isCurrent: boolean;
}

/** `alerts`: all of this rule. */
export async function recheck(
  from: Store | Unit,
  rule: AlertRule,
  alerts: readonly Alert[],
): Promise<readonly CheckedAlert[]> {
  if ('graceMs' in rule) return (rule.evening ? recheckReports : recheckBookings)(from, rule, alerts);
  if ('withinMs' in rule) return recheckSubmissions(from, rule, alerts);
  const names = await subjectNames(from, subjectsOf(alerts));
  // A condition is closed by its evaluation only.
  return alerts.map((alert) => ({ alert, about: unknown(alert, names.get(alert.subject_uri)), isCurrent: true }));
}

const subjectsOf = (alerts: readonly Alert[]): readonly string[] => alerts.map(({ subject_uri }) => subject_uri);

const unknown = ({ subject_uri: subject, detail: problem }: Alert, name?: string): MessageSubject => ({
  subject,
  name,
  problem,
});

const isTrue = ({ follows, fact }: Alert, findings: readonly { readonly fact: Fact }[]): boolean =>
  follows !== null || findings.some((found) => encodeFact(found.fact) === fact);

async function recheckBookings(from: Store | Unit, rule: BookingRule, alerts: readonly Alert[]) {
  const withAttendance = rule.readsAttendance;
  const contexts = await loadBookingContexts(from, subjectsOf(alerts), { withAttendance });
  return alerts.map((alert): CheckedAlert => {
    const context = contexts.get(alert.subject_uri);
    if (context === undefined) return { alert, about: unknown(alert), isCurrent: alert.follows !== null };
    const about = { context, fact: decodeBookingFact(alert.fact) };
    return { alert, about, hosts: rule.hostsOf?.(context), isCurrent: isTrue(alert, rule.find(context)) };
  });
}

/** A report lists the bookings of its host and evening that are still unconfirmed, and is over when there are none. */
async function recheckReports(from: Store | Unit, rule: BookingRule, alerts: readonly Alert[]) {
  const names = await subjectNames(from, subjectsOf(alerts));
  const checked: CheckedAlert[] = [];
  for (const alert of alerts) {
    const { subject_uri: host } = alert;
    const fact = decodeBookingFact(alert.fact);
    const bookings = fact.kind === 'unconfirmed' ? await bookingsOfEvening(from, { host, evening: fact.evening }) : [];
    const contexts = [...(await loadBookingContexts(from, bookings, { withAttendance: true })).values()].filter(
      (context) => rule.find(context).some((found) => found.subject === host && encodeFact(found.fact) === alert.fact),
    );
    const about = { host, name: names.get(host), bookings: contexts.map((context) => ({ context, fact })) };
    const hosts = contexts.slice(0, 1).flatMap((context) => rule.hostsOf?.(context, host) ?? []);
    checked.push({ alert, about, isCurrent: contexts.length > 0, ...(rule.hostsOf && { hosts }) });
  }
  return checked;
}

async function recheckSubmissions(from: Store | Unit, rule: SubmissionRule, alerts: readonly Alert[]) {
  const contexts = await loadSubmissionContexts(from, subjectsOf(alerts));
  const booked = await bookingsOfSubmissions(from, subjectsOf(alerts));
  const bookings = await loadBookingContexts(from, [...booked.values()]);
  return alerts.map((alert): CheckedAlert => {
    const submission = contexts.get(alert.subject_uri);
    if (submission === undefined) return { alert, about: unknown(alert), isCurrent: alert.follows !== null };
    const booking = bookings.get(booked.get(alert.subject_uri) ?? '');
    const about = { submission, booking, withinMs: rule.withinMs };
    return { alert, about, isCurrent: isTrue(alert, rule.find(submission)) };
  });
}
