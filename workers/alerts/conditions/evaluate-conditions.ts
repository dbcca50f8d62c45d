// One round of the conditions, every minute by one process: reads how the mirror stands, asks every rule, and brings the outbox to
// what has begun and what is over, together with what has to be remembered for the next round.
import { z } from 'zod';
import type { Store } from '#src/store/contract.ts';
import type { Job } from '#workers/scheduling/scheduler.ts';
import { keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import { lockKey } from '#src/store/locks.ts';
import { advance, type Episode, type Heard } from './debounce.ts';
import { alertId, settleAlerts, timeOf, type WantedAlert } from '#workers/alerts/outbox/apply.ts';
import { readMirror } from './mirror-health.ts';
import type { ConditionRule } from '#workers/alerts/rules/ruleset.ts';

export interface RoundNeeds {
  readonly store: Store;
  readonly nowMs: () => number;
  /** Told when something is to leave. */
  readonly onSettled?: () => void;
}

export interface RoundInput {
  readonly rules: readonly ConditionRule[];
  /** `ALERT_MAX_AGE`. */
  readonly maxAgeMs: number;
}

const minuteMs = 60_000;

const memory = z.object({
  look: z.object({ seq: z.number(), atMs: z.number() }).optional(),
  episodes: z.array(
    z.object({
      rule: z.string(),
      subject: z.string(),
      message: z.string(),
      since: z.string(),
      isOpen: z.boolean(),
      against: z.number(),
    }),
  ),
});
const stored = keyValue('alerts conditions', memory);

export interface ConditionsInput extends RoundInput {
  /** How often the subscriptions are looked after: what is looked at more often than every minute is asked about as often. */
  readonly watchEveryMs: number;
}

export function conditionsJob(needs: RoundNeeds, { watchEveryMs, ...input }: ConditionsInput): Job {
  // What was open before this process came may have channels now that it had not then.
  let isFirst = true;
  return {
    name: 'conditions',
    everyMs: Math.min(minuteMs, watchEveryMs),
    async run() {
      const { begun, over } = await conditionRound(needs, { ...input, settlesAll: isFirst });
      isFirst = false;
      return begun + over > 0 ? { begun, over } : undefined;
    },
  };
}

export interface RoundReport {
  readonly begun: number;
  readonly over: number;
}

export async function conditionRound(
  { store, nowMs, onSettled }: RoundNeeds,
  { rules, maxAgeMs, settlesAll = false }: RoundInput & { readonly settlesAll?: boolean },
): Promise<RoundReport> {
  const at = nowMs();
  const { look: before, episodes } = (await readValue(store, stored)) ?? { look: undefined, episodes: [] };
  const { reading, look } = await readMirror(store, { nowMs: at, before });
  const after = advance(episodes, await hear(rules, reading));
  const [open, stillOpen] = [openOnes(episodes), openOnes(after)];
  const begun = [...stillOpen.keys()].filter((one) => !open.has(one));
  const over = [...open.keys()].filter((one) => !stillOpen.has(one));
  const isChanged = settlesAll || begun.length + over.length > 0;
  await store.transaction(async (unit) => {
    // Serializes concurrent rounds: the second sees the alerts that the first added.
    await lockKey(unit, stored.key);
    await writeValue(unit, stored, { look: { ...look }, episodes: after.map((episode) => ({ ...episode })) });
    if (!isChanged) return;
    const subjects = [...open.values(), ...stillOpen.values()].map(({ subject }) => subject);
    const wanted = [...stillOpen.values()].flatMap((episode) => wantedOf(episode, rules));
    await settleAlerts(unit, { subjects: [...new Set(subjects)], wanted, rules, nowMs: at, maxAgeMs });
  });
  if (isChanged) onSettled?.();
  return { begun: begun.length, over: over.length };
}

async function hear(rules: readonly ConditionRule[], reading: Parameters<ConditionRule['find']>[0]): Promise<Heard> {
  const answers = await Promise.all(rules.map(async (rule) => ({ rule: rule.name, found: await rule.find(reading) })));
  return {
    found: answers.flatMap(({ rule, found }) => (found ?? []).map((trouble) => ({ ...trouble, rule }))),
    unknown: new Set(answers.filter(({ found }) => found === undefined).map(({ rule }) => rule)),
    rules: new Set(rules.map(({ name }) => name)),
    now: timeOf(reading.nowMs),
  };
}

const openOnes = (episodes: readonly Episode[]): ReadonlyMap<string, Episode> =>
  new Map(
    episodes.filter(({ isOpen }) => isOpen).map((one) => [JSON.stringify([one.rule, one.subject, one.since]), one]),
  );

function wantedOf(episode: Episode, rules: readonly ConditionRule[]): readonly WantedAlert[] {
  const { rule, subject: subjectUri, since, message } = episode;
  const channels = rules.find(({ name }) => name === rule)?.channels ?? [];
  return channels.map((channel) => {
    const identity = { rule, channel, subjectUri, fact: `since ${since}` };
    // It was so on two readings already: that is its grace.
    return { ...identity, id: alertId(identity), occurredAt: since, graceMs: 0, detail: message };
  });
}
