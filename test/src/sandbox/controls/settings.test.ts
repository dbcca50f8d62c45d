// The controls of what administrators change: custom fields, users and meetings, and what the service shows afterwards.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Fact } from '#src/sandbox/world/service.ts';
import { openBooker } from '../../../harness/sandbox/bookings.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';

let facts: Fact[];
let sandbox: TestSandbox;
beforeEach(async () => {
  facts = [];
  const needs = { onFact: (fact: Fact) => void facts.push(fact) };
  sandbox = await openTestSandbox({ contacts: 3, bookings: 1, rateLimits: false, eventTypes: true }, needs);
});
afterEach(() => sandbox[Symbol.asyncDispose]());

const definitions = async () => (await sandbox.call('GET', '/contacts/custom_field_definitions')).body.collection;

it('the controls of custom fields add, rename, extend, retire and delete one, and contacts follow', async () => {
  const request = { label: 'Churn risk', field_type: 'single_select', options: ['Low', 'High'] };
  const made = (await sandbox.control('POST', '/custom_fields', request)).body.resource;
  const change = async (more: object) =>
    (await sandbox.control('PATCH', '/custom_fields', { uri: made.uri, ...more })).body.resource;
  expect(made).toMatchObject({ ...request, options: [{ label: 'Low' }, { label: 'High' }] });
  expect((await definitions()).at(-1)).toEqual(made);
  const [{ uri: contact }] = (await sandbox.call('GET', '/contacts')).body.collection;
  const labels = async (): Promise<string[]> =>
    (await sandbox.call('GET', contact)).body.resource.custom_fields.map(({ label }: { label: string }) => label);
  expect(await labels()).toContain('Churn risk');
  const custom_fields = [{ uri: made.uri, value: made.options[1].uuid }];
  expect((await sandbox.call('PATCH', contact, { body: { custom_fields } })).status).toBe(200);
  const changed = await change({ label: 'Risk', add_options: ['Lost'], rename_options: { High: 'Higher' } });
  expect(changed).toEqual({
    ...made,
    label: 'Risk',
    options: [made.options[0], { ...made.options[1], label: 'Higher' }, { label: 'Lost', uuid: expect.any(String) }],
    updated_at: expect.not.stringMatching(made.updated_at),
  });
  for (const nothing of [{}, { label: 'Risk' }]) expect(await change(nothing)).toEqual(changed);
  for (const retired of [true, false]) {
    expect((await change({ retired })).retired_at !== null).toBe(retired);
    expect((await labels()).includes('Risk')).toBe(!retired);
  }
  expect((await sandbox.control('DELETE', '/custom_fields', { uri: made.uri })).status).toBe(200);
  expect([await labels(), await definitions()]).toEqual([
    expect.not.arrayContaining(['Risk']),
    expect.not.arrayContaining([expect.objectContaining({ uri: made.uri })]),
  ]);
  expect(facts.map(({ event }) => event)).toEqual(['contact.updated']);
});

it('the controls of users add, rename and remove one', async () => {
  const query = { organization: sandbox.handles.organization, count: 100 };
  const members = async () => (await sandbox.call('GET', '/organization_memberships', { query })).body.collection;
  const before = await members();
  const email = 'ada.lovelace@example.test';
  const added = (await sandbox.control('POST', '/users', { email, role: 'admin' })).body.resource;
  const { user } = added;
  const shown = async () => (await sandbox.call('GET', user)).body.resource;
  expect([added.role, (await shown()).name]).toEqual(['admin', 'Ada Lovelace']);
  expect(await members()).toEqual([...before, added]);
  await sandbox.control('PATCH', '/users', { uri: user, name: 'Ada Byron' });
  expect(await shown()).toMatchObject({ name: 'Ada Byron', email });
  expect((await sandbox.control('POST', '/users', { email: email.toUpperCase() })).status).toBe(400);
  const remove = async (uri: string) => (await sandbox.control('DELETE', '/users', { uri })).status;
  expect(await remove(user)).toBe(200);
  expect(await members()).toEqual(before);
  const { owner, member } = sandbox.handles.users;
  expect([await remove(owner), await remove(member)]).toEqual([400, 200]);
  expect((await sandbox.call('GET', '/users/me', { as: 'member' })).status).toBe(401);
  expect((await sandbox.call('GET', sandbox.handles.group)).body.resource.member_count).toBe(1);
});

it('the control of meetings gives one another host and another link, without an event', async () => {
  const booker = await openBooker(sandbox);
  const { event } = await booker.booked({ event_type: booker.offers['Intro call'] });
  facts.length = 0;
  const { member } = sandbox.handles.users;
  const join_url = 'https://meet.example.test/other';
  const change = (host: string) => sandbox.control('PATCH', '/scheduled_events', { uri: event, host, join_url });
  const expected = { event_memberships: [{ user: member }], location: { join_url } };
  expect((await change(member)).body.resource).toMatchObject(expected);
  expect((await sandbox.call('GET', event)).body.resource).toMatchObject(expected);
  expect([(await change(`${member}0`)).status, facts]).toEqual([404, []]);
});
