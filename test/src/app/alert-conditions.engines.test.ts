// Operational alerts of a running product: a lost subscription and a growing quarantine are reported once, as Slack messages.
import { describe, expect, inject, it } from 'vitest';
import { ask } from '../../oracle/deliveries.ts';
import { until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';
import { openCallback } from '../../harness/sandbox/callback-server.ts';
import { openSender } from '../../harness/mirror/sender.ts';

const never = '99999d';

describe.runIf(inject('redisUrl'))('operational alerts', () => {
  it('report a lost subscription and a growing quarantine once, whichever process evaluates', async () => {
    await using redis = await startRedis();
    await using sandbox = await openTestSandbox({ contacts: 5, bookings: 3, rateLimits: false });
    await using sink = await openCallback();
    sink.answer = 200;
    sink.words = { body: 'ok' };
    const count = (title: string) => sink.received.filter(({ body }) => body.blocks[0].text.text === title).length;
    await using home = await openHome({
      QUEUE_URL: redis.url,
      API_BASE_URL: sandbox.handles.base_url,
      API_TOKEN: sandbox.handles.tokens.owner,
      RECONCILE_EVERY: never,
      SWEEP_EVERY: never,
      WATCH_EVERY: '1s',
      ALERT_SLACK_URL: sink.url,
      ALERT_ALLOW_PRIVATE: 'true',
    });
    Object.assign(home.settings, { PUBLIC_URL: `http://127.0.0.1:${home.settings['PORT']}` });
    expect((await home.run(['bootstrap'])).code).toBe(0);
    const product = await home.open('start');
    const [lost] = sandbox.service.state.subscriptions.values();
    await sandbox.control('POST', '/subscriptions/disable', { uri: lost?.uri });
    const sender = openSender({ url: product.webhook, key: home.signingKey });
    await sender.send(['no JSON', 'nor this']);

    await until(() => count('A webhook subscription has a problem') > 0, 'the subscription is reported');
    await until(() => count('The quarantine is growing') > 0, 'the quarantine is reported');
    const gauge = 'slotstream_alerts{channel="slack",state="sent"} 2';
    await until(async () => (await (await product.admin('/metrics')).text()).includes(gauge), 'both are marked');
    const listed = (await (await product.admin('/api/alerts?state=sent')).json()) as { collection: object[] };
    expect(listed.collection).toContainEqual(
      expect.objectContaining({ rule: 'subscription', subject_uri: lost?.uri, channel: 'slack', attempts: 1 }),
    );

    // Another process goes on where this one was.
    expect(await product.term()).toBe(0);
    const next = await home.open('start');
    await sender.send(['no more JSON']);
    const ran = async (): Promise<number> => {
      const [row] = await ask(home.store, "select value from key_values where key = 'lease conditions'");
      return (JSON.parse(String(row?.['value'])) as { ran_ms: number }).ran_ms;
    };
    const startedMs = Date.now();
    await until(async () => (await ran()) > startedMs, 'the conditions were evaluated');
    const ranMs = await ran();
    await until(async () => (await ran()) > ranMs + 2_000, 'they were evaluated again and again');
    sender.close();
    expect([count('A webhook subscription has a problem'), count('The quarantine is growing')]).toEqual([1, 1]);
    expect(next.output() + product.output()).not.toContain('/hook');
    expect(await next.term()).toBe(0);
  });
});
