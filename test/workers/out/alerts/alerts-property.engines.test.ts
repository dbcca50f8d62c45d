// Property: the alerts in the end depend only on the facts, whatever the order in which they arrive and however many sends fail, hang or
// are lost meanwhile.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCircuitBreaker } from '#src/base/retry-policy.ts';
import { instantOf } from '#src/base/time.ts';
import { createLog } from '#src/observability/log.ts';
import { dueAlerts } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import type { Channel, SendResult } from '#workers/out/alerts/channels/channel.ts';
import type { Ruleset } from '#workers/out/alerts/rules/ruleset.ts';
import type { ClaimedPart } from '#workers/out/alerts/outbox/claim.ts';
import { sendClaimed } from '#workers/out/alerts/outbox/send.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { catchUp, claimForSending } from '../../../harness/alerts/alert-world.ts';
import { rulesIn } from '../../../harness/alerts/watched-rules.ts';
import { alertHistory, firstLoads, lookedBackMs } from '../../../harness/data/alert-histories.ts';
import { cut, reordered } from '../../../harness/data/delivery-histories.ts';
import { ingestObservations } from '../../../harness/data/api-reads.ts';
import { outboxRows } from '../../../harness/alerts/outbox-rows.ts';
import { availableEngines, emptyTables } from '../../../harness/stores.ts';
import { believed, expectedAlerts, standing, type Received } from '../../../oracle/alerts.ts';
import oracleRules from '../../../oracle/alert-rules.json' with { type: 'json' };
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

const dayMs = 86_400_000;

/** What happens between two batches. `begin` leaves sends under way; `arrive` lets them succeed, `lose` kills the sender. */
const occurrences = ['watch', 'send', 'fail', 'begin', 'arrive', 'lose', 'replay', 'rebuild'] as const;

const occurrence = fc.oneof(fc.constantFrom('watch', 'watch', 'send'), fc.constantFrom(...occurrences));

const lives = alertHistory.chain((observations) =>
  fc.record({
    facts: fc.constant(observations.map(({ fact }) => fact)),
    batches: reordered(observations).chain(cut),
    between: fc.array(fc.array(occurrence, { maxLength: 4 }), { maxLength: 24, size: 'max' }),
    eraseOnDelete: fc.boolean(),
    graceMs: fc.constantFrom(0, 120_000),
    maxAgeMs: fc.constantFrom(2 * dayMs, 4 * dayMs, 400 * dayMs),
    firstLoaded: fc
      .tuple(...oracleRules.rules.map(({ name }) => firstLoads.map((at) => [name, at] as const)))
      .map((times) => new Map(times)),
  }),
);
type Life = typeof lives extends fc.Arbitrary<infer One> ? One : never;

type Underway = (how: 'arrive' | 'lose') => Promise<void>;

interface WorldPlan {
  readonly store: Store;
  readonly rules: Ruleset;
  readonly life: Life;
}

function openWorld({ store, rules, life }: WorldPlan) {
  const received: Received[] = [];
  const log = createLog({ level: 'silent', pretty: false });
  let now = lookedBackMs;
  const nowMs = () => now;
  let underway: Underway[] = [];

  const watch = (): Promise<void> =>
    catchUp({ store, nowMs }, { ...life, rules: [...rules.bookings, ...rules.submissions] });

  async function send(
    alerts: readonly ClaimedPart[],
    answer: () => Promise<SendResult>,
    stopping = new AbortController().signal,
  ): Promise<void> {
    const channel: Channel = {
      name: 'log',
      target: 'test',
      send: async ({ id, kind, follows }) => {
        const answered = answer();
        // An immediate refusal means that the message was not received.
        const atOnce = await Promise.race([answered, Promise.resolve(undefined)]);
        if (atOnce?.ok !== false) received.push({ id, kind, follows });
        return answered;
      },
    };
    const needs = {
      store,
      rules: rules.byName,
      channels: new Map([['log', channel]]),
      breakerOf: () => createCircuitBreaker({ failuresToOpen: 1_000, backoff: { firstMs: 1, longestMs: 1 } }),
      nowMs,
      random: () => 0.5,
      log,
      stopping,
      adminUrl: undefined,
    };
    await sendClaimed(needs, alerts);
  }

  async function begin(alerts: readonly ClaimedPart[]): Promise<void> {
    const dying = new AbortController();
    const { promise: answer, resolve } = Promise.withResolvers<SendResult>();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const answerLater = () => {
      reach();
      return answer;
    };
    const sending = send(alerts, answerLater, dying.signal);
    await Promise.race([reached, sending]);
    underway.push(async (how) => {
      if (how === 'lose') dying.abort();
      resolve(how === 'lose' ? refusal : { ok: true, answer: 'ok' });
      await sending;
    });
  }

  async function end(how: 'arrive' | 'lose'): Promise<void> {
    const ending = underway;
    underway = [];
    for (const each of ending) await each(how);
  }

  async function sendDue(how: 'send' | 'fail' | 'begin'): Promise<number> {
    const due = await dueAlerts(store, { now: instantOf(now), limit: 100 });
    for (const { id } of due) {
      const alerts = await claimForSending(store, id, { rules: rules.byName, nowMs: now });
      if (alerts.length === 0) continue;
      if (how === 'begin') await begin(alerts);
      else await send(alerts, async () => (how === 'send' ? { ok: true, answer: 'ok' } : refusal));
    }
    return due.length;
  }

  return {
    received,
    watch,
    async happens(what: (typeof occurrences)[number]): Promise<void> {
      const screen = privacyScreen({ eraseOnDelete: life.eraseOnDelete });
      if (what === 'watch') await watch();
      else if (what === 'replay') await replay({ store, screen }, {});
      else if (what === 'rebuild') await rebuild({ store, screen });
      else if (what === 'arrive' || what === 'lose') await end(what);
      else await sendDue(what);
    },
    /** Until nothing is left to send, whatever was lost. */
    async settle(): Promise<void> {
      await end('lose');
      await watch();
      for (let left = true; left;) {
        now += 3_600_000;
        left = (await sendDue('send')) > 0;
      }
    },
  };
}

const refusal: SendResult = { ok: false, answer: '500', retry: true };

describe.each(availableEngines)('the alerts in the end on $name', { timeout: propertyTimeoutMs }, ({ name, fresh }) => {
  it('are those that all facts together call for and what the recipient believes, whatever the order and whatever was lost', async () => {
    await using opened = await fresh();
    const { store } = opened;
    await fc.assert(
      fc.asyncProperty(lives, async (life) => {
        await emptyTables(store);
        const rules = await rulesIn(JSON.stringify(oracleRules), { graceMs: life.graceMs });
        const world = openWorld({ store, rules, life });
        // Registers the watcher before the first entry.
        await world.watch();
        for (const [index, batch] of life.batches.entries()) {
          await ingestObservations(store, batch, life.eraseOnDelete);
          for (const what of life.between[index] ?? []) await world.happens(what);
        }
        await world.settle();

        const rows = await outboxRows(store);
        const active = rows.filter(({ state }) => state === 'sent');
        const reported = active.map(({ rule, subject_uri, fact }) => [rule, subject_uri, fact].join(' ')).toSorted();
        expect(reported).toEqual(expectedAlerts(life.facts, { ...life, nowMs: lookedBackMs }));
        expect(believed(world.received)).toEqual(active.map(({ id }) => id).toSorted());
        expect(standing(world.received)).toEqual(active.map(({ key }) => key).toSorted());
        expect(rows.filter(({ state }) => !['sent', 'retracted'].includes(state))).toEqual([]);
      }),
      runs(name === 'sqlite' ? 20 : 8),
    );
  });
});
