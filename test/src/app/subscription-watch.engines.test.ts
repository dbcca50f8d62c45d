// The watch in a running product: a failing subscription is reported, a disabled one is created again, and what was missed
// meanwhile is repaired, all by itself.
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import { eventually } from '../../harness/moments.ts';
import { ask } from '../../oracle/deliveries.ts';
import { until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';

const never = '99999d';

it('the watch reports a disabled subscription while none can be created, creates it again, and repairs what was missed', async () => {
  await using sandbox = await openTestSandbox({ contacts: 20, bookings: 5, rateLimits: false, eventTypes: true });
  await using home = await openHome({
    API_BASE_URL: sandbox.handles.base_url,
    API_TOKEN: sandbox.handles.tokens.owner,
    RECONCILE_EVERY: never,
    SWEEP_EVERY: never,
    WATCH_EVERY: '1s',
  });
  Object.assign(home.settings, { PUBLIC_URL: `http://127.0.0.1:${home.settings['PORT']}` });
  for (const args of [['bootstrap', '--anyway'], ['backfill']]) expect((await home.run(args)).code).toBe(0);
  const aboutContacts = () =>
    [...sandbox.service.state.subscriptions.values()].filter(({ events }) => events.includes('contact.updated'));
  const [lost] = aboutContacts();
  const answers = [{ path: '/webhook_subscriptions', method: 'POST', status: 503 }];
  await sandbox.control('POST', '/faults', { answers });
  await sandbox.control('POST', '/subscriptions/disable', { uri: lost?.uri });
  const [contact] = sandbox.service.state.contacts.get(sandbox.handles.organization)?.values() ?? [];
  if (contact === undefined) throw new Error('no contact');
  updateContact(sandbox.service, contact, { company: 'Changed During The Outage' });

  const product = await home.open('start');
  const metrics = async () => (await product.admin('/metrics')).text();
  const sentence = 'The service disabled 1 webhook subscription';
  // One call is retried for a minute.
  const isReported = async () => (await home.run(['status'])).out.includes(sentence);
  await until(isReported, '`status` reports it', 30_000);
  expect(await (await product.admin('/', { accept: 'text/html' })).text()).toContain(sentence);
  expect(await metrics()).toContain('slotstream_subscriptions{state="disabled"} 1\n');

  await sandbox.control('POST', '/faults', { answers: [] });
  await until(
    () => aboutContacts().some(({ uri, state }) => uri !== lost?.uri && state === 'active'),
    'it is active again',
  );
  const missed = `select source from event_log where subject_uri = '${contact.uri}' and outcome = 'applied' and source = 'reconcile'`;
  await until(async () => (await ask(home.store, missed)).length === 1, 'the gap is repaired');
  const [row] = await ask(home.store, `select company from contacts where uri = '${contact.uri}'`);
  expect(row?.['company']).toBe('Changed During The Outage');
  await until(
    async () => (await ask(home.store, "select key from key_values where key = 'gap'")).length === 0,
    'the gap is closed',
  );
  await eventually(metrics).toContain('slotstream_mirror_drift{part="full",kind="contact",how="different"} 1\n');
  expect(await metrics()).toMatch(/^slotstream_reconcile_last_complete_seconds\{part="full"\} \d{10}/m);
  const status: unknown = await (await product.admin('/api/status')).json();
  expect(status).toMatchObject({ reconcile: { full: { drift: { contact: { different: 1 } } } } });
  expect(product.output()).toContain('a subscription was disabled or deleted');
  expect(product.output()).not.toContain(home.signingKey);
  // Its end does not wait for a call that is retried.
  await sandbox.control('POST', '/faults', { answers });
  await sandbox.control('POST', '/subscriptions/disable', { uri: aboutContacts()[0]?.uri });
  await until(isReported, '`status` reports it again');
  expect(await Promise.race([product.term(), wait(30_000, 'late', { ref: false })])).toBe(0);
});
