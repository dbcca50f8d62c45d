// The form of the public service: what it answers and sends where it differs from the specification, and the control that changes the form.
import { describe, expect, it } from 'vitest';
import type { EventKind } from '#schemas/events.ts';
import { openForSuite } from '../../../harness/sandbox/suite.ts';
import type { CallOptions } from '../../../harness/sandbox.ts';
import { openSubscriber } from '../../../harness/sandbox/subscriber.ts';

const sandbox = openForSuite({ as: 'public', rateLimits: false });

const read = async (path: string, query: CallOptions['query'] = {}) => {
  const { status, body } = await sandbox.call('GET', path, { query });
  expect(status).toBe(200);
  return body;
};

describe('lists of the public form', () => {
  it('have no pages of definitions, whatever count is asked for', async () => {
    const whole = await read('/contacts/custom_field_definitions');
    expect(Object.keys(whole)).toEqual(['collection']);
    expect(whole.collection.length).toBeGreaterThan(3);
    expect(await read('/contacts/custom_field_definitions', { count: 1, page_token: 'any' })).toEqual(whole);
  });

  it('have no pages of available times', async () => {
    const at = (days: number) => new Date(sandbox.service.clock.nowMs() + days * 86_400_000).toISOString();
    const query = { event_type: sandbox.handles.event_types.solo, start_time: at(1), end_time: at(15) };
    const times = await read('/event_type_available_times', query);
    expect(Object.keys(times)).toEqual(['collection']);
    expect(times.collection.length).toBeGreaterThan(20);
  });

  it('leave round-robin event types out for an organization, and show them for each host', async () => {
    const { organization, users, event_types } = sandbox.handles;
    const uris = async (query: CallOptions['query']) =>
      (await read('/event_types', { count: 100, ...query })).collection.map(({ uri }: { uri: string }) => uri);
    expect(await uris({ organization })).not.toContain(event_types.round_robin);
    expect(await uris({ organization })).toContain(event_types.solo);
    for (const user of Object.values(users)) expect(await uris({ user })).toContain(event_types.round_robin);
  });
});

const meeting = ['attendees', 'end_time', 'event', 'location', 'name', 'start_time'];
const listed = [...meeting, 'app_url', 'created_at', 'status', 'transcript', 'updated_at', 'uri'];
const highlights = ['action_items_md', 'discussion_md', 'share_link', 'summary_md'];

describe('recaps of the public form', () => {
  it('have no highlights in the list and all of them alone, beside the URI of the event', async () => {
    const { collection } = await read('/meeting_recaps', { organization: sandbox.handles.organization, count: 100 });
    const events = new Set(collection.map(({ event }: { event: unknown }) => typeof event));
    expect(events).toEqual(new Set(['string', 'object']));
    for (const item of collection.slice(0, 5)) {
      expect(Object.keys(item).toSorted()).toEqual(listed.toSorted());
      const { resource } = await read(item.uri);
      expect(resource).toMatchObject(item);
      expect(Object.keys(resource).toSorted()).toEqual([...listed, ...highlights].toSorted());
    }
  });

  it('are listed without naming anybody: what the caller may see', async () => {
    const { organization, users } = sandbox.handles;
    const whole = await read('/meeting_recaps', { count: 100 });
    expect(whole).toEqual(await read('/meeting_recaps', { organization, count: 100 }));
    const { body } = await sandbox.call('GET', '/meeting_recaps', { as: 'member', query: { count: 100 } });
    expect(body.collection.length).toBeGreaterThan(0);
    expect(body.collection).toEqual((await read('/meeting_recaps', { user: users.member, count: 100 })).collection);
  });

  it('have transcripts of plain text, a line per utterance', async () => {
    const { collection } = await read('/meeting_recaps', { organization: sandbox.handles.organization });
    const { resource } = await read(collection[0].transcript);
    expect(Object.keys(resource).toSorted()).toEqual(['text', 'uri']);
    for (const line of resource.text.split('\n')) expect(line).toMatch(/^[^:]+: \S/);
  });
});

async function sent(events: readonly EventKind[], act: (user: string) => Promise<unknown>) {
  const { owner: user } = sandbox.handles.users;
  await using subscriber = await openSubscriber(sandbox, { events, scope: 'user', user });
  await act(user);
  return (await subscriber.heard()).map(({ payload }) => payload);
}

describe('payloads of the public form', () => {
  it('nest a contact beside the user', async () => {
    const kinds = ['contact.created', 'contact.updated', 'contact.deleted'] as const;
    const [made, changed, deleted] = await sent(kinds, async () => {
      const { body } = await sandbox.call('POST', '/contacts', { body: { emails: [{ email: 'new@example.test' }] } });
      await sandbox.dispatcher.settled();
      await sandbox.call('PATCH', body.resource.uri, { body: { name: 'Ada' } });
      await sandbox.dispatcher.settled();
      await sandbox.call('DELETE', body.resource.uri);
    });
    const user_uuid = sandbox.handles.users.owner.split('/').at(-1);
    const { uri } = made.contact;
    expect(made).toMatchObject({ user_uuid, contact: { creation_source: 'api', custom_fields: expect.any(Array) } });
    expect(changed).toMatchObject({ user_uuid, contact: { uri, name: 'Ada', creation_source: 'api' } });
    expect(deleted).toEqual({ user_uuid, contact: { uri, deleted_at: expect.any(String) } });
  });

  it('nest a recap beside its event', async () => {
    const kinds = ['meeting_recap.created', 'meeting_recap.updated', 'meeting_recap.deleted'] as const;
    const [made, changed, deleted] = await sent(kinds, async (user) => {
      const { body } = await sandbox.control('POST', '/meeting_recaps', { user });
      await sandbox.dispatcher.settled();
      await sandbox.call('PATCH', body.resource.uri, { body: { summary_md: 'Other words' } });
      await sandbox.dispatcher.settled();
      await sandbox.call('DELETE', body.resource.uri);
    });
    const { uri } = made.recap;
    expect(Object.keys(made).toSorted()).toEqual(['created_at', 'event', 'recap']);
    expect(made.event).toMatchObject({ name: 'Conversation elsewhere', attendees: expect.any(Array) });
    expect(made.event).not.toHaveProperty('uri');
    expect(changed).toEqual({ event: made.event, recap: expect.objectContaining({ uri, summary_md: 'Other words' }) });
    expect(deleted).toEqual({ recap: { uri, deleted_at: expect.any(String) } });
  });
});

describe('refusals of the public form', () => {
  const emails = [{ email: 'taken@example.test' }];

  it('are 409 for an address that another contact has', async () => {
    expect(await sandbox.call('POST', '/contacts', { body: { emails } })).toMatchObject({ status: 201 });
    const other = await sandbox.call('POST', '/contacts', { body: { emails: [{ email: 'other@example.test' }] } });
    for (const refused of [
      await sandbox.call('POST', '/contacts', { body: { emails } }),
      await sandbox.call('PATCH', other.body.resource.uri, { body: { emails } }),
    ])
      expect(refused).toMatchObject({ status: 409, body: { title: 'Already Exists' } });
  });

  it('are 409 with the words of the public service for a second subscription to a URL', async () => {
    const { organization } = sandbox.handles;
    const body = { url: 'http://127.0.0.1:9/hook', events: ['contact.created'], organization, scope: 'organization' };
    expect(await sandbox.call('POST', '/webhook_subscriptions', { body })).toMatchObject({ status: 201 });
    expect(await sandbox.call('POST', '/webhook_subscriptions', { body })).toMatchObject({
      status: 409,
      body: { title: 'Already Exists', message: 'Hook with this url already exists' },
    });
  });

  it('are titled Unauthenticated for a caller without a token', async () => {
    const { status, body } = await sandbox.call('GET', '/users/me', { as: null });
    expect([status, body]).toEqual([401, { title: 'Unauthenticated', message: 'The access token is invalid' }]);
  });

  it.each([
    { method: 'GET', path: '/contacts' },
    { method: 'POST', path: '/webhook_subscriptions' },
    { method: 'POST', path: '/invitees' },
  ])('ask for an upgrade where the plan does not allow $method $path', async ({ method, path }) => {
    const { status, body } = await sandbox.call(method, path, { as: 'free_plan' });
    expect([status, body.title]).toEqual([403, 'Permission Denied']);
    expect(body.message).toMatch(/upgrade (to a paid Calendly account|your plan)/i);
  });
});

describe('records of the public form', () => {
  it('hold the user of a membership', async () => {
    const { organization, users } = sandbox.handles;
    const { collection } = await read('/organization_memberships', { organization, user: users.admin });
    const { resource: user } = await read(users.admin);
    const { current_organization: _organization, resource_type: _type, ...person } = user;
    expect(collection).toMatchObject([{ role: 'admin', organization, user: person }]);
    expect(collection[0].user).toEqual(person);
    expect((await read(collection[0].uri)).resource).toEqual(collection[0]);
  });

  it('have an address of a page for a contact, and the colour of an option', async () => {
    const { collection } = await read('/contacts', { count: 1 });
    expect(collection[0].app_url).toMatch(/^http/);
    const definitions = (await read('/contacts/custom_field_definitions')).collection;
    const { options, uri } = definitions.find(
      ({ field_type }: { field_type: string }) => field_type === 'single_select',
    );
    expect(options[0]).toEqual({ uuid: expect.any(String), label: 'Enterprise', color: null, is_active: true });
    expect((await read(uri)).resource.options).toEqual(options);
  });
});

describe('permissions of the public form', () => {
  it('include reading in every write scope', async () => {
    const { organization, users } = sandbox.handles;
    const token = sandbox.tokens.personal('writer', { user: users.owner, scopes: ['scheduled_events:write'] });
    const ask = () => sandbox.call('GET', '/scheduled_events', { token, query: { organization } });
    expect(await ask()).toMatchObject({ status: 200 });
    await sandbox.control('PATCH', '/form', { as: 'specification' });
    expect(await ask()).toMatchObject({ status: 403, body: { required_scopes: ['scheduled_events:read'] } });
    await sandbox.control('PATCH', '/form', { as: 'public' });
  });

  it('take subscriptions to event types', async () => {
    const { organization } = sandbox.handles;
    const body = {
      url: 'http://127.0.0.1:9/types',
      events: ['event_type.created'],
      organization,
      scope: 'organization',
    };
    expect(await sandbox.call('POST', '/webhook_subscriptions', { body })).toMatchObject({ status: 201 });
  });
});

describe('the control of the form', () => {
  it('changes the answers, the payloads and the documents of a running sandbox', async () => {
    const shape = async () => {
      const list = await read('/contacts/custom_field_definitions');
      const document = (await sandbox.control('GET', '/openapi.json')).body;
      const payload = document.webhooks['contact.deleted'].post.requestBody.content['application/json'].schema;
      return { pages: 'pagination' in list, payload: Object.keys(payload.properties.payload.properties) };
    };
    expect((await sandbox.control('GET', '/form')).body).toEqual({ as: 'public' });
    expect(await shape()).toEqual({ pages: false, payload: ['user_uuid', 'contact'] });
    expect((await sandbox.control('PATCH', '/form', { as: 'specification' })).body).toEqual({ as: 'specification' });
    expect(await shape()).toEqual({ pages: true, payload: ['uri', 'deleted_at'] });
    expect(await sandbox.control('PATCH', '/form', { as: 'other' })).toMatchObject({ status: 400 });
    await sandbox.control('PATCH', '/form', { as: 'public' });
    expect(await shape()).toMatchObject({ pages: false });
  });
});
