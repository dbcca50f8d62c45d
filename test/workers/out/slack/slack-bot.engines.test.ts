// Direct messages in Slack, against a Slack of our own and the sandbox: each host gets one message, whose buttons answer for
// the meetings in it and for nothing else, and which shows what was answered, wherever that was.
import { describe, expect, it } from 'vitest';
import { answerLinks } from '#src/app/answers.ts';
import { openSlackApp } from '#src/app/slack.ts';
import { createCircuitBreaker } from '#src/base/retry-policy.ts';
import { loadConfig } from '#src/config/load.ts';
import { openTail } from '#src/feed/tail.ts';
import { createLog } from '#src/observability/log.ts';
import { answerKey, answerLinkMs, makeAnswerToken } from '#src/read/bookings/answer-link.ts';
import { loadBookingContexts } from '#src/read/bookings/booking-context.ts';
import { hostsOf } from '#src/read/bookings/hosts.ts';
import { markNoShow } from '#src/sandbox/world/bookings/bookings.ts';
import { insertAlerts, readAlerts } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { openChannels } from '#workers/out/alerts/channels/channels.ts';
import type { Message } from '#workers/out/alerts/message/message.ts';
import { sendClaimed } from '#workers/out/alerts/outbox/send.ts';
import { encodeFact } from '#workers/out/alerts/rules/fact.ts';
import { eventually } from '../../../harness/moments.ts';
import { claimForSending } from '../../../harness/alerts/alert-world.ts';
import { noShowMessage } from '../../../harness/alerts/channel-sends.ts';
import { openSlackServer, type SlackButton, type SlackMessage } from '../../../harness/alerts/slack-server.ts';
import { rulesOf } from '../../../harness/alerts/watched-rules.ts';
import { openAnswerWorld } from '../../../harness/mirror/answer-world.ts';
import { openCallback } from '../../../harness/sandbox/callback-server.ts';
import { openSubscriber } from '../../../harness/sandbox/subscriber.ts';
import { availableEngines, ingestBodies, oneEngine, rowsOf, type TestStore } from '../../../harness/stores.ts';

const id = 'a'.repeat(32);

/** As if the process had ended before it recorded that it sent. */
const forget = ({ db }: Store) =>
  db.updateTable('alerts').set({ state: 'pending', sent_at: null, claimed_at: null, attempts: 0 }).execute();

async function openWorld(fresh: () => Promise<TestStore>, { isOn = true, allowPrivate = true } = {}) {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await openAnswerWorld(fresh));
  const { store, uris, sandbox, service } = world;
  const web = stack.use(await openCallback());
  const rule = { name: 'asks', when: 'unconfirmed', to_host: true, channels: ['slack'], slack_url: web.url };
  const rules = (await rulesOf(rule)).byName;
  const contexts = await loadBookingContexts(store, [uris.held]);
  const context = contexts.get(uris.held);
  const asks = rules.get('asks');
  if (context === undefined || asks?.on !== 'booking') throw new Error('there is a meeting to ask about');
  const [host] = hostsOf(context);
  const [found] = asks.find(context);
  if (found === undefined) throw new Error('nothing shows that they came');
  const users = { [host?.email ?? '']: 'UHOST' };
  const slack = stack.use(await openSlackServer(users));

  const config = loadConfig({
    ANSWERS: isOn ? 'on' : 'off',
    API_BASE_URL: sandbox.handles.base_url,
    API_TOKEN: sandbox.handles.tokens.owner,
    ALERT_SLACK_URL: web.url,
    ALERT_SLACK_TOKEN: slack.app.token,
    ALERT_SLACK_APP_TOKEN: slack.app.appToken,
    ALERT_SLACK_API_URL: slack.app.apiUrl.replace(/\/$/, ''),
    ALERT_ALLOW_PRIVATE: String(allowPrivate),
  });
  const lines: string[] = [];
  const log = createLog({ level: 'debug', pretty: false, destination: { write: (line) => void lines.push(line) } });
  const tail = openTail({ lastSeq: () => lastSeq(store) });
  stack.defer(() => tail.close());
  const clock = { nowMs: Date.now() };
  const needs = { store, config, log, tail, holder: 'test', nowMs: Date.now, clock: () => clock.nowMs };
  const messages = { store, rules, adminUrl: undefined, answerLink: await answerLinks({ config, store }) };
  const { slackApp: app } = config.alerts;
  if (app === undefined) throw new Error('the app is configured');
  const opened = await openSlackApp(needs, messages, app);
  stack.defer(() => opened.close());
  const sending = { log, clock: Date.now, slackBot: opened.bot };
  const channels = await openChannels({ ...config.alerts, slackUrl: undefined }, sending, rules.values());
  for (const channel of channels.values()) stack.defer(async () => channel.close?.());
  const backoff = { firstMs: 5_000, longestMs: 300_000 };
  const breaker = createCircuitBreaker({ failuresToOpen: 5, backoff, longestRequestedMs: 3_600_000 });
  const { fact, subject = '', occurredAt: at } = found;
  const alert = { id, rule: 'asks', channel: 'slack', subject_uri: subject, fact: encodeFact(fact) };
  await store.transaction((unit) => insertAlerts(unit, [{ ...alert, occurred_at: at, due_at: at }], at));
  if (isOn) await eventually(() => slack.isListened(), { timeout: 10_000 }).toBe(true);
  const key = await answerKey(store, () => 'unused');
  const kept = stack.move();
  return {
    ...world,
    web,
    slack,
    /** Whom Slack knows, by address. */
    users,
    bot: opened.bot,
    lines,
    clock,
    host: { ...host, uri: host?.uri ?? '' },
    invitee: service.state.invitees.get(uris.held),
    tokenFor: (invitee: string, expiresMs = Date.now() + answerLinkMs) =>
      makeAnswerToken(key, { invitee, host: host?.uri ?? '', expiresMs }),
    async send() {
      const sender = { ...messages, channels, breakerOf: () => breaker, nowMs: Date.now, random: () => 0, log };
      const claimed = await claimForSending(store, id, { rules, nowMs: Date.now() });
      if (claimed.length > 0) await sendClaimed({ ...sender, stopping: new AbortController().signal }, claimed);
      return (await readAlerts(store, [id]))[0];
    },
    /** Presses a button as Slack does, and waits until the product has taken it. */
    async press(button: SlackButton, user = 'UHOST', on: Partial<SlackMessage> | undefined = slack.messages[0]) {
      const envelope = slack.press({ user, on: { channel: 'x', ts: 'x', ...on }, button });
      await eventually(() => slack.acknowledged).toContain(envelope);
    },
    shown: () =>
      (slack.messages[0]?.blocks ?? []).flatMap(({ type, text }) =>
        type === 'section' ? [String((text as { text: string } | undefined)?.text)] : [],
      ),
    buttons: () => slack.buttonsOf(slack.messages[0]).map(({ action_id }) => action_id),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const patience = { timeout: 15_000 };

describe.each(availableEngines)('a direct message in Slack on $name', ({ fresh }) => {
  it('is posted once, answers by its buttons, shows the answer, is edited instead of retracted, and the record has who pressed (N10)', async () => {
    await using world = await openWorld(fresh);
    const { slack, uris, store, invitee } = world;
    // The process ends before it records that the message was sent.
    expect(await world.send()).toMatchObject({ state: 'sent' });
    await forget(store);
    expect(await world.send()).toMatchObject({
      state: 'sent',
      posted: [{ message: id, user: 'UHOST', channel: 'DUHOST', ts: '17.0', invitees: [uris.held] }],
    });
    expect([slack.messages.length, world.web.received.length]).toEqual([1, 0]);
    expect(JSON.stringify(slack.messages)).not.toContain('answers/');
    expect(world.buttons()).toEqual(['came', 'no_show']);

    const [came, missed] = slack.buttonsOf(slack.messages[0]) as [SlackButton, SlackButton];
    await world.press(missed);
    await eventually(() => world.buttons(), patience).toEqual(['none']);
    expect([world.markOf(uris.held), world.shown().at(-1)]).toEqual([
      expect.any(String),
      expect.stringContaining(': a no-show'),
    ]);
    await world.press(came);
    await eventually(() => world.shown().at(-1), patience).toContain(': they came');
    expect(world.markOf(uris.held)).toBeNull();
    const entries = (await rowsOf(store, 'event_log')).filter(({ source }) => source === 'operator');
    expect(entries.map(({ body }) => JSON.parse(String(body)).payload)).toEqual([{ uri: uris.held, by: 'host' }]);
    // Its end is recorded after the message was edited.
    await eventually(async () =>
      (await rowsOf(store, 'admin_actions')).map(({ caller, address, status }) => [caller, address, status]),
    ).toEqual([
      ['slack button', 'UHOST', 200],
      ['slack button', 'UHOST', 200],
    ]);

    // A host who got no direct message gets the retraction.
    await world.options.answers?.({ invitee: uris.held, answer: 'no_show', by: 'api' });
    const known = { email: world.host.email ?? '', slackUser: undefined };
    const unknown = { email: 'unknown@example.test', slackUser: undefined };
    const retraction = { ...noShowMessage, id: `${id}-retraction`, kind: 'retraction' as const };
    const sent: Message['hosts'][] = [];
    const others = async ({ hosts }: Message) => {
      sent.push(hosts);
      return { ok: true as const, answer: '200' };
    };
    expect(await world.bot.send({ ...retraction, hosts: [known] }, others)).toMatchObject({ ok: true });
    expect([world.buttons(), sent]).toEqual([['none'], []]);
    await world.bot.send({ ...retraction, hosts: [known, unknown] }, others);
    expect([slack.messages.length, sent]).toEqual([1, [[unknown]]]);

    const written = world.lines.join('\n');
    for (const secret of ['xoxb-canary', 'xapp-canary', invitee?.email, invitee?.name, world.host.email, came.value])
      expect(written).not.toContain(secret);
  });
});

describe.each(oneEngine)('a direct message in Slack', ({ fresh }) => {
  it('changes nothing by a button that is forged, too old, of another person, message or meeting', async () => {
    await using world = await openWorld(fresh);
    const { slack, uris, ended, clock } = world;
    await world.send();
    const [came] = slack.buttonsOf(slack.messages[0]) as [SlackButton];
    const before = (await rowsOf(world.store, 'event_log')).length;
    const no_show = { action_id: 'no_show' };
    const tokens = [
      `${came.value}x`,
      world.tokenFor(uris.held, clock.nowMs - 1_000),
      world.tokenFor(ended[1] ?? ''),
      world.tokenFor(uris.unknown),
    ];
    for (const value of tokens) await world.press({ ...no_show, value });
    await world.press({ ...no_show, value: came.value }, 'UOTHER');
    await world.press({ ...no_show, value: came.value }, 'UHOST', { channel: 'DUHOST', ts: '99.0' });
    await world.press({ action_id: 'delete', value: came.value });
    await eventually(() => slack.replies.length, patience).toBe(7);
    expect([world.markOf(uris.held), world.markOf(ended[1] ?? '')]).toEqual([null, null]);
    expect([(await rowsOf(world.store, 'event_log')).length, slack.messages[0]?.edits]).toEqual([before, 0]);
    expect(await rowsOf(world.store, 'admin_actions')).toEqual([]);
  });

  it('answers ten times a minute by its buttons, and does not record an answer that stands (N3)', async () => {
    await using world = await openWorld(fresh);
    const { slack, store } = world;
    await world.send();
    const [came, missed] = slack.buttonsOf(slack.messages[0]) as [SlackButton, SlackButton];
    const edits = () => slack.messages[0]?.edits ?? 0;
    /** Presses it and waits until the message shows what stands. */
    async function pressAndWait(button: SlackButton, shown: string) {
      const before = edits();
      await world.press(button);
      await eventually(() => [edits() > before, world.shown().at(-1)?.includes(shown)], patience).toEqual([true, true]);
    }
    const recorded = async () => (await rowsOf(store, 'admin_actions')).length;
    for (let times = 0; times < 3; times += 1) await pressAndWait(missed, ': a no-show');
    expect(await recorded()).toBe(1);
    for (const button of [came, missed, came, missed, came, missed, came])
      await pressAndWait(button, button === came ? ': they came' : ': a no-show');
    expect([await recorded(), slack.replies]).toEqual([8, []]);
    await world.press(missed);
    await eventually(() => slack.replies, patience).toEqual([
      { user: 'UHOST', text: expect.stringContaining('in a minute') },
    ]);
    expect([await recorded(), world.markOf(world.uris.held)]).toEqual([8, null]);
    world.clock.nowMs += 60_000;
    await pressAndWait(missed, ': a no-show');
  });

  it('shows the mark that the service itself has, after a connection was lost, and answers by the next one', async () => {
    await using world = await openWorld(fresh);
    const { slack, uris, service, invitee } = world;
    const events = ['invitee_no_show.created'] as const;
    await using ear = await openSubscriber(world.sandbox, { events: [...events], scope: 'organization' });
    await world.send();
    const [came] = slack.buttonsOf(slack.messages[0]) as [SlackButton];
    slack.drop();
    if (invitee !== undefined) markNoShow(service, invitee);
    await ingestBodies(
      world.store,
      (await ear.heard()).map((body) => JSON.stringify(body)),
    );
    await eventually(() => world.shown().at(-1), patience).toContain(': a no-show');
    await world.options.answers?.({ invitee: uris.held, answer: 'none', by: 'api' });
    await eventually(() => world.buttons(), patience).toEqual(['came', 'no_show']);
    await eventually(() => [slack.connections(), slack.isListened()], patience).toEqual([2, true]);
    await world.press(came);
    await eventually(() => world.shown().at(-1), patience).toContain(': they came');
  });

  it('goes to the incoming webhook where Slack does not know the host, waits as long as Slack asks for, is retried after an outage, and given up where the token is wrong', async () => {
    await using world = await openWorld(fresh, { isOn: false });
    const { slack, users, web } = world;
    const known = { ...users };
    for (const email of Object.keys(users)) delete users[email];
    expect(await world.send()).toMatchObject({ state: 'sent', posted: null });
    expect([slack.messages, web.received.length]).toEqual([[], 1]);

    Object.assign(users, known);
    await forget(world.store);
    slack.refuse('chat.postMessage', 429);
    const limited = await world.send();
    expect([limited?.state, limited?.attempts, limited?.last_error]).toEqual(['pending', 0, null]);
    expect(Date.parse(limited?.next_at ?? '') - Date.now()).toBeGreaterThan(6_000);
    slack.refuse('users.lookupByEmail', 503);
    expect(await world.send()).toMatchObject({ state: 'pending', attempts: 1, last_error: '503' });
    slack.refuse('chat.postMessage', 200, { ok: false, error: 'token_revoked' });
    expect(await world.send()).toMatchObject({ state: 'failed', attempts: 2, last_error: 'token_revoked' });
    expect(slack.messages).toEqual([]);
    // Without ANSWERS nothing asks, and no connection is opened.
    expect([slack.connections(), slack.calls.includes('apps.connections.open')]).toEqual([0, false]);
  });

  it('is not sent to an address without encryption, which every start says, unless that is allowed (N6)', async () => {
    await using world = await openWorld(fresh, { isOn: false, allowPrivate: false });
    const reason = 'it is an address without encryption (ALERT_ALLOW_PRIVATE)';
    expect(await world.send()).toMatchObject({ state: 'failed', attempts: 1, last_error: reason });
    expect([world.slack.calls, world.slack.messages]).toEqual([[], []]);
    expect(world.lines.filter((line) => line.includes('"variable":"ALERT_SLACK_API_URL"'))).toHaveLength(1);
  });
});
