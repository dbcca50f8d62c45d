// Submissions of routing forms as what rules are about. They are evaluated when log entries are about them, and when their time without a
// booking is over.
import { propertyOf } from '#schemas/wire.ts';
import { instantOf } from '#src/base/time.ts';
import { alertedSubjects, alertsAbout } from '#src/store/alerts/alert-rows.ts';
import { changesOfEntries, erasureFamily, type ChangeEntry } from '#src/read/deliveries/log-changes.ts';
import { submissionsOfForms, unbookedOfAddresses, unbookedWithin } from '#src/read/people/submissions.ts';
import type { Store } from '#src/store/contract.ts';
import { readColumns } from '#src/store/rows.ts';
import { valueBefore } from '#workers/out/alerts/bookings/affected-bookings.ts';
import type { SubmissionRule } from '#workers/out/alerts/rules/ruleset.ts';
import type { Subject } from '#workers/out/alerts/rules/subject.ts';
import { tableOfEvent } from '#workers/fold/projections/touches.ts';
import { loadSubmissionContexts } from './submission-context.ts';
import type { SubmissionContext } from './submission.ts';

type Rules = readonly SubmissionRule[];

export const submissionSubject: Subject<SubmissionContext, SubmissionRule> = {
  affected,
  async due(store, { rules, afterMs, throughMs }) {
    const found: string[] = [];
    for (const withinMs of new Set(rules.map((rule) => rule.withinMs)))
      found.push(...(await unbookedWithin(store, { afterMs: afterMs - withinMs, throughMs: throughMs - withinMs })));
    return [...new Set(found)];
  },
  load: loadSubmissionContexts,
  about: (submission, { withinMs }) => ({ submission, withinMs }),
};

async function affected(
  store: Store,
  entries: readonly ChangeEntry[],
  { rules, since }: { readonly rules: Rules; readonly since: string },
): Promise<readonly string[]> {
  const urisOf = (isMeant: (family: string) => boolean) =>
    entries.flatMap(({ family, uri }) => (isMeant(family) ? [uri] : []));
  const own = urisOf((family) => family === 'routing_form_submission' || family === erasureFamily);
  const isBooking = (family: string): boolean => tableOfEvent(family) === 'invitees';
  const booked = await readColumns(store, 'invitees', {
    columns: bookingColumns,
    key: 'uri',
    values: [...new Set(urisOf(isBooking))],
  });
  const former = await formerValues(
    store,
    entries.filter(({ family }) => isBooking(family)),
  );
  const values = [...booked, ...former];
  const found = [...own, ...values.flatMap(({ routing_form_submission: uri }) => uri ?? [])];
  found.push(...(await ofSameAddress(store, values, { rules, oldest: oldestOf(rules, since) })));
  const forms = rules.some(({ filter }) => filter.form !== undefined)
    ? urisOf((family) => family === 'routing_form')
    : [];
  if (forms.length > 0) {
    found.push(...(await submissionsOfForms(store, forms, oldestOf(rules, since))));
    found.push(
      ...(await alertedSubjects(
        store,
        rules.map(({ name }) => name),
        since,
      )),
    );
  }
  return worthEvaluating(store, [...new Set(found)], oldestOf(rules, since));
}

/** The submissions of facts since then were created after this time. */
const oldestOf = (rules: Rules, since: string): string =>
  instantOf(Date.parse(since) - Math.max(...rules.map(({ withinMs }) => withinMs)));

const bookingColumns = ['routing_form_submission', 'email', 'created_at'] as const;
type BookingValues = Readonly<Partial<Record<(typeof bookingColumns)[number], string | null>>>;

/** A booking may refer to a submission no more, or may have had another address or time. */
async function formerValues(store: Store, entries: readonly ChangeEntry[]): Promise<readonly BookingValues[]> {
  const found: BookingValues[] = [];
  for await (const { changes } of changesOfEntries(store, entries)) {
    const before = bookingColumns.map((column) => {
      const value = valueBefore(propertyOf(propertyOf(changes, 'invitees'), column));
      return [column, typeof value === 'string' ? value : null] as const;
    });
    found.push(Object.fromEntries(before));
  }
  return found;
}

/** The submissions that these bookings, or what they were before, may be about by their address. */
async function ofSameAddress(
  store: Store,
  bookings: readonly BookingValues[],
  { rules, oldest }: { readonly rules: Rules; readonly oldest: string },
): Promise<readonly string[]> {
  const addresses = bookings.flatMap(({ email }) => email ?? []);
  const times = bookings.flatMap(({ created_at: at }) => at ?? []).toSorted();
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined || last < oldest) return [];
  const from = oldestOf(rules, first);
  return unbookedOfAddresses(store, addresses, { from: from < oldest ? oldest : from, through: last });
}

/** Recent submissions and those with alerts: the others cannot change the outbox. */
async function worthEvaluating(store: Store, uris: readonly string[], oldest: string): Promise<readonly string[]> {
  const rows = await readColumns(store, 'routing_form_submissions', {
    columns: ['uri', 'created_at'],
    key: 'uri',
    values: uris,
  });
  const alerted = new Set((await alertsAbout(store, uris)).map(({ subject_uri }) => subject_uri));
  return rows.filter(({ uri, created_at: at }) => (at ?? '') >= oldest || alerted.has(uri)).map(({ uri }) => uri);
}
