// Finds that the time of a weekly summary has come. It is an alert about one week, so that it is sent once, whichever process finds it; it is
// not retracted.
import { localClock, localInstant } from '#src/base/time-zone.ts';
import { dayMs, dayOf, instantOf, minuteMs } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { lockKey } from '#src/store/locks.ts';
import { addReports, alertId } from '#workers/out/alerts/outbox/apply.ts';
import { minutesIn } from '#workers/out/alerts/outbox/quiet-hours.ts';
import { registerRules } from '#workers/out/alerts/rules/first-loaded.ts';
import type { SummaryRule } from '#workers/out/alerts/rules/ruleset.ts';
import type { Job } from '#workers/sync/scheduling/scheduler.ts';

interface SummaryNeeds {
  readonly store: Store;
  readonly nowMs: () => number;
  onOutboxChanged(): void;
}

/** Adds the summaries of the week whose time has come. */
export const summaryJob = (
  { store, nowMs, onOutboxChanged }: SummaryNeeds,
  { rules, maxAgeMs }: { readonly rules: readonly SummaryRule[]; readonly maxAgeMs: number },
): Job => ({
  name: 'weekly_summary',
  everyMs: minuteMs,
  async run() {
    const at = nowMs();
    const firstLoaded = await registerRules(store, rules, instantOf(at));
    const due = rules.flatMap((rule) => {
      const { week, dueMs } = lastWeek(rule, at);
      const occurred_at = instantOf(dueMs);
      if (dueMs > at || occurred_at < (firstLoaded.get(rule.name) ?? '')) return [];
      return rule.channels.map((channel) => {
        const identity = { rule: rule.name, channel, subject_uri: 'mirror', fact: `week ${week}` };
        return { ...identity, id: alertId(identity), occurred_at, graceMs: 0 };
      });
    });
    const added = await store.transaction(async (unit) => {
      await lockKey(unit, 'weekly_summary');
      return addReports(unit, due, { nowMs: at, maxAgeMs });
    });
    if (added > 0) onOutboxChanged();
    return added > 0 ? { added } : undefined;
  },
});

/** The week before the one that the clocks of the zone show, and when it is reported. */
function lastWeek({ at, zone }: Pick<SummaryRule, 'at' | 'zone'>, nowMs: number) {
  const local = localClock(zone)?.(nowMs) ?? new Date(nowMs);
  const monday = Date.parse(dayOf(local.getTime() - ((local.getUTCDay() + 6) % 7) * dayMs));
  return { week: dayOf(monday - 7 * dayMs), dueMs: localInstant(monday + minutesIn(at) * minuteMs, zone) };
}
