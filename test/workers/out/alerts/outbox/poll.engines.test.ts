// The outbox poller on a real store: large backlogs, several pollers, and the end of a process.
import { describe, expect } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import { createLog } from '#src/observability/log.ts';
import { insertAlerts, readAlerts } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import { writeRows } from '#src/store/rows.ts';
import type { SendResult } from '#workers/out/alerts/channels/channel.ts';
import type { ChannelName } from '#src/store/alerts/channel-names.ts';
import type { Message } from '#workers/out/alerts/message/message.ts';
import { startOutboxPoller } from '#workers/out/alerts/outbox/poll.ts';
import type { ConditionRule } from '#workers/out/alerts/rules/ruleset.ts';
import { eventually } from '../../../../harness/moments.ts';
import { rulesOf } from '../../../../harness/alerts/watched-rules.ts';
import { availableEngines, oneEngine, testWith } from '../../../../harness/stores.ts';

const startMs = Date.parse('2026-03-04T12:00:00Z');

async function addMany(
  store: Store,
  count: number,
  channel: ChannelName = 'webhook',
  { first = 0, atMs = startMs } = {},
): Promise<void> {
  const at = instantOf(atMs);
  const alerts = Array.from({ length: count }, (_, n) => ({
    id: `${channel}-${first + n}`,
    rule: 'many',
    channel,
    subject_uri: `a${first + n}`,
    fact: 'since then',
    occurred_at: at,
    due_at: at,
  }));
  await store.transaction((unit) => insertAlerts(unit, alerts, at));
}

const [many] = (await rulesOf({ name: 'many', when: 'lag' })).conditions;

interface PollerOptions {
  readonly rule?: Partial<ConditionRule>;
  readonly send?: (message: Message, signal: AbortSignal) => Promise<SendResult>;
  readonly clock?: { readonly nowMs: number };
}

function startPoller(
  store: Store,
  { rule = {}, send = async () => ({ ok: true, answer: '200' }), clock: shared }: PollerOptions = {},
) {
  const sent: Message[] = [];
  const clock = { nowMs: startMs + 1_000, transactions: 0 };
  let polls = 0;
  const counted: Store = {
    ...store,
    transaction(work) {
      clock.transactions += 1;
      return store.transaction(work);
    },
  };
  const channelOf = (name: ChannelName) => ({
    name,
    target: 'test',
    send(message: Message, signal: AbortSignal) {
      sent.push(message);
      return send(message, signal);
    },
  });
  const poller = startOutboxPoller({
    store: counted,
    rules: new Map([['many', { ...(many as ConditionRule), ...rule }]]),
    channels: new Map((['webhook', 'slack', 'pagerduty'] as const).map((name) => [name, channelOf(name)])),
    adminUrl: undefined,
    nowMs() {
      polls += 1;
      return (shared ?? clock).nowMs;
    },
    random: () => 0,
    log: createLog({ level: 'silent', pretty: false }),
    pollEveryMs: 20,
  });
  return { clock, sent, poller, polls: () => polls, [Symbol.asyncDispose]: () => poller.close() };
}

const statesOf = async ({ db }: Store) =>
  (await db.selectFrom('alerts').select('state').execute()).map(({ state }) => state);
const sizesOf = (sent: readonly Message[]) =>
  Object.fromEntries(sent.map(({ id, subjects }) => [id, subjects.toSorted().join()]));

describe.each(oneEngine)('the outbox poller on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('sends the same digests when they are retried, however many alerts are due', async ({ store }) => {
    await addMany(store, 600);
    let answer: SendResult = { ok: false, answer: '503', retry: true };
    await using polling = startPoller(store, { rule: { digest: 1_000 }, send: async () => answer });
    const { clock, sent } = polling;
    await eventually(() => sent).toHaveLength(2);
    const before = sizesOf(sent);
    expect(sent.map(({ subjects }) => subjects.length)).toEqual([500, 100]);
    await eventually(async () =>
      (await readAlerts(store, ['webhook-0', 'webhook-599'])).map(({ attempts }) => attempts),
    ).toEqual([1, 1]);
    answer = { ok: true, answer: '200' };
    sent.length = 0;
    clock.nowMs += 6_000;
    await eventually(() => sent).toHaveLength(2);
    expect(sizesOf(sent)).toEqual(before);
    await eventually(async () => new Set(await statesOf(store))).toEqual(new Set(['sent']));
  });

  it('sends the alerts about several hosts as one message with their names', async ({ store }) => {
    const uris = [1, 2, 3].map((n) => `https://api.example.test/users/${n}`);
    const at = instantOf(startMs);
    const common = { rule: 'many', channel: 'slack', fact: 'since', occurred_at: at, due_at: at };
    const alerts = uris.map((subject_uri, n) => ({
      ...common,
      id: `a${n}`,
      subject_uri,
      detail: `${n} of 10 missed in 7 days, ${n}0 %, limit 5 %`,
    }));
    await store.transaction(async (unit) => {
      await writeRows(unit, 'users', [
        { uri: uris[0] ?? '', name: 'Rosa Bergström' },
        { uri: uris[1] ?? '', name: 'Tom Ek' },
      ]);
      await insertAlerts(unit, alerts, at);
    });
    await using polling = startPoller(store, { rule: { isGrouped: true, title: 'Many no-shows' } });
    await eventually(() => polling.sent).toHaveLength(1);
    expect(polling.sent).toMatchObject([
      {
        title: 'Many no-shows: 3 since Wed, 4 Mar 2026, 12:00 (UTC)',
        text: [
          '• 2 of 10 missed in 7 days, 20 %, limit 5 % https://api.example.test/users/3',
          '• Rosa Bergström: 0 of 10 missed in 7 days, 00 %, limit 5 %',
          '• Tom Ek: 1 of 10 missed in 7 days, 10 %, limit 5 %',
        ].join('\n'),
      },
    ]);
    await eventually(async () => new Set(await statesOf(store))).toEqual(new Set(['sent']));
  });

  it('postpones a large backlog to the end of quiet hours with few writes', async ({ store }) => {
    await addMany(store, 1_000);
    const quiet = { from: '11:00', to: '13:00', timezone: 'UTC' };
    await using polling = startPoller(store, { rule: { quiet } });
    const waiting = async () =>
      (await store.db.selectFrom('alerts').select('next_at').execute()).filter(
        ({ next_at: at }) => store.engine.decode('time', at) === '2026-03-04T13:00:00.000000Z',
      );
    await eventually(waiting).toHaveLength(1_000);
    expect(polling.clock.transactions).toBeLessThanOrEqual(5);
  });

  it('sends a limited number at a time per channel, and a hanging channel does not delay another', async ({
    store,
  }) => {
    await addMany(store, 30, 'pagerduty');
    await addMany(store, 30, 'webhook');
    let isHanging = true;
    const send = async ({ id }: Message): Promise<SendResult> => {
      while (isHanging && id.startsWith('pagerduty')) await new Promise((resolve) => setTimeout(resolve, 5));
      return { ok: true, answer: '200' };
    };
    await using polling = startPoller(store, { send });
    const sentTo = (channel: ChannelName) => polling.sent.filter(({ id }) => id.startsWith(channel)).length;
    await eventually(() => sentTo('webhook')).toBe(30);
    expect(sentTo('pagerduty')).toBe(8);
    isHanging = false;
    await eventually(async () => new Set(await statesOf(store))).toEqual(new Set(['sent']));
    expect(sentTo('pagerduty')).toBe(30);
  });

  it('sends 200 alerts of half a minute to a recipient that takes one a second in few messages, with two processes', async ({
    opened,
    store,
  }) => {
    const accepted: Message[] = [];
    const clock = { nowMs: startMs };
    let [lastMs, refused] = [0, 0];
    const send = async (message: Message): Promise<SendResult> => {
      if (clock.nowMs - lastMs < 1_000) {
        refused += 1;
        return { ok: false, answer: '429', retry: true, retryAfterMs: 1_000, isLimited: true };
      }
      lastMs = clock.nowMs;
      accepted.push(message);
      return { ok: true, answer: '200' };
    };
    await using one = startPoller(store, { send, clock });
    await using other = startPoller(await opened.openAnother(), { send, clock });
    const polled = () => [one, other].map(({ polls }) => polls());
    const isOver = async () => (await statesOf(store)).every((state) => state === 'sent');
    for (let second = 0; second < 20 || (second < 90 && !(await isOver())); second += 1) {
      if (second < 20) await addMany(store, 10, 'slack', { first: second * 10, atMs: clock.nowMs });
      const before = polled();
      await eventually(() => polled().every((polls, n) => polls >= (before[n] ?? 0) + 2)).toBe(true);
      clock.nowMs += 1_000;
    }
    await eventually(async () => new Set(await statesOf(store))).toEqual(new Set(['sent']));
    const subjects = accepted.flatMap((message) => message.subjects);
    expect([subjects.length, new Set(subjects).size]).toEqual([200, 200]);
    expect(accepted.length).toBeLessThanOrEqual(20);
    expect(refused).toBeLessThanOrEqual(20);
    expect(accepted.some(({ text }) => /… and \d{2,3} more\.$/.test(text))).toBe(true);
    expect([one, other].map(({ poller }) => poller.channelStates()['slack']?.failures)).toEqual([0, 0]);
  });

  it('keeps the claim of a message whose outcome is unknown when the process stops', async ({ store }) => {
    await addMany(store, 1);
    const polling = startPoller(store, {
      send: (_message, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    });
    await eventually(() => polling.sent).toHaveLength(1);
    await polling.poller.close();
    const [alert] = await readAlerts(store, ['webhook-0']);
    expect(alert).toMatchObject({ state: 'pending', attempts: 0, claimed_at: instantOf(polling.clock.nowMs) });
  });
});

describe.each(availableEngines)('several outbox pollers on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('send every alert once', async ({ opened, store }) => {
    await addMany(store, 60);
    await using one = startPoller(store);
    await using other = startPoller(await opened.openAnother());
    await eventually(async () => new Set(await statesOf(store))).toEqual(new Set(['sent']));
    const ids = [...one.sent, ...other.sent].map(({ id }) => id);
    expect(ids).toHaveLength(60);
    expect(new Set(ids).size).toBe(60);
  });
});
