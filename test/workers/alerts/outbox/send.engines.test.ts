// One send, on rows that somebody else may have a hand in as well.
import { describe, expect, it } from 'vitest';
import { createLog } from '#src/observability/log.ts';
import { perhapsSaid } from '#src/store/alerts/claims.ts';
import { addAlerts, readAlerts, silenceAlerts } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import type { Sent } from '#workers/alerts/channels/channel.ts';
import { createCircuit } from '#workers/alerts/outbox/channel-circuit-breaker.ts';
import { openDesk } from '#workers/alerts/outbox/write-batcher.ts';
import { timeOf } from '#workers/alerts/outbox/apply.ts';
import { rulesByName, type AnyRule } from '#workers/alerts/outbox/build-message.ts';
import { loadRules } from '#workers/alerts/rules/ruleset.ts';
import { sendJob } from '#workers/alerts/outbox/send.ts';
import { missedBooking } from '../../../harness/missed.ts';
import { ingestBodies, storeEngines } from '../../../harness/stores.ts';

const startMs = Date.parse('2026-03-04T10:00:00Z');

/** Everything that a process that sends has, and a channel that answers what the test says. */
async function openSender(store: Store) {
  const rules = new Map(rulesByName(await loadRules({ file: undefined, graceMs: 0, configured: ['slack'] })));
  const circuit = createCircuit();
  const sender = {
    rules,
    circuit,
    nowMs: startMs,
    heard: [] as string[],
    answer: { ok: true, answer: '200' } as Sent,
    hasChannel: true,
    async add(id: string, rule: string, subjectUri = id) {
      const at = timeOf(startMs);
      const alert = { id, rule, channel: 'slack', subjectUri, fact: id, occurredAt: at, dueAt: at };
      await store.transaction((unit) => addAlerts(unit, [alert], at));
    },
    async row(id: string) {
      const [row] = await readAlerts(store, [id]);
      if (row === undefined) throw new Error(`no alert ${id}`);
      return row;
    },
    async send(id: string) {
      const { nextAt } = await sender.row(id);
      const channel = {
        name: 'slack' as const,
        target: 'test',
        send: async (message: { id: string }) => {
          sender.heard.push(message.id);
          return sender.answer;
        },
      };
      const needs = {
        store,
        write: openDesk(store),
        rules,
        channels: new Map(sender.hasChannel ? [['slack', channel]] : []),
        circuitOf: () => circuit,
        nowMs: () => sender.nowMs,
        random: () => 0,
        log: createLog({ level: 'silent', pretty: false }),
        stopping: new AbortController().signal,
        dashboardUrl: undefined,
      };
      await sendJob(needs, { v: 1, alerts: [id], at: nextAt });
    },
  };
  return sender;
}

describe.each(storeEngines.filter(({ available }) => available))('a send on $name', ({ fresh }) => {
  it('puts off what cannot be put into words, gives it up in the end, and does not blame the channel', async () => {
    await using opened = await fresh();
    const sender = await openSender(opened.store);
    const odd = () => {
      throw new TypeError('Cannot convert object to primitive value');
    };
    sender.rules.set('no_show', { ...sender.rules.get('no_show'), find: odd } as unknown as AnyRule);
    const { uri, marked } = missedBooking(1, startMs);
    await ingestBodies(opened.store, [marked]);
    await sender.add('odd', 'no_show', uri);
    await sender.send('odd');
    expect(await sender.row('odd')).toMatchObject({
      state: 'pending',
      attempts: 1,
      lastError: 'TypeError',
      nextAt: timeOf(startMs + 5_000),
    });
    for (let n = 2; n <= 12; n += 1) await sender.send('odd');
    expect(await sender.row('odd')).toMatchObject({ state: 'failed', attempts: 12 });
    expect(sender.circuit.standing(sender.nowMs)).toMatchObject({ state: 'closed', failures: 0 });
    expect(sender.heard).toEqual([]);
  });

  it.each(['rule', 'channel'])('leaves it to another process for minutes where its %s is not known', async (what) => {
    await using opened = await fresh();
    const sender = await openSender(opened.store);
    await sender.add('a', 'quarantine');
    const rule = sender.rules.get('quarantine') as AnyRule;
    if (what === 'rule') sender.rules.delete('quarantine');
    else sender.hasChannel = false;
    await sender.send('a');
    expect(await sender.row('a')).toMatchObject({
      state: 'pending',
      attempts: 1,
      nextAt: timeOf(startMs + 120_000),
    });
    expect(sender.circuit.standing(sender.nowMs)).toMatchObject({ failures: 0 });
    sender.rules.set('quarantine', rule);
    sender.hasChannel = true;
    await sender.send('a');
    expect(await sender.row('a')).toMatchObject({ state: 'sent' });
    expect(sender.heard).toEqual(['a']);
  });

  it('gives up in the end what no process knows', async () => {
    await using opened = await fresh();
    const sender = await openSender(opened.store);
    await sender.add('a', 'gone');
    for (let n = 1; n <= 12; n += 1) await sender.send('a');
    expect(await sender.row('a')).toMatchObject({
      state: 'failed',
      lastError: 'its rule is not in ALERTS_FILE any more',
    });
  });

  it('keeps in mind that it may have been said, also when later attempts surely fail', async () => {
    await using opened = await fresh();
    const { store } = opened;
    const sender = await openSender(store);
    const answers: readonly Sent[] = [
      { ok: false, answer: 'no answer in time', retry: true, unsure: true },
      { ok: false, answer: '503', retry: true },
      { ok: false, answer: '429', retry: true, retryAfterMs: 600_000 },
      { ok: false, answer: '410', retry: false },
    ];
    const later = () => timeOf(sender.nowMs + 60_000);
    for (const id of ['unsure', 'sure']) {
      sender.nowMs = startMs;
      await sender.add(id, 'quarantine');
      for (const answer of id === 'sure' ? answers.slice(1) : answers) {
        sender.answer = answer;
        await sender.send(id);
        // While the channel rests it is put off.
        await sender.send(id);
        sender.nowMs += 3_600_000;
      }
      expect(await sender.row(id)).toMatchObject({ state: 'failed' });
      await store.transaction((unit) => silenceAlerts(unit, [id], later()));
    }
    expect((await perhapsSaid(store, later())).map(({ id }) => id)).toEqual(['unsure']);
  });

  it('closes the circuit with an answer for good: somebody is there', async () => {
    await using opened = await fresh();
    const sender = await openSender(opened.store);
    sender.answer = { ok: false, answer: '500', retry: true };
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      await sender.add(id, 'quarantine');
      await sender.send(id);
    }
    expect(sender.circuit.standing(sender.nowMs)).toMatchObject({ state: 'open', failures: 5 });
    sender.nowMs += 6_000;
    sender.answer = { ok: false, answer: '410', retry: false };
    await sender.send('a');
    expect(await sender.row('a')).toMatchObject({ state: 'failed' });
    expect(sender.circuit.standing(sender.nowMs)).toMatchObject({ state: 'closed', failures: 0 });
  });
});
