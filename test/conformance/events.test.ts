// Conformance: events, how they are delivered.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { createContact } from '#src/sandbox/world/contacts/contacts.ts';
import { openCallback, type Callback } from '../harness/sandbox/callback-server.ts';
import { openTestSandbox, type CallOptions, type TestSandbox } from '../harness/sandbox.ts';
import { rows } from './rows.ts';

let sandbox: TestSandbox;
beforeAll(async () => void (sandbox = await openTestSandbox({ rateLimits: false })));
afterAll(() => sandbox[Symbol.asyncDispose]());

const contactEvents = ['contact.created', 'contact.updated', 'contact.deleted'];
const signingKey = 'a key of the subscriber';
const startMs = Date.parse('2026-05-04T09:00:00Z');
let last = 0;

/** A subscription through the API, and what arrives there. */
async function subscribe(at: TestSandbox, callback: Callback, more: object = {}, options: CallOptions = {}) {
  const url = `${callback.url}/${(last += 1)}`;
  const { organization } = at.handles;
  const body = { url, events: contactEvents, organization, scope: 'organization', ...more };
  const answer = await at.call('POST', '/webhook_subscriptions', { body, ...options });
  expect(answer.status).toBe(201);
  return answer.body.resource;
}
/** Something happens: a contact is made, which belongs to this user. */
async function happen(at: TestSandbox, as: 'owner' | 'admin' | 'member' = 'owner'): Promise<string> {
  const { organization, users } = at.handles;
  const details = { emails: [{ email: `ada.${(last += 1)}@example.test`, is_primary: true }] };
  const { uri } = createContact(at.service, { organization, owner: users[as], source: 'manual', details });
  await at.dispatcher.idle();
  return uri;
}
const state = async (at: TestSandbox, uri: string) => (await at.call('GET', uri)).body.resource;
const urisIn = ({ received }: Callback): string[] => received.map(({ body: { payload } }) => payload.uri);

/** A sandbox whose clock moves only when a test moves it. */
const openStill = (): Promise<TestSandbox> =>
  openTestSandbox({ rateLimits: false, contacts: 0, bookings: 0 }, { realMs: () => startMs });
async function advance(at: TestSandbox, by: string): Promise<void> {
  expect((await at.control('POST', '/clock', { advance: by })).status).toBe(200);
}

rows({
  'Events | the service delivers events to the `callback_url` of a webhook subscription as HTTP POST requests':
    async () => {
      await using callback = await openCallback();
      const { callback_url } = await subscribe(sandbox, callback);
      const uri = await happen(sandbox);
      expect(urisIn(callback)).toEqual([uri]);
      expect(callback.received[0]?.headers).toMatchObject({
        host: new URL(callback_url).host,
        'content-type': 'application/json',
      });
      expect(sandbox.dispatcher.attempts.at(-1)).toMatchObject({ url: callback_url, status: 202, attempt: 1 });
    },
  'Events | POST /webhook_subscriptions registers the events': async () => {
    await using callback = await openCallback();
    const uri = await happen(sandbox);
    await subscribe(sandbox, callback, { events: ['contact.deleted'] });
    await happen(sandbox);
    await sandbox.call('DELETE', uri);
    await sandbox.dispatcher.settled();
    expect(callback.received.map(({ body }) => body.event)).toEqual(['contact.deleted']);
  },
  'POST /webhook_subscriptions rule 1 | scope `organization` triggers the hook for all subscribed events in the organization':
    async () => {
      await using callback = await openCallback();
      await subscribe(sandbox, callback);
      const uris = [await happen(sandbox, 'owner'), await happen(sandbox, 'admin'), await happen(sandbox, 'member')];
      expect(urisIn(callback)).toEqual(uris);
    },
  'POST /webhook_subscriptions rule 1 | not for events of another organization': async () => {
    await using callback = await openCallback();
    await subscribe(sandbox, callback);
    const body = { emails: [{ email: 'elsewhere@example.test', is_primary: true }] };
    expect((await sandbox.call('POST', '/contacts', { body, as: 'enterprise' })).status).toBe(201);
    const uri = await happen(sandbox);
    expect(urisIn(callback)).toEqual([uri]);
  },
  'POST /webhook_subscriptions rule 1 | scope `user` triggers the hook only for events belonging to that user':
    async () => {
      await using callback = await openCallback();
      const user = sandbox.handles.users.member;
      await subscribe(sandbox, callback, { scope: 'user', user }, { as: 'member' });
      await happen(sandbox, 'owner');
      const uri = await happen(sandbox, 'member');
      expect(urisIn(callback)).toEqual([uri]);
    },
  'POST /webhook_subscriptions rule 1 | scope `group` triggers the hook only for events belonging to that group':
    async () => {
      await using callback = await openCallback();
      await subscribe(sandbox, callback, { scope: 'group', group: sandbox.handles.group });
      await happen(sandbox, 'owner');
      const uri = await happen(sandbox, 'member');
      expect(urisIn(callback)).toEqual([uri]);
    },
  'Events, subscription scopes | contact events are delivered to subscriptions of scope organization, user and group':
    async () => {
      await using callback = await openCallback();
      const { users, group } = sandbox.handles;
      await subscribe(sandbox, callback);
      await subscribe(sandbox, callback, { scope: 'user', user: users.member }, { as: 'member' });
      await subscribe(sandbox, callback, { scope: 'group', group });
      const uri = await happen(sandbox, 'member');
      expect(urisIn(callback)).toEqual([uri, uri, uri]);
    },
  'Events, subscription scopes | invitee events are delivered to subscriptions of scope organization, user and group':
    async () => {
      await using callback = await openCallback();
      const events = ['invitee.created', 'invitee.canceled', 'invitee_no_show.created', 'invitee_no_show.deleted'];
      const { users, group } = sandbox.handles;
      await subscribe(sandbox, callback, { events });
      await subscribe(sandbox, callback, { events, scope: 'user', user: users.member }, { as: 'member' });
      await subscribe(sandbox, callback, { events, scope: 'group', group });
      const { state: records } = sandbox.service;
      const invitee = [...records.invitees.values()].find(
        ({ event, status }) =>
          status === 'active' &&
          records.scheduledEvents.get(event)?.event_memberships.some(({ user }) => user === users.member),
      );
      await sandbox.control('POST', '/no_shows', { invitee: invitee?.uri });
      await sandbox.control('DELETE', '/no_shows', { invitee: invitee?.uri });
      await sandbox.dispatcher.settled();
      const heard = callback.received.map(({ body }) => body.event).toSorted();
      expect(heard).toEqual([
        ...Array.from({ length: 3 }, () => 'invitee_no_show.created'),
        ...Array.from({ length: 3 }, () => 'invitee_no_show.deleted'),
      ]);
    },
  'Events, subscription scopes | meeting recap events are delivered to subscriptions of scope user': async () => {
    await using callback = await openCallback();
    const events = ['meeting_recap.created', 'meeting_recap.updated', 'meeting_recap.deleted'];
    for (const as of ['owner', 'admin', 'member'] as const)
      await subscribe(sandbox, callback, { events, scope: 'user', user: sandbox.handles.users[as] }, { as });
    const { status } = await sandbox.control('POST', '/meeting_recaps', { summary_md: 'All went well.' });
    await sandbox.dispatcher.settled();
    expect(status).toBe(200);
    // It belongs to one user; two of the three hear nothing.
    expect(callback.received.map(({ body }) => body.event)).toEqual(['meeting_recap.created']);
  },
  'Events, subscription scopes | routing form submissions are delivered to subscriptions of scope organization':
    async () => {
      await using callback = await openCallback();
      await subscribe(sandbox, callback, { events: ['routing_form_submission.created'] });
      expect((await sandbox.control('POST', '/routing_form_submissions', {})).status).toBe(200);
      await sandbox.dispatcher.settled();
      expect(callback.received.map(({ body }) => body.event)).toEqual(['routing_form_submission.created']);
    },
  'Events | `state` is `active` or `disabled`: a disabled subscription gets nothing': async () => {
    await using callback = await openCallback();
    const { uri } = await subscribe(sandbox, callback);
    await sandbox.control('POST', '/subscriptions/disable', { uri });
    await happen(sandbox);
    expect(await state(sandbox, uri)).toMatchObject({ state: 'disabled' });
    expect(callback.received).toEqual([]);
  },
  'Events | `retry_started_at` records when retrying began': async () => {
    await using still = await openStill();
    await using callback = await openCallback();
    callback.answer = 500;
    const made = await subscribe(still, callback);
    await advance(still, '1h');
    await happen(still);
    const failing = await state(still, made.uri);
    expect(failing).toMatchObject({ state: 'active', retry_started_at: '2026-05-04T10:00:00.000000Z' });
    expect(failing.updated_at > made.updated_at).toBe(true);
    await advance(still, '5s');
    expect((await state(still, made.uri)).retry_started_at).toBe(failing.retry_started_at);
  },
  'Events, envelope | a delivery is `{event, created_at, created_by, payload}`, compact | A1': async () => {
    await using callback = await openCallback();
    await subscribe(sandbox, callback);
    await happen(sandbox);
    const [delivery] = callback.received;
    expect(Object.keys(delivery?.body)).toEqual(['event', 'created_at', 'created_by', 'payload']);
    expect(delivery?.body.event).toBe('contact.created');
    expect(delivery?.body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(delivery?.raw.toString()).toBe(JSON.stringify(delivery?.body));
  },
  'Events, envelope | `created_by` is the user who created the subscription, not the actor | A1': async () => {
    await using callback = await openCallback();
    await subscribe(sandbox, callback, {}, { as: 'admin' });
    await happen(sandbox, 'owner');
    expect(callback.received[0]?.body.created_by).toBe(sandbox.handles.users.admin);
  },
  'Events, envelope | one fact goes once to each matching subscription, alike but for `created_by` | A1': async () => {
    await using callback = await openCallback();
    await subscribe(sandbox, callback, {}, { as: 'owner' });
    await subscribe(sandbox, callback, {}, { as: 'admin' });
    await happen(sandbox);
    const [one, other] = callback.received.map(({ body }) => body);
    expect(callback.received).toHaveLength(2);
    expect(one.created_by).not.toBe(other.created_by);
    expect({ ...one, created_by: '' }).toEqual({ ...other, created_by: '' });
  },
  'Events | creating a subscription sends nothing | A1': async () => {
    await using callback = await openCallback();
    await subscribe(sandbox, callback);
    await sandbox.dispatcher.settled();
    expect(callback.received).toEqual([]);
  },
  'Authentication 8 | deliveries carry `Calendly-Webhook-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of t.body>` with the signing key | A2':
    async () => {
      await using callback = await openCallback();
      await subscribe(sandbox, callback, { signing_key: signingKey });
      await happen(sandbox);
      const [delivery] = callback.received;
      const header = String(delivery?.headers['calendly-webhook-signature']);
      const [, t = '', v1] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
      const expected = createHmac('sha256', signingKey)
        .update(`${t}.`)
        .update(delivery?.raw ?? '');
      expect(v1).toBe(expected.digest('hex'));
    },
  'Authentication 8 | without a signing key the header is absent | A2': async () => {
    await using callback = await openCallback();
    await subscribe(sandbox, callback);
    await happen(sandbox);
    expect(callback.received[0]?.headers).not.toHaveProperty('calendly-webhook-signature');
  },
  'Authentication 8 | the signature is of the real time, whatever the clock of the sandbox shows | A2': async () => {
    await using still = await openStill();
    await using callback = await openCallback();
    await subscribe(still, callback, { signing_key: signingKey });
    await advance(still, '30d');
    await happen(still);
    const [delivery] = callback.received;
    expect(delivery?.body.created_at).toMatch(/^2026-06-03/);
    expect(delivery?.headers['calendly-webhook-signature']).toMatch(new RegExp(`^t=${startMs / 1000},`));
  },
  'Events, retries | only a 2xx is success: 3xx, 4xx and 5xx are tried again, redirects are not followed | A3':
    async () => {
      await using still = await openStill();
      await using callback = await openCallback();
      const { uri } = await subscribe(still, callback);
      for (const status of [301, 302, 307, 400, 404, 410, 429, 500, 503]) {
        callback.answer = status;
        await happen(still);
        expect(await state(still, uri)).toMatchObject({ retry_started_at: expect.any(String) });
        callback.answer = 200;
        await advance(still, '1h');
        expect(await state(still, uri)).toMatchObject({ retry_started_at: null });
      }
      expect(still.dispatcher.attempts.filter(({ status }) => status === 200)).toHaveLength(9);
      expect(callback.received).toHaveLength(18);
    },
  'Events, retries | a subscriber that is not there is tried again | A3': async () => {
    await using still = await openStill();
    await using gone = await openCallback();
    await gone[Symbol.asyncDispose]();
    const { uri } = await subscribe(still, gone);
    await happen(still);
    expect(still.dispatcher.attempts.at(-1)).toMatchObject({ status: null, error: 'ECONNREFUSED' });
    expect(await state(still, uri)).toMatchObject({ state: 'active', retry_started_at: expect.any(String) });
    expect(still.dispatcher.pending).toBe(1);
  },
  'Events, retries | the pauses are 5 seconds, then twice as long each time, at most an hour | A19': async () => {
    await using still = await openStill();
    await using callback = await openCallback();
    callback.answer = 500;
    await subscribe(still, callback);
    await happen(still);
    const seconds = [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600];
    for (const [index, pause] of seconds.entries()) {
      await advance(still, `${pause * 1000 - 1}ms`);
      expect(callback.received).toHaveLength(index + 1);
      await advance(still, '1ms');
      expect(callback.received).toHaveLength(index + 2);
    }
    expect(still.dispatcher.attempts.map(({ attempt }) => attempt)).toEqual([...seconds.keys(), 12].map((n) => n + 1));
  },
  'Events, retries | a day in one leap is a day of retries, the last one when the 24 hours end | A19': async () => {
    await using still = await openStill();
    await using callback = await openCallback();
    callback.answer = 500;
    const { uri } = await subscribe(still, callback);
    await happen(still);
    await advance(still, '30h');
    await still.dispatcher.settled();
    const afterSeconds = still.dispatcher.attempts.map(({ at }) => Math.round((Date.parse(at) - startMs) / 1000));
    const hourly = Array.from({ length: 22 }, (_, index) => 5115 + (index + 1) * 3600);
    const doubling = [0, 5, 15, 35, 75, 155, 315, 635, 1275, 2555, 5115];
    expect(afterSeconds).toEqual([...doubling, ...hourly, 24 * 3600]);
    expect(await state(still, uri)).toMatchObject({ state: 'disabled' });
  },
  'Events, retries | `retry_started_at` is cleared when the last message that failed is given up | A3': async () => {
    await using still = await openStill();
    await using callback = await openCallback();
    const { uri } = await subscribe(still, callback);
    const failing = new Set<string>();
    callback.answer = 500;
    failing.add(await happen(still));
    callback.answer = ({ body: { payload } }) => (failing.has(payload.uri) ? 500 : 202);
    await advance(still, '20h');
    await happen(still);
    expect(await state(still, uri)).toMatchObject({ retry_started_at: null });
    await advance(still, '1h');
    expect(await state(still, uri)).toMatchObject({ retry_started_at: expect.any(String) });
    await advance(still, '3h');
    expect(still.dispatcher.pending).toBe(0);
    expect(await state(still, uri)).toMatchObject({ state: 'active', retry_started_at: null });
    await advance(still, '48h');
    callback.answer = 500;
    await happen(still);
    expect(await state(still, uri)).toMatchObject({ state: 'active', retry_started_at: expect.any(String) });
  },
  'States, WebhookSubscription | stays `active` until one message has failed for 24 hours and none arrived since it first did | A3':
    async () => {
      await using still = await openStill();
      await using callback = await openCallback();
      const { uri } = await subscribe(still, callback);
      callback.answer = 500;
      await happen(still);
      await advance(still, '20h');
      callback.answer = 202;
      await happen(still);
      callback.answer = 500;
      await advance(still, '1h');
      await happen(still);
      // The first is given up a day after it failed, which is less than a day after the last success.
      await advance(still, '23h');
      expect(await state(still, uri)).toMatchObject({ state: 'active', retry_started_at: expect.any(String) });
      expect(still.dispatcher.pending).toBe(1);
      await advance(still, '1h');
      expect(await state(still, uri)).toMatchObject({ state: 'disabled' });
    },
  'Events, retries | other messages go on being sent meanwhile | A3': async () => {
    await using still = await openStill();
    await using callback = await openCallback();
    callback.answer = 500;
    await subscribe(still, callback);
    const first = await happen(still);
    callback.answer = 202;
    const second = await happen(still);
    await advance(still, '5s');
    expect(urisIn(callback)).toEqual([first, second, first]);
    expect(still.dispatcher.pending).toBe(0);
  },
  'Events, retries | any success clears `retry_started_at` | A3': async () => {
    await using still = await openStill();
    await using callback = await openCallback();
    callback.answer = 500;
    const { uri } = await subscribe(still, callback);
    await happen(still);
    callback.answer = 202;
    await happen(still);
    expect(await state(still, uri)).toMatchObject({ state: 'active', retry_started_at: null });
    expect(still.dispatcher.pending).toBe(1);
  },
  'States, WebhookSubscription | `disabled` when deliveries have failed for 24 hours | A3': async () => {
    await using still = await openStill();
    await using callback = await openCallback();
    callback.answer = 500;
    const { uri } = await subscribe(still, callback);
    await happen(still);
    await happen(still);
    await advance(still, '23h');
    expect(await state(still, uri)).toMatchObject({ state: 'active' });
    await advance(still, '1h');
    expect(await state(still, uri)).toMatchObject({ state: 'disabled' });
    expect(still.dispatcher.pending).toBe(0);
    const before = callback.received.length;
    callback.answer = 202;
    await happen(still);
    await advance(still, '7d');
    expect(callback.received).toHaveLength(before);
  },
  'States, WebhookSubscription | stays `active` when another message got through; the old one is given up | A3':
    async () => {
      await using still = await openStill();
      await using callback = await openCallback();
      const { uri } = await subscribe(still, callback);
      callback.answer = ({ body }) => (body.event === 'contact.created' ? 500 : 202);
      const contact = await happen(still);
      await advance(still, '23h');
      await still.call('DELETE', contact);
      await still.dispatcher.settled();
      await advance(still, '1h');
      await advance(still, '1h');
      expect(await state(still, uri)).toMatchObject({ state: 'active' });
      expect(still.dispatcher.pending).toBe(0);
    },
  'DELETE /webhook_subscriptions/<uuid> | what waits for it is never sent | A20': async () => {
    await using still = await openStill();
    await using callback = await openCallback();
    callback.answer = 500;
    const { uri } = await subscribe(still, callback);
    await happen(still);
    expect(still.dispatcher.pending).toBe(1);
    await still.call('DELETE', uri);
    expect(still.dispatcher.pending).toBe(0);
    await advance(still, '1h');
    expect(callback.received).toHaveLength(1);
  },
});
