// Asks the rule of due alerts again, on the rows as they are now, and loads what their messages are about. Runs once per message, while it
// is claimed: the rows of the alerts are locked, so the watcher cannot change them meanwhile.
import { codeOf } from '#src/base/errors.ts';
import { isRetraction, type Alert } from '#src/store/alerts/alert-rows.ts';
import { subjectNames } from '#src/store/alerts/alert-subjects.ts';
import type { Unit } from '#src/store/contract.ts';
import type { ReportSubject } from '#workers/out/alerts/message/digest.ts';
import type { MessageHost, MessageSubject } from '#workers/out/alerts/message/message.ts';
import { bookingsOfEvening } from '#workers/out/alerts/attendance/evening-bookings.ts';
import { loadBookingContexts } from '#src/read/bookings/booking-context.ts';
import { decodeBookingFact, encodeFact, type Fact } from '#workers/out/alerts/rules/fact.ts';
import type { AlertRule, BookingRule, SummaryRule } from '#workers/out/alerts/rules/ruleset.ts';
import type { RecordRule, Subject } from '#workers/out/alerts/rules/subject.ts';
import { bookingSubject } from '#workers/out/alerts/bookings/booking-subject.ts';
import { submissionSubject } from '#workers/out/alerts/submissions/submission-subject.ts';
import { readWeek } from '#workers/out/alerts/summary/weekly-summary.ts';

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
  if (rule.on === 'booking')
    return rule.isReport ? checkReports(unit, rule, alerts) : checkRecords(unit, bookingSubject, { rule, alerts });
  if (rule.on === 'submission') return checkRecords(unit, submissionSubject, { rule, alerts });
  if (rule.on === 'summary') return checkSummaries(unit, rule, alerts);
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

async function checkRecords<Context, Rule extends RecordRule<Context>>(
  unit: Unit,
  subject: Subject<Context, Rule>,
  { rule, alerts }: { readonly rule: Rule; readonly alerts: readonly Alert[] },
): Promise<readonly CheckedAlert[]> {
  const contexts = await subject.load(unit, subjectsOf(alerts), [rule]);
  return alerts.map((alert) => {
    const { id, subject_uri: uri } = alert;
    const context = contexts.get(uri);
    if (context === undefined) return { id, about: unknown(alert), isCurrent: isRetraction(alert) };
    const about = subject.about(context, rule, alert.fact);
    return { id, about, hosts: rule.hostsOf?.(context), ...asked(alert, () => rule.find(context)) };
  });
}

/** Nothing is said about a week without meetings. */
async function checkSummaries(unit: Unit, { zone }: SummaryRule, alerts: readonly Alert[]) {
  const checked: CheckedAlert[] = [];
  for (const alert of alerts) {
    const summary = await readWeek(unit, { fact: alert.fact, zone });
    checked.push({ id: alert.id, about: summary ? { summary } : unknown(alert), isCurrent: summary !== undefined });
  }
  return checked;
}

/** A report lists the bookings of its host and evening that are still unconfirmed, and is over when there are none. It has no retraction. */
async function checkReports(unit: Unit, rule: BookingRule, alerts: readonly Alert[]) {
  const names = await subjectNames(unit, subjectsOf(alerts));
  const checked: CheckedAlert[] = [];
  for (const alert of alerts) {
    const { subject_uri: host } = alert;
    const fact = decodeBookingFact(alert.fact);
    const bookings = fact.kind === 'unconfirmed' ? await bookingsOfEvening(unit, { host, evening: fact.evening }) : [];
    const contexts = [...(await loadBookingContexts(unit, bookings)).values()].filter((context) =>
      rule.find(context).some((found) => found.subject === host && encodeFact(found.fact) === alert.fact),
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
