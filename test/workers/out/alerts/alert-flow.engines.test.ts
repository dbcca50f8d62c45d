// Alerts from delivery to recipient: deferred by quiet hours, retried, paused. The clock is the test's. That each is sent once and retracted
// once: alerts-property.engines.test.ts, and alerting.process.test.ts with processes that are killed.
import { describe, expect, it } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import { claimAlerts } from '#src/store/alerts/claims.ts';
import { eventually } from '../../../harness/moments.ts';
import { openAlertWorld, type AlertWorld } from '../../../harness/alerts/alert-world.ts';
import { keysOf } from '../../../harness/alerts/alert-receivers.ts';
import { noShowBooking } from '../../../harness/data/no-show-bookings.ts';

const minuteMs = 60_000;
const byWebhook = { channels: ['webhook'] };
const noShowRule = { name: 'missed', when: 'no_show' };
const lately = (world: AlertWorld, index: number) => noShowBooking(index, world.nowMs() - minuteMs);

describe('alerts', () => {
  it('are not sent when the fact is over and the watcher has not noticed yet', async () => {
    await using world = await openAlertWorld({
      settings: { ALERT_GRACE: '2m' },
      rules: [{ ...noShowRule, ...byWebhook }],
    });
    const { uri, marked } = lately(world, 1);
    await world.deliver(marked);
    // As if the watcher lagged behind: the row has changed, and its log entry was not read.
    await world.store.db.updateTable('invitees').set({ no_show_uri: null }).where('uri', '=', uri).execute();
    world.advance('3m');
    await world.reaches('webhook', ['retracted']);
    expect(world.inbox.webhook.received).toEqual([]);
  });

  it('are sent on a channel whose slots a killed process had claimed just before quiet hours', async () => {
    const quiet_hours = { from: '22:00', to: '07:00' };
    const rules = [
      { ...noShowRule, ...byWebhook, quiet_hours, grace: '30m' },
      { name: 'awake', when: 'no_show', ...byWebhook, grace: '31m' },
    ];
    await using world = await openAlertWorld({ rules, at: '2026-03-04T21:59:50Z' });
    const { webhook } = world.inbox;
    await world.deliver(...Array.from({ length: 8 }, (_, n) => lately(world, n).marked));
    const taken = (await world.alerts()).filter(({ rule }) => rule === 'missed');
    await world.store.transaction((unit) => claimAlerts(unit, taken, world.nowMs()));
    world.advance('21s');
    await eventually(async () =>
      (await world.alerts()).filter(({ next_at }) => next_at === '2026-03-05T07:00:00.000000Z'),
    ).toHaveLength(8);
    world.advance('31m');
    await eventually(() => webhook.received).toHaveLength(8);
  });

  it('are retried with growing delays, given up in the end, and resent by an operator', async () => {
    await using world = await openAlertWorld({ rules: [{ ...noShowRule, ...byWebhook }] });
    const { webhook } = world.inbox;
    webhook.answer = 500;
    await world.deliver(lately(world, 1).marked);
    const attempts = async () => (await world.alerts())[0]?.attempts;
    for (let n = 1; n <= 12; n += 1) {
      await eventually(attempts).toBe(n);
      world.advance('9h');
    }
    await world.reaches('webhook', ['failed']);
    expect((await world.alerts())[0]?.last_error).toBe('500');
    expect(keysOf(webhook.received)).toHaveLength(1);
    expect(webhook.received).toHaveLength(12);

    webhook.answer = 202;
    await world.resend();
    await world.reaches('webhook', ['sent']);
    expect(keysOf(webhook.received)).toHaveLength(1);
    expect(world.lines.join()).not.toContain('Person 1');
  });

  it('pause a channel for as long as it requests', async () => {
    await using world = await openAlertWorld({ rules: [{ ...noShowRule, ...byWebhook }] });
    const { webhook } = world.inbox;
    webhook.answer = 429;
    webhook.words = { headers: { 'retry-after': '120' } };
    await world.deliver(lately(world, 1).marked);
    const until = instantOf(world.nowMs() + 120_000);
    await eventually(async () => (await world.alerts()).map(({ next_at }) => next_at)).toEqual([until]);
    webhook.answer = 202;
    await world.deliver(lately(world, 2).marked);
    world.advance('119s');
    await world.deliver(lately(world, 3).marked);
    expect(webhook.received).toHaveLength(1);
    // Then one at a time.
    for (const sent of [2, 3, 4]) {
      world.advance('5s');
      await eventually(() => webhook.received).toHaveLength(sent);
    }
    await world.reaches('webhook', ['sent', 'sent', 'sent']);
    // An answer that asks for a pause is no failure.
    expect((await world.alerts()).map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
    expect(world.channelStates()['webhook']).toMatchObject({ state: 'closed', failures: 0 });
  });
});
