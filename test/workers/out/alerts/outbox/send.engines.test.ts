// One send, on rows that other processes may change as well.
import { describe, expect } from 'vitest';
import { createCircuitBreaker } from '#src/base/retry-policy.ts';
import { instantOf } from '#src/base/time.ts';
import { createLog } from '#src/observability/log.ts';
import { markFailed, markSent } from '#src/store/alerts/send-results.ts';
import { insertAlerts, readAlerts } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import type { SendResult } from '#workers/out/alerts/channels/channel.ts';
import type { Message } from '#workers/out/alerts/message/message.ts';
import { loadRules, type AlertRule } from '#workers/out/alerts/rules/ruleset.ts';
import { applyDesiredAlerts } from '#workers/out/alerts/outbox/apply.ts';
import { sendClaimed } from '#workers/out/alerts/outbox/send.ts';
import { claimForSending } from '../../../../harness/alerts/alert-world.ts';
import { noShowBooking } from '../../../../harness/data/no-show-bookings.ts';
import { ingestBodies, oneEngine, testWith } from '../../../../harness/stores.ts';

const startMs = Date.parse('2026-03-04T10:00:00Z');

/** Everything that a sending process has, and a channel that answers what the test says. */
async function openSender(store: Store) {
  const rules = new Map((await loadRules({ file: undefined, graceMs: 0, configured: ['slack'] })).byName);
  const backoff = { firstMs: 5_000, longestMs: 300_000 };
  const breaker = createCircuitBreaker({ failuresToOpen: 5, backoff, longestRequestedMs: 3_600_000 });
  const sender = {
    rules,
    breaker,
    nowMs: startMs,
    received: [] as string[],
    answer: { ok: true, answer: '200' } as SendResult,
    hasChannel: true,
    async add(id: string, rule: string, subject_uri = id) {
      const at = instantOf(startMs);
      const alert = { id, rule, channel: 'slack', subject_uri, fact: id, occurred_at: at, due_at: at };
      await store.transaction((unit) => insertAlerts(unit, [alert], at));
    },
    async row(id: string) {
      const [row] = await readAlerts(store, [id]);
      if (row === undefined) throw new Error(`no alert ${id}`);
      return row;
    },
    async send(id: string) {
      const channel = {
        name: 'slack' as const,
        target: 'test',
        send: async (message: Message) => {
          sender.received.push(message.id);
          return sender.answer;
        },
      };
      const needs = {
        store,
        rules,
        channels: new Map(sender.hasChannel ? [['slack', channel]] : []),
        breakerOf: () => breaker,
        nowMs: () => sender.nowMs,
        random: () => 0,
        log: createLog({ level: 'silent', pretty: false }),
        stopping: new AbortController().signal,
        adminUrl: undefined,
      };
      await sendClaimed(needs, await claimForSending(store, id, { rules, nowMs: sender.nowMs }));
    },
  };
  return sender;
}

describe.each(oneEngine)('a send on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('retries a message that cannot be built, gives it up in the end, and does not count it against the channel', async ({
    store,
  }) => {
    const sender = await openSender(store);
    const odd = () => {
      throw new TypeError('Cannot convert object to primitive value');
    };
    sender.rules.set('no_show', { ...sender.rules.get('no_show'), find: odd } as unknown as AlertRule);
    const { uri, marked } = noShowBooking(1, startMs);
    await ingestBodies(store, [marked]);
    await sender.add('odd', 'no_show', uri);
    await sender.send('odd');
    expect(await sender.row('odd')).toMatchObject({
      state: 'pending',
      attempts: 1,
      last_error: 'TypeError',
      next_at: instantOf(startMs + 5_000),
    });
    for (let n = 2; n <= 12; n += 1) await sender.send('odd');
    expect(await sender.row('odd')).toMatchObject({ state: 'failed', attempts: 12 });
    expect([sender.breaker.state(sender.nowMs), sender.breaker.failures]).toEqual(['closed', 0]);
    expect(sender.received).toEqual([]);
  });

  it.for(['rule', 'channel'])(
    'leaves the alert to other processes for two minutes when its %s is unknown',
    async (what, { store }) => {
      const sender = await openSender(store);
      await sender.add('a', 'quarantine');
      const rule = sender.rules.get('quarantine') as AlertRule;
      if (what === 'rule') sender.rules.delete('quarantine');
      else sender.hasChannel = false;
      await sender.send('a');
      expect(await sender.row('a')).toMatchObject({
        state: 'pending',
        attempts: 1,
        last_error: what === 'rule' ? 'its rule is not in ALERTS_FILE any more' : 'its channel is not configured',
        next_at: instantOf(startMs + 120_000),
      });
      expect(sender.breaker.failures).toBe(0);
      sender.rules.set('quarantine', rule);
      sender.hasChannel = true;
      await sender.send('a');
      expect(await sender.row('a')).toMatchObject({ state: 'sent' });
      expect(sender.received).toEqual(['a']);
    },
  );

  it('remembers that an attempt may have arrived, also when later attempts certainly fail', async ({ store }) => {
    const sender = await openSender(store);
    const answers: readonly SendResult[] = [
      { ok: false, answer: 'no answer in time', retry: true, outcomeUnknown: true },
      { ok: false, answer: '503', retry: true },
      { ok: false, answer: '429', retry: true, retryAfterMs: 600_000 },
      { ok: false, answer: '410', retry: false },
    ];
    for (const id of ['unknown', 'known']) {
      sender.nowMs = startMs;
      await sender.add(id, 'quarantine');
      for (const answer of id === 'known' ? answers.slice(1) : answers) {
        sender.answer = answer;
        await sender.send(id);
        // While the channel is paused it is released without an attempt.
        await sender.send(id);
        sender.nowMs += 3_600_000;
      }
      expect(await sender.row(id)).toMatchObject({ state: 'failed' });
      const input = { desired: [], rules: [{ name: 'quarantine', channels: ['slack'] }], maxAgeMs: 86_400_000 };
      await store.transaction((unit) =>
        applyDesiredAlerts(unit, { ...input, subjects: [id], nowMs: sender.nowMs + 60_000 }),
      );
    }
    expect(await sender.row('unknown')).toMatchObject({ state: 'retracting' });
    expect(await sender.row('known')).toMatchObject({ state: 'retracted' });
  });

  it('does not change an outcome or a claim of another process since its own claim expired', async ({ store }) => {
    const sender = await openSender(store);
    await sender.add('late', 'quarantine');
    const claimAt = (nowMs: number) => claimForSending(store, 'late', { rules: sender.rules, nowMs });
    const first = await claimAt(startMs);
    const second = await claimAt(startMs + 20_000);
    const now = instantOf(startMs + 21_000);
    const failure = { now, error: '503', next_at: now };
    await store.transaction((unit) => markFailed(unit, first, failure));
    expect(await sender.row('late')).toMatchObject({ attempts: 0, claimed_at: instantOf(startMs + 20_000) });
    await store.transaction((unit) => markSent(unit, first, now));
    const sent = await sender.row('late');
    expect(sent).toMatchObject({ state: 'sent', claimed_at: null });
    await store.transaction((unit) => markFailed(unit, second, { now, next_at: now }));
    await store.transaction((unit) => markFailed(unit, second, failure));
    await store.transaction((unit) => markSent(unit, second, instantOf(startMs + 22_000)));
    expect(await sender.row('late')).toEqual(sent);
  });

  it.for([
    ['arrived', 'retracting', 'after it'],
    ['did not arrive', 'retracted', 'never'],
    ['may have arrived', 'retracting', 'after it'],
    ['was not sent', 'retracted', 'never'],
  ])(
    'of an alert that ended meanwhile: if it %s, it is %s, and its retraction is sent %s',
    async ([outcome, state], { store }) => {
      const sender = await openSender(store);
      await sender.add('a', 'quarantine');
      const sending = await claimForSending(store, 'a', { rules: sender.rules, nowMs: startMs });
      const rules = [{ name: 'quarantine', channels: ['slack'] }];
      const input = { subjects: ['a'], desired: [], rules, nowMs: startMs + 1_000, maxAgeMs: 86_400_000 };
      await store.transaction((unit) => applyDesiredAlerts(unit, input));
      // Nothing is sent before the outcome is known, or the claim has expired.
      expect(await sender.row('a')).toMatchObject({ state: 'retracting', next_at: instantOf(startMs + 20_000) });
      const now = instantOf(startMs + 2_000);
      const failure = { now, next_at: instantOf(startMs + 60_000) };
      await store.transaction((unit) => {
        if (outcome === 'arrived') return markSent(unit, sending, now);
        if (outcome === 'was not sent') return markFailed(unit, sending, failure);
        return markFailed(unit, sending, { ...failure, error: '503', outcomeUnknown: outcome === 'may have arrived' });
      });
      expect(await sender.row('a')).toMatchObject({ state, ...(state === 'retracting' && { next_at: now }) });
      sender.nowMs = startMs + 2_000;
      if (state === 'retracting') await sender.send('a');
      expect(await sender.row('a')).toMatchObject({ state: 'retracted', claimed_at: null });
      expect(sender.received).toEqual(state === 'retracting' ? ['a-retraction'] : []);
    },
  );

  it('closes the circuit breaker on a final answer: the recipient is reachable', async ({ store }) => {
    const sender = await openSender(store);
    sender.answer = { ok: false, answer: '500', retry: true };
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      await sender.add(id, 'quarantine');
      await sender.send(id);
    }
    expect([sender.breaker.state(sender.nowMs), sender.breaker.failures]).toEqual(['open', 5]);
    sender.nowMs += 6_000;
    sender.answer = { ok: false, answer: '410', retry: false };
    await sender.send('a');
    expect(await sender.row('a')).toMatchObject({ state: 'failed' });
    expect([sender.breaker.state(sender.nowMs), sender.breaker.failures]).toEqual(['closed', 0]);
  });
});
