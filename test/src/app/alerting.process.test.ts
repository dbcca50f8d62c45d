// Alerts of the real product, killed at every step: one key per fact, whatever happens. That old history makes none is in first-loaded.engines.test.ts.
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { eventually } from '../../harness/moments.ts';
import { openAlertReceivers, keyOf, keysOf, titleOf, typeOf } from '../../harness/alerts/alert-receivers.ts';
import { noShowBooking } from '../../harness/data/no-show-bookings.ts';
import { ask, endLeases } from '../../oracle/deliveries.ts';
import { openHome, type Home, type Product, type RunningProduct } from '../../harness/product.ts';
import { startRedis, type TestRedis } from '../../harness/redis.ts';
import { openSender } from '../../harness/mirror/sender.ts';

/** The claims and the lease of a killed process expire. */
const patience = { timeout: 120_000 };

async function send(home: Home, product: RunningProduct, bodies: readonly string[]): Promise<void> {
  const sender = openSender({ url: product.webhook, key: home.signingKey, lanes: 4, retries: true });
  await sender.send(bodies);
  sender.close();
}

const statesOf = async (home: Home): Promise<unknown[]> =>
  (await ask(home.store, 'select state from alerts order by id')).map(({ state }) => state);

/** Not in the order of events. */
const shuffled = (bodies: readonly string[], times: number): string[] =>
  Array.from({ length: times }, (_, n) => (n % 3 === 0 ? bodies.toReversed() : bodies)).flat();

// Concurrent, each in a folder of its own: they mostly wait for claims and leases of killed processes to expire.
describe.concurrent('alerts of a running product', { timeout: 480_000 }, () => {
  // The shared one is not durable, and a queue that could lose deliveries is refused.
  let redis: TestRedis | undefined;
  beforeAll(async () => {
    redis = inject('redisUrl') ? await startRedis() : undefined;
  });
  afterAll(() => redis?.stop());

  // The outbox is in the store: which queue brings the deliveries makes no difference.
  it('report a fact that is delivered twenty times under one key, killed at every step, and retract it once', async ({
    expect,
  }) => {
    await using inbox = await openAlertReceivers();
    const { webhook, slack, mailbox } = inbox;
    await using home = await openHome({ ...inbox.settings, ...(redis && { QUEUE_URL: redis.url }), ALERT_GRACE: '1s' });
    // Killed as soon as it has accepted them: before or during the fold.
    const doomed = await home.start('start');
    // Rules report what happens after they were first loaded.
    const [first, last] = [noShowBooking(1, Date.now()), noShowBooking(2, Date.now())];
    const twenty = shuffled([first.booked, first.marked], 20);
    await send(home, doomed, twenty.slice(0, 10));
    await doomed.kill9();
    await endLeases(home.store);

    // Killed by its first call: the recipient has the message, and the outcome is not recorded.
    let running: Product | undefined;
    let killed: Promise<void> | undefined;
    webhook.answer = () => {
      // Sent while the process starts: it comes again.
      if (running === undefined) return 503;
      killed ??= running.kill9();
      return 202;
    };
    // Killed during the grace period, unless the machine is so slow that it has sent before.
    running = await home.start('start');
    await eventually(() => statesOf(home), patience).toHaveLength(3);
    if (killed === undefined) {
      const waiting = running;
      running = undefined;
      await waiting.kill9();
      await endLeases(home.store);
      running = await home.start('start');
    }
    await eventually(() => killed !== undefined, patience).toBe(true);
    await killed;
    await endLeases(home.store);
    webhook.answer = 202;

    const fourth = await home.open('start');
    await send(home, fourth, twenty.slice(10));
    await eventually(() => statesOf(home), patience).toEqual(['sent', 'sent', 'sent']);
    expect(keysOf(webhook.received)).toHaveLength(1);
    expect(webhook.received.length).toBeGreaterThan(1);

    // The removal of the mark is delivered twenty times, and everything is replayed from the log.
    await send(home, fourth, shuffled([first.unmarked, first.marked], 10));
    await eventually(() => webhook.received.map(typeOf), patience).toContain('alert.retraction');
    expect(await home.run(['rebuild'])).toMatchObject({ code: 0 });
    expect(await home.run(['replay', '--all'])).toMatchObject({ code: 0 });
    await send(home, fourth, [last.marked]);
    await eventually(() => webhook.received.map(titleOf), patience).toContain(`No-show: ${last.name}`);
    await eventually(() => mailbox.mails.map(({ raw }) => raw.includes(last.name)), patience).toContain(true);
    const kinds = new Map(webhook.received.map((one) => [keyOf(one), typeOf(one)]));
    expect([...kinds.values()].toSorted()).toEqual(['alert', 'alert', 'alert.retraction']);
    expect(slack.received.length).toBeGreaterThanOrEqual(3);
    expect(await fourth.term()).toBe(0);
    expect(home.output()).not.toContain(first.name);
  });

  it('do not delay the end of a process while a channel hangs, and are sent when the channel is back', async ({
    expect,
  }) => {
    await using inbox = await openAlertReceivers();
    await using home = await openHome(inbox.settings);
    inbox.webhook.answer = null;
    const first = await home.open('start');
    const { marked, name } = noShowBooking(1, Date.now());
    await send(home, first, [marked]);
    await eventually(() => inbox.webhook.received.length, patience).toBe(1);
    expect(await first.term()).toBe(0);
    inbox.webhook.answer = 202;
    const second = await home.open('start');
    await eventually(() => statesOf(home), patience).toEqual(['sent', 'sent', 'sent']);
    expect(inbox.webhook.received.map(titleOf)).toEqual([`No-show: ${name}`, `No-show: ${name}`]);
    expect(keysOf(inbox.webhook.received)).toHaveLength(1);
    expect(inbox.slack.received).toHaveLength(1);
    const metrics = await (await second.admin('/metrics')).text();
    expect(metrics).toContain('slotstream_alert_channel_open{channel="webhook"} 0');
    expect(metrics).toContain('slotstream_alerts{channel="webhook",state="sent"} 1');
  });
});
