// The controls of what administrators change: custom fields, users and event types, and what the service shows and sends afterwards.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '#src/sandbox/world/service.ts';
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

describe('the controls of custom fields', () => {
  it('add, rename, extend, retire and delete one, and contacts follow', async () => {
    const change = async (more: object) =>
      (await sandbox.control('PATCH', '/custom_fields', { uri: made.uri, ...more })).body.resource;
    const { body } = await sandbox.control('POST', '/custom_fields', {
      label: 'Churn risk',
      field_type: 'single_select',
      options: ['Low', 'High'],
    });
    const made = body.resource;
    expect(made).toMatchObject({ label: 'Churn risk', options: [{ label: 'Low' }, { label: 'High' }] });
    expect((await definitions()).at(-1)).toEqual(made);
    const [{ uri: contact }] = (await sandbox.call('GET', '/contacts')).body.collection;
    const labelsOf = async () =>
      (await sandbox.call('GET', contact)).body.resource.custom_fields.map(({ label }: { label: string }) => label);
    expect(await labelsOf()).toContain('Churn risk');
    const custom_fields = [{ uri: made.uri, value: made.options[1].uuid }];
    expect((await sandbox.call('PATCH', contact, { body: { custom_fields } })).status).toBe(200);
    expect(await change({ label: 'Risk', add_options: ['Lost'], rename_options: { High: 'Higher' } })).toEqual({
      ...made,
      label: 'Risk',
      options: [made.options[0], { ...made.options[1], label: 'Higher' }, { label: 'Lost', uuid: expect.any(String) }],
      updated_at: expect.not.stringMatching(made.updated_at),
    });
    const before = await change({});
    expect(await change({ label: 'Risk' })).toEqual(before);
    expect((await change({ retired: true })).retired_at).not.toBeNull();
    expect(await labelsOf()).not.toContain('Risk');
    expect((await change({ retired: false })).retired_at).toBeNull();
    expect(await labelsOf()).toContain('Risk');
    expect((await sandbox.control('DELETE', '/custom_fields', { uri: made.uri })).status).toBe(200);
    expect([await labelsOf(), (await definitions()).map(({ uri }: { uri: string }) => uri)]).toEqual([
      expect.not.arrayContaining(['Risk']),
      expect.not.arrayContaining([made.uri]),
    ]);
    expect(facts.map(({ event }) => event)).toEqual(['contact.updated']);
  });

  it('refuse an option that is not there, and options of another type', async () => {
    const [segment, notes] = await definitions();
    const refused = (body: object) => sandbox.control('PATCH', '/custom_fields', body);
    for (const body of [
      { uri: segment.uri, rename_options: { Nothing: 'Something' } },
      { uri: notes.uri, add_options: ['One'] },
      { uri: segment.uri, field_type: 'mystery' },
    ])
      expect(await refused(body)).toMatchObject({ status: 400 });
    expect((await refused({ uri: `${segment.uri}0`, label: 'X' })).status).toBe(404);
  });
});

describe('the controls of users', () => {
  it('add, rename and remove one', async () => {
    const membersOf = async () => {
      const query = { organization: sandbox.handles.organization, count: 100 };
      return (await sandbox.call('GET', '/organization_memberships', { query })).body.collection;
    };
    const before = await membersOf();
    const added = await sandbox.control('POST', '/users', { email: 'ada.lovelace@example.test', role: 'admin' });
    const { user } = added.body.resource;
    const nameNow = async (): Promise<string> => (await sandbox.call('GET', user)).body.resource.name;
    expect([added.body.resource.role, await nameNow()]).toEqual(['admin', 'Ada Lovelace']);
    expect(await membersOf()).toEqual([...before, added.body.resource]);
    const renamed = await sandbox.control('PATCH', '/users', { uri: user, name: 'Ada Byron' });
    expect(renamed.body.resource).toMatchObject({ name: 'Ada Byron', email: 'ada.lovelace@example.test' });
    expect(await nameNow()).toBe('Ada Byron');
    expect((await sandbox.control('POST', '/users', { email: 'Ada.Lovelace@example.test' })).status).toBe(400);
    expect((await sandbox.control('DELETE', '/users', { uri: user })).status).toBe(200);
    expect(await membersOf()).toEqual(before);
    const { owner, member } = sandbox.handles.users;
    expect((await sandbox.control('DELETE', '/users', { uri: owner })).status).toBe(400);
    expect((await sandbox.control('DELETE', '/users', { uri: member })).status).toBe(200);
    expect((await sandbox.call('GET', '/users/me', { as: 'member' })).status).toBe(401);
    expect((await sandbox.call('GET', sandbox.handles.group)).body.resource.member_count).toBe(1);
  });
});

describe('the controls of event types', () => {
  it('make, change, deactivate and delete one, each with its event', async () => {
    const request = { name: 'Office hours', duration: 20, owner: sandbox.handles.users.owner };
    const { uri } = (await sandbox.control('POST', '/event_types', request)).body.resource;
    await sandbox.control('PATCH', '/event_types', { uri, name: 'Open door' });
    const { body } = await sandbox.control('PATCH', '/event_types', { uri, active: false });
    expect(body.resource).toMatchObject({ name: 'Open door', active: false });
    expect((await sandbox.control('DELETE', '/event_types', { uri })).status).toBe(200);
    expect((await sandbox.call('GET', uri)).status).toBe(404);
    expect(facts.map(({ event, payload }) => [event, payload['name'], payload['active']])).toEqual([
      ['event_type.created', 'Office hours', true],
      ['event_type.updated', 'Open door', true],
      ['event_type.updated', 'Open door', false],
      ['event_type.deleted', 'Open door', false],
    ]);
    const unknown = { ...request, owner: `${sandbox.handles.base_url}/users/none` };
    expect((await sandbox.control('POST', '/event_types', unknown)).status).toBe(404);
  });
});
