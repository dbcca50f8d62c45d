// Alerts on their way: said once, taken back, gathered, held back at night, tried again. The clock is the test's.
import { afterAll, describe, expect, inject, it } from 'vitest';
import { claimAlerts } from '#src/store/alerts/claims.ts';
import { timeOf } from '#workers/alerts/outbox/apply.ts';
import { removeFolders } from '../queue/backends/queue-locations.ts';
import { openAlertWorld, type AlertWorld } from '../../harness/alert-world.ts';
import { headerOf, keysOf, textOf, titleOf, typeOf } from '../../harness/inbox.ts';
import { missedBooking } from '../../harness/missed.ts';
import { storeEngines } from '../../harness/stores.ts';

const minuteMs = 60_000;
const backends = [
  { backend: 'redis', available: inject('redisUrl') !== '' },
  { backend: 'postgres', available: inject('postgresUrl') !== '' },
  { backend: 'embedded', available: true },
] as const;

const bySlack = { channels: ['slack'] };
const byWebhook = { channels: ['webhook'] };
const missed = { name: 'missed', when: 'no_show' };
const lately = (world: AlertWorld, index: number) => missedBooking(index, world.nowMs() - minuteMs);

describe('alerts', () => {
  afterAll(removeFolders);

  describe.each(backends.filter(({ available }) => available))('on the queue $backend', ({ backend }) => {
    describe.each(storeEngines.filter(({ available }) => available))('and the store $name', ({ fresh }) => {
      it('say a fact that was told twenty times in any order once in every channel, and take it back once', async () => {
        await using world = await openAlertWorld({ backend, fresh });
        const { slack, webhook, mailbox } = world.inbox;
        const { booked, marked, unmarked, name } = lately(world, 1);
        for (let n = 0; n < 10; n += 1) await world.tell(...(n % 2 ? [booked, marked] : [marked, booked]));
        await expect.poll(() => [slack, webhook].map(({ received }) => received.length)).toEqual([1, 1]);
        await expect.poll(() => mailbox.mails).toHaveLength(1);
        for (const channel of ['slack', 'webhook', 'email'])
          await expect.poll(() => world.states(channel)).toEqual(['sent']);
        expect(slack.received.map(textOf)).toEqual([expect.stringContaining(name)]);
        expect(webhook.received.map(titleOf)).toEqual([`No-show: ${name}`]);

        for (let n = 0; n < 5; n += 1) await world.tell(unmarked, marked);
        for (const channel of ['slack', 'webhook', 'email'])
          await expect.poll(() => world.states(channel)).toEqual(['retracted', 'sent']);
        expect(webhook.received.map(typeOf)).toEqual(['alert', 'alert.retraction']);
        expect(slack.received).toHaveLength(2);
        const [ids, replies] = ['message-id', 'in-reply-to'].map((header) =>
          mailbox.mails.map((mail) => headerOf(mail, header)),
        );
        expect(ids).toHaveLength(2);
        expect(replies).toEqual([undefined, ids?.[0]]);
      });
    });
  });

  it('wait for the grace to end, and are silent about what is over by then', async () => {
    await using world = await openAlertWorld({ settings: { ALERT_GRACE: '2m' } });
    const { webhook } = world.inbox;
    const [first, second, third] = [lately(world, 1), lately(world, 2), lately(world, 3)];
    await world.tell(first.marked, second.marked, third.marked);
    world.pass('1m');
    await world.tell(first.unmarked, third.canceled);
    world.pass('61s');
    await expect.poll(() => webhook.received.map(titleOf)).toEqual([`No-show: ${second.name}`]);
    await expect
      .poll(() => world.states('webhook'))
      .toEqual(expect.arrayContaining(['retracted', 'retracted', 'sent']));
    await world.tell(second.unmarked);
    await expect.poll(() => webhook.received.map(typeOf)).toEqual(['alert', 'alert.retraction']);
  });

  it('are not sent when it is over and only the sender has noticed', async () => {
    await using world = await openAlertWorld({ settings: { ALERT_GRACE: '2m' }, rules: [{ ...missed, ...byWebhook }] });
    const { uri, marked } = lately(world, 1);
    await world.tell(marked);
    // As if the watcher were behind: the row has changed, and it has not read of it.
    await world.store.db.updateTable('invitees').set({ no_show_uri: null }).where('uri', '=', uri).execute();
    world.pass('3m');
    await expect.poll(() => world.states('webhook')).toEqual(['retracted']);
    expect(world.inbox.webhook.received).toEqual([]);
  });

  it('rest during quiet hours, in the zone of the rule', async () => {
    const quiet_hours = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' };
    const rules = [
      { ...missed, ...bySlack, quiet_hours },
      { name: 'awake', when: 'no_show', ...byWebhook },
    ];
    // 22:30 in Berlin.
    await using world = await openAlertWorld({ rules, at: '2026-03-04T21:30:00Z' });
    const { slack, webhook } = world.inbox;
    const next = async () => (await world.alerts()).find(({ channel }) => channel === 'slack')?.nextAt;
    await world.tell(lately(world, 1).marked);
    await expect.poll(next).toBe('2026-03-05T06:00:00.000000Z');
    await expect.poll(() => webhook.received).toHaveLength(1);
    world.pass('8h');
    await world.tell(lately(world, 2).marked);
    await expect.poll(() => webhook.received).toHaveLength(2);
    expect(slack.received).toEqual([]);
    world.pass('1h');
    await expect.poll(() => slack.received).toHaveLength(2);
  });

  it('leave by a channel whose places a killed process had taken just before quiet hours', async () => {
    const quiet_hours = { from: '22:00', to: '07:00' };
    const rules = [
      { ...missed, ...byWebhook, quiet_hours, grace: '30m' },
      { name: 'awake', when: 'no_show', ...byWebhook, grace: '31m' },
    ];
    await using world = await openAlertWorld({ rules, at: '2026-03-04T21:59:50Z' });
    const { webhook } = world.inbox;
    await world.tell(...Array.from({ length: 8 }, (_, n) => lately(world, n).marked));
    const taken = (await world.alerts()).filter(({ rule }) => rule === 'missed');
    const times = { now: timeOf(world.nowMs()), until: timeOf(world.nowMs() + 20_000) };
    await world.store.transaction((unit) => claimAlerts(unit, taken, times));
    world.pass('21s');
    await expect
      .poll(async () => (await world.alerts()).filter(({ nextAt }) => nextAt === '2026-03-05T07:00:00.000000Z'))
      .toHaveLength(8);
    world.pass('31m');
    await expect.poll(() => webhook.received).toHaveLength(8);
  });

  it('leave together as a digest at its full periods, each marked with it', async () => {
    await using world = await openAlertWorld({
      rules: [{ ...missed, ...byWebhook, digest: '1h' }],
      at: '2026-03-04T10:05:00Z',
    });
    const { webhook } = world.inbox;
    const [first, second, third] = [lately(world, 1), lately(world, 2), lately(world, 3)];
    await world.tell(first.marked, second.marked, third.marked);
    await expect
      .poll(async () => (await world.alerts()).map(({ nextAt }) => nextAt))
      .toEqual(Array.from({ length: 3 }, () => '2026-03-04T11:00:00.000000Z'));
    await world.tell(third.unmarked);
    world.pass('55m');
    await expect.poll(() => webhook.received.map(typeOf)).toEqual(['alert.digest']);
    await expect.poll(() => world.states('webhook')).toEqual(expect.arrayContaining(['retracted', 'sent', 'sent']));
    const told = webhook.received.flatMap(
      ({ body }) => (body as { data: { subject_uris: string[] } }).data.subject_uris,
    );
    expect(told.toSorted()).toEqual([first.uri, second.uri].toSorted());
  });

  it('leave as the same digest when it has to be tried again, whoever has joined since', async () => {
    await using world = await openAlertWorld({ rules: [{ ...missed, ...byWebhook, digest: '1m' }] });
    const { webhook } = world.inbox;
    webhook.answer = 503;
    await world.tell(lately(world, 1).marked, lately(world, 2).marked);
    await expect.poll(() => webhook.received).toHaveLength(1);
    await expect.poll(async () => (await world.alerts()).map(({ attempts }) => attempts)).toEqual([1, 1]);
    await world.tell(lately(world, 3).marked);
    webhook.answer = 202;
    world.pass('2m');
    await expect.poll(() => world.states('webhook')).toEqual(['sent', 'sent', 'sent']);
    expect(webhook.received).toHaveLength(3);
    expect(keysOf(webhook.received)).toHaveLength(2);
  });

  it(
    'are tried again with growing pauses, given up in the end, and sent again by hand',
    { timeout: 60_000 },
    async () => {
      await using world = await openAlertWorld({ rules: [{ ...missed, ...byWebhook }] });
      const { webhook } = world.inbox;
      webhook.answer = 500;
      await world.tell(lately(world, 1).marked);
      const attempts = async () => (await world.alerts())[0]?.attempts;
      for (let n = 1; n <= 12; n += 1) {
        await expect.poll(attempts).toBe(n);
        world.pass('9h');
      }
      await expect.poll(() => world.states('webhook')).toEqual(['failed']);
      expect((await world.alerts())[0]?.lastError).toBe('500');
      expect(keysOf(webhook.received)).toHaveLength(1);
      expect(webhook.received).toHaveLength(12);

      webhook.answer = 202;
      await world.resend();
      await expect.poll(() => world.states('webhook')).toEqual(['sent']);
      expect(keysOf(webhook.received)).toHaveLength(1);
      expect(world.lines.join()).not.toContain('Person 1');
    },
  );

  it('are given up at once where trying again cannot help', async () => {
    await using world = await openAlertWorld({ rules: [{ ...missed, ...byWebhook }] });
    world.inbox.webhook.answer = 410;
    await world.tell(lately(world, 1).marked);
    await expect.poll(() => world.states('webhook')).toEqual(['failed']);
    expect(world.inbox.webhook.received).toHaveLength(1);
  });

  it('leave a channel alone for as long as it asks', async () => {
    await using world = await openAlertWorld({ rules: [{ ...missed, ...byWebhook }] });
    const { webhook } = world.inbox;
    webhook.answer = 429;
    webhook.words = { headers: { 'retry-after': '120' } };
    await world.tell(lately(world, 1).marked);
    await expect.poll(() => world.standing()['webhook']).toMatchObject({ state: 'open' });
    const until = timeOf(world.nowMs() + 120_000);
    webhook.answer = 202;
    await world.tell(lately(world, 2).marked);
    await expect.poll(async () => (await world.alerts()).map(({ nextAt }) => nextAt)).toEqual([until, until]);
    expect(webhook.received).toHaveLength(1);
    world.pass('2m');
    await expect.poll(() => world.states('webhook')).toEqual(['sent', 'sent']);
    expect((await world.alerts()).map(({ attempts }) => attempts).toSorted()).toEqual([1, 2]);
  });

  it('open the circuit of a channel that fails, try it with one message, and go on with all', async () => {
    await using world = await openAlertWorld({ rules: [{ ...missed, ...byWebhook }] });
    const { webhook } = world.inbox;
    webhook.answer = 500;
    for (let n = 0; n < 5; n += 1) {
      await world.tell(lately(world, n).marked);
      await expect.poll(() => webhook.received).toHaveLength(n + 1);
    }
    await expect.poll(() => world.standing()['webhook']).toMatchObject({ state: 'open', failures: 5 });
    await world.tell(lately(world, 5).marked, lately(world, 6).marked);
    // Put off without an attempt.
    await expect
      .poll(async () => (await world.alerts()).every(({ nextAt }) => nextAt > timeOf(world.nowMs())))
      .toBe(true);
    expect(webhook.received).toHaveLength(5);
    webhook.answer = 202;
    world.pass('6s');
    await expect.poll(() => world.standing()['webhook']).toMatchObject({ state: 'closed', failures: 0 });
    world.pass('2s');
    await expect.poll(() => world.states('webhook')).toEqual(Array.from({ length: 7 }, () => 'sent'));
    expect(keysOf(webhook.received)).toHaveLength(7);
  });

  it('leave without the queue while that is away, each once, and not more at a time than with it', async () => {
    await using world = await openAlertWorld({ rules: [{ ...missed, channels: ['slack', 'webhook'] }] });
    const { slack, webhook } = world.inbox;
    slack.answer = null;
    await world.loseQueue();
    await world.tell(...Array.from({ length: 12 }, (_, n) => lately(world, n).marked));
    await expect.poll(() => world.states('webhook')).toEqual(Array.from({ length: 12 }, () => 'sent'));
    expect(webhook.received).toHaveLength(12);
    expect(keysOf(webhook.received)).toHaveLength(12);
    expect(slack.received).toHaveLength(8);
  });

  it('go out by one channel while another one hangs', async () => {
    await using world = await openAlertWorld();
    const { slack, webhook, mailbox } = world.inbox;
    slack.answer = null;
    await world.tell(...Array.from({ length: 12 }, (_, n) => lately(world, n).marked));
    await expect.poll(() => webhook.received).toHaveLength(12);
    await expect.poll(() => mailbox.mails).toHaveLength(12);
    // Not more at once than one channel may have.
    expect(slack.received).toHaveLength(8);
  });

  it.each([
    { how: 'cuts the connection', answer: 'cut' as const },
    { how: 'is hidden behind a gateway that gives up', answer: 504 },
  ])('take back what was perhaps said, where the other side $how', async ({ answer }) => {
    await using world = await openAlertWorld({ rules: [{ ...missed, ...byWebhook }] });
    const { webhook } = world.inbox;
    const { marked, unmarked } = lately(world, 1);
    webhook.answer = answer;
    await world.tell(marked);
    await expect.poll(async () => (await world.alerts())[0]?.attempts).toBe(1);
    webhook.answer = 202;
    await world.tell(unmarked);
    world.pass('21s');
    await expect.poll(() => world.states('webhook')).toEqual(['retracted', 'sent']);
    expect(webhook.received.map(typeOf)).toEqual(['alert', 'alert.retraction']);
  });

  it('are silent about what nobody can have heard and is over', async () => {
    await using world = await openAlertWorld({ rules: [{ ...missed, ...byWebhook }] });
    const { webhook } = world.inbox;
    const { marked, unmarked } = lately(world, 1);
    webhook.answer = 503;
    await world.tell(marked);
    await expect.poll(async () => (await world.alerts())[0]?.attempts).toBe(1);
    webhook.answer = 202;
    await world.tell(unmarked);
    world.pass('1h');
    await world.tell(lately(world, 2).marked);
    await expect.poll(() => world.states('webhook')).toEqual(['retracted', 'sent']);
    expect(webhook.received.map(typeOf)).toEqual(['alert', 'alert']);
  });

  it('say that it was taken back where nobody knows whether it was said', async () => {
    await using world = await openAlertWorld({ settings: { ALERT_GRACE: '1h' }, rules: [{ ...missed, ...byWebhook }] });
    const { webhook } = world.inbox;
    const { marked, unmarked } = lately(world, 1);
    await world.tell(marked);
    // As a process leaves it that is killed over a send.
    const times = { now: timeOf(world.nowMs()), until: timeOf(world.nowMs() + 20_000) };
    const rows = await world.alerts();
    await world.store.transaction((unit) => claimAlerts(unit, rows, times));
    await world.tell(unmarked);
    await expect.poll(() => world.states('webhook')).toEqual(['retracted']);
    expect(webhook.received).toEqual([]);
    world.pass('21s');
    await expect.poll(() => webhook.received.map(typeOf)).toEqual(['alert.retraction']);
    expect(keysOf(webhook.received)).toEqual([`${rows[0]?.id}-retraction`]);
  });
});
