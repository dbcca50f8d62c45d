// A mirror without webhooks: `start` with a token alone copies what the service has, reads what changes, and reports no fault.
import { describe, expect, it } from 'vitest';
import type { HealthCheck } from '#src/read/health/health-check.ts';
import { markNoShow } from '#src/sandbox/world/bookings/bookings.ts';
import { createLiveActivity } from '#src/sandbox/live.ts';
import { openStore } from '#src/store/open-store.ts';
import { eventually } from '../../harness/moments.ts';
import { until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';
import { rowsOf } from '../../harness/stores.ts';

describe('a start without a public address', () => {
  it('copies everything, follows the changes, and says how old they are instead of missing subscriptions (A22)', async () => {
    await using sandbox = await openTestSandbox({ contacts: 12, bookings: 30, rateLimits: false });
    const { base_url: API_BASE_URL, tokens, organization } = sandbox.handles;
    await using home = await openHome({ API_BASE_URL, API_TOKEN: tokens.owner, POLL_EVERY: '1s' });
    const product = await home.open('start');
    await using store = await openStore({ report: () => {} }, home.store);
    const invitees = () => rowsOf(store, 'invitees');
    const status = async () => (await home.run(['status'])).out;
    await eventually(status).toMatch(/Changes +Updated every \d+ s, .*invitees \d\S* \S+ ago;/);

    expect(await status()).not.toContain('not yet;');
    const { service } = sandbox;
    const act = createLiveActivity({ service, organization, report: () => {} });
    for (let times = 0; times < 40; times += 1) act();
    const nowMs = service.clock.nowMs();
    const missed = [...service.state.invitees.values()].find(({ event }) => {
      const startMs = Date.parse(service.state.scheduledEvents.get(event)?.start_time ?? '');
      return startMs < nowMs && startMs > nowMs - 24 * 3_600_000;
    });
    if (missed) markNoShow(service, missed);
    const truth = () => [...service.state.invitees.values()].map(({ uri, status }) => `${uri} ${status}`).toSorted();
    await until(async () => {
      const found = (await invitees()).map(({ uri, status: state }) => `${String(uri)} ${String(state)}`).toSorted();
      return JSON.stringify(found) === JSON.stringify(truth());
    }, 'every booking is in the mirror, as the service has it');

    const health = JSON.parse((await home.run(['doctor', '--json'])).out) as HealthCheck[];
    expect(health.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(health.map(({ id }) => id)).not.toContain('subscriptions');
    expect(health.find(({ id }) => id === 'public URL')?.sentence).toContain(
      'You do not see what changes and changes back',
    );
    const page = await (await product.admin('/', { accept: 'text/html' })).text();
    expect(page).toMatch(/id="polling">Updated every \d+ s, without webhooks: contacts, meetings and invitees/);
    expect(page).not.toMatch(/Still to do|id="flow"|id="today"/);
    const deliveries = await (await product.admin('/deliveries', { accept: 'text/html' })).text();
    expect(deliveries).toContain('No webhook has arrived yet. <a href="/deliveries?source=any">Show what was read');
    expect(deliveries).not.toContain('bootstrap</code> registers');
    expect(product.output()).toContain('the service is read every 1 s, without webhooks');
    expect(product.output()).not.toMatch(/next: |does not watch/);
  });
});
