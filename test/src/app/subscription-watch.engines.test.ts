// The watch in a running product: a failing subscription is reported, a disabled one is created again, and what was missed
// meanwhile is repaired, all by itself.
import { describe, expect, inject, it } from 'vitest';
import { updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import { ask } from '../../oracle/deliveries.ts';
import { until } from '../../harness/ports.ts';
import { openHome, type Home, type RunningProduct } from '../../harness/product.ts';
import { startRedis, type TestRedis } from '../../harness/redis.ts';
import { openTestSandbox, type TestSandbox } from '../../harness/sandbox.ts';

const never = '99999d';
const world = { contacts: 20, bookings: 5, rateLimits: false, eventTypes: true };

async function openWatched(redis: TestRedis, sandbox: TestSandbox): Promise<Home> {
  const home = await openHome({
    QUEUE_URL: redis.url,
    API_BASE_URL: sandbox.handles.base_url,
    API_TOKEN: sandbox.handles.tokens.owner,
    RECONCILE_EVERY: never,
    SWEEP_EVERY: never,
    WATCH_EVERY: '1s',
  });
  Object.assign(home.settings, { PUBLIC_URL: `http://127.0.0.1:${home.settings['PORT']}` });
  return home;
}

async function gauge(product: RunningProduct, line: string): Promise<number> {
  const text = await (await product.admin('/metrics')).text();
  const found = text.split('\n').find((one) => one.startsWith(`${line} `));
  return Number(found?.split(' ').at(-1) ?? 'NaN');
}

const organizationOnes = ({ service }: TestSandbox) =>
  [...service.state.subscriptions.values()].filter(
    ({ scope, events }) => scope === 'organization' && events.includes('contact.updated'),
  );

describe.runIf(inject('redisUrl'))('the watch', () => {
  it('creates a disabled subscription again and repairs what was missed in the meantime', async () => {
    await using redis = await startRedis();
    await using sandbox = await openTestSandbox(world);
    await using home = await openWatched(redis, sandbox);
    expect((await home.run(['bootstrap'])).code).toBe(0);
    expect((await home.run(['backfill'])).code).toBe(0);
    const [lost] = organizationOnes(sandbox);
    await sandbox.control('POST', '/subscriptions/disable', { uri: lost?.uri });
    const [contact] = sandbox.service.state.contacts.get(sandbox.handles.organization)?.values() ?? [];
    if (contact === undefined) throw new Error('no contact');
    updateContact(sandbox.service, contact, { company: 'Changed During The Outage' });

    const product = await home.open('start');
    await until(
      () => organizationOnes(sandbox).some(({ uri, state }) => uri !== lost?.uri && state === 'active'),
      'it is active again',
    );
    const missed = `select source from event_log where subject_uri = '${contact.uri}' and outcome = 'applied' and source = 'reconcile'`;
    await until(async () => (await ask(home.store, missed)).length === 1, 'the gap is repaired');
    const [row] = await ask(home.store, `select company from contacts where uri = '${contact.uri}'`);
    expect(row?.['company']).toBe('Changed During The Outage');
    await until(
      async () => (await gauge(product, 'slotstream_mirror_drift{part="full",kind="contact",how="different"}')) === 1,
      'the drift is published',
    );
    expect(await gauge(product, 'slotstream_reconcile_last_complete_seconds{part="full"}')).toBeGreaterThan(1.7e9);
    const status: unknown = await (await product.admin('/api/status')).json();
    expect(status).toMatchObject({ reconcile: { full: { drift: { contact: { different: 1 } } } } });
    await until(
      async () => (await ask(home.store, "select key from key_values where key = 'gap'")).length === 0,
      'the gap is closed',
    );
    expect(product.output()).toContain('a subscription was disabled or deleted');
    expect(product.output()).not.toContain(home.signingKey);
    expect(await product.term()).toBe(0);
  });

  it('reports a deleted subscription while the service fails to create another', async () => {
    await using redis = await startRedis();
    await using sandbox = await openTestSandbox(world);
    await using home = await openWatched(redis, sandbox);
    expect((await home.run(['bootstrap'])).code).toBe(0);
    const answers = [{ path: '/webhook_subscriptions', method: 'POST', status: 503 }];
    await sandbox.control('POST', '/faults', { answers });
    const [lost] = organizationOnes(sandbox);
    await sandbox.call('DELETE', lost?.uri ?? '');

    const product = await home.open('start');
    const sentence = '1 webhook subscription was deleted in the service.';
    // One call is retried for a minute.
    await until(async () => (await home.run(['status'])).out.includes(sentence), '`status` reports it', 30_000);
    expect(await (await product.admin('/', { accept: 'text/html' })).text()).toContain(sentence);
    expect(await gauge(product, 'slotstream_subscriptions{state="missing"}')).toBe(1);
  });
});
