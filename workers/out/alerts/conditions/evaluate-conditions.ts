// Evaluates the conditions, every minute in one process: reads the health of the mirror, asks every rule, and updates the outbox together
// with the state that the next evaluation needs.
import { z } from 'zod';
import { instantOf, minuteMs } from '#src/base/time.ts';
import { readHealthInput, type Installation } from '#src/read/health/read-health.ts';
import { readEndedWithin } from '#src/read/booking-numbers.ts';
import type { Store } from '#src/store/contract.ts';
import { keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import { lockKey } from '#src/store/locks.ts';
import { alertId, applyDesiredAlerts, type DesiredAlert } from '#workers/out/alerts/outbox/apply.ts';
import { encodeFact } from '#workers/out/alerts/rules/fact.ts';
import type { ConditionRule } from '#workers/out/alerts/rules/ruleset.ts';
import type { Job } from '#workers/sync/scheduling/scheduler.ts';
import type { ConditionInput } from './condition.ts';
import { advance, episode, type Episode, type Evaluation } from './debounce.ts';

export interface EvaluationNeeds {
  readonly store: Store;
  readonly nowMs: () => number;
  readonly installation: Installation;
  /** Called after the outbox changed. */
  readonly onOutboxChanged?: () => void;
}

interface EvaluationInput {
  readonly rules: readonly ConditionRule[];
  /** `ALERT_MAX_AGE`. */
  readonly maxAgeMs: number;
}

const stored = keyValue('alerts conditions', z.object({ episodes: z.array(episode).readonly() }));

/** `watchEveryMs` is `WATCH_EVERY`: when subscriptions are checked more often than every minute, so are the conditions. */
export function conditionsJob(
  needs: EvaluationNeeds,
  { watchEveryMs, ...input }: EvaluationInput & { readonly watchEveryMs: number },
): Job {
  // Episodes that were open before this process started may have channels now that they did not have then.
  let isFirst = true;
  return {
    name: 'conditions',
    everyMs: Math.min(minuteMs, watchEveryMs),
    async run() {
      const { begun, over } = await evaluateConditions(needs, { ...input, appliesAll: isFirst });
      isFirst = false;
      return begun + over > 0 ? { begun, over } : undefined;
    },
  };
}

export async function evaluateConditions(
  { store, nowMs, installation, onOutboxChanged }: EvaluationNeeds,
  { rules, maxAgeMs, appliesAll = false }: EvaluationInput & { readonly appliesAll?: boolean },
): Promise<{ readonly begun: number; readonly over: number }> {
  const at = nowMs();
  const { episodes } = (await readValue(store, stored)) ?? { episodes: [] };
  const health: ConditionInput = {
    ...(await readHealthInput(store, { installation, nowMs: at })),
    endedWithin: (by, withinMs) => readEndedWithin(store, { by, from: instantOf(at - withinMs), to: instantOf(at) }),
  };
  const after = advance(episodes, await askRules(rules, health));
  const [open, stillOpen] = [openEpisodes(episodes), openEpisodes(after)];
  const begun = [...stillOpen.keys()].filter((one) => !open.has(one));
  const over = [...open.keys()].filter((one) => !stillOpen.has(one));
  const isChanged = appliesAll || begun.length + over.length > 0;
  await store.transaction(async (unit) => {
    // Serializes concurrent evaluations, so that no alert is inserted twice.
    await lockKey(unit, stored.key);
    await writeValue(unit, stored, { episodes: after });
    if (!isChanged) return;
    const subjects = [...open.values(), ...stillOpen.values()].map(({ subject }) => subject);
    const desired = [...stillOpen.values()].flatMap((one) => desiredAlerts(one, rules));
    await applyDesiredAlerts(unit, { subjects: [...new Set(subjects)], desired, rules, nowMs: at, maxAgeMs });
  });
  if (isChanged) onOutboxChanged?.();
  return { begun: begun.length, over: over.length };
}

async function askRules(rules: readonly ConditionRule[], health: ConditionInput): Promise<Evaluation> {
  const answers = await Promise.all(rules.map(async (rule) => ({ rule: rule.name, found: await rule.find(health) })));
  return {
    found: answers.flatMap(({ rule, found }) => (found ?? []).map((problem) => ({ ...problem, rule }))),
    unknown: new Set(answers.filter(({ found }) => found === undefined).map(({ rule }) => rule)),
    rules: new Set(rules.map(({ name }) => name)),
    now: instantOf(health.nowMs),
  };
}

const openEpisodes = (episodes: readonly Episode[]): ReadonlyMap<string, Episode> =>
  new Map(
    episodes.filter(({ isOpen }) => isOpen).map((one) => [JSON.stringify([one.rule, one.subject, one.since]), one]),
  );

function desiredAlerts(
  { rule, subject: subject_uri, since, message }: Episode,
  rules: readonly ConditionRule[],
): readonly DesiredAlert[] {
  const channels = rules.find(({ name }) => name === rule)?.channels ?? [];
  const fact = encodeFact({ kind: 'condition', since });
  return channels.map((channel) => {
    const identity = { rule, channel, subject_uri, fact };
    // Two evaluations found it already: it needs no further grace.
    return { ...identity, id: alertId(identity), occurred_at: since, graceMs: 0, detail: message };
  });
}
