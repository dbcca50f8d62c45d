// Conformance: events, how they are delivered.
import { createHmac } from 'node:crypto';
import { expect, vi } from 'vitest';
import { createContact } from '#src/sandbox/world/contacts/contacts.ts';
import { openCallback, type Callback } from '../harness/sandbox/callback-server.ts';
import { openTestSandbox, type CallOptions, type TestSandbox } from '../harness/sandbox.ts';
import { answers, hookOf, sixDigits } from './answers.ts';
import { openForRows, rows } from './rows.ts';

const sandbox = openForRows({ rateLimits: false });

const contactEvents = ['contact.created', 'contact.updated', 'contact.deleted'];
const signingKey = 'a key of the subscriber';
const startMs = Date.parse('2026-05-04T09:00:00Z');
let last = 0;

/** A subscription through the API, and what arrives there. */
async function subscribe(at: TestSandbox, callback: Callback, more: object = {}, options: CallOptions = {}) {
  const body = hookOf(at, { url: `${callback.url}/${(last += 1)}`, events: contactEvents, ...more });
  const answer = at.call('POST', '/webhook_subscriptions', { body, ...options });
  await answers(answer, 201);
  return (await answer).body.resource;
}
/** Something happens: a contact is made, which belongs to this user. */
async function happen(at: TestSandbox, as: 'owner' | 'admin' | 'member' = 'owner'): Promise<string> {
  const { organization, users } = at.handles;
  const details = { emails: [{ email: `ada.${(last += 1)}@example.test`, is_primary: true }] };
  const { uri } = createContact(at.service, { organization, owner: users[as], source: 'manual', details });
  await at.dispatcher.idle();
  return uri;
}
const urisIn = ({ received }: Callback): string[] => received.map(({ body: { payload } }) => payload.uri);
/** The kinds of what was delivered, once nothing is under way. */
async function heardBy({ received }: Callback): Promise<string[]> {
  await sandbox.dispatcher.settled();
  return received.map(({ body }) => body.event as string);
}

/** A subscriber of the sandbox's contact events, but for what is given. */
async function openEar(more: object = {}, options: CallOptions = {}): Promise<Callback> {
  const callback = await openCallback();
  await subscribe(sandbox, callback, more, options);
  return callback;
}

/** Shows that such a subscriber hears of the member's contacts, and not of the owner's. */
async function hearsOfMember(more: object, options: CallOptions = {}): Promise<void> {
  await using callback = await openEar(more, options);
  await happen(sandbox, 'owner');
  const uri = await happen(sandbox, 'member');
  expect(urisIn(callback)).toEqual([uri]);
}

/** What the owner, the member and the member's group hear of these events. */
async function openEarOfEveryScope(events: readonly string[]): Promise<Callback> {
  const { users, group } = sandbox.handles;
  const callback = await openEar({ events });
  await subscribe(sandbox, callback, { events, scope: 'user', user: users.member }, { as: 'member' });
  await subscribe(sandbox, callback, { events, scope: 'group', group });
  return callback;
}

/** A sandbox whose clock moves only when a test moves it, with one subscription whose callback answers so. */
async function openStill(answer: Callback['answer'] = 500) {
  const stack = new AsyncDisposableStack();
  const options = { rateLimits: false, contacts: 0, bookings: 0 };
  // Advancing the clock is bounded in real time, which does not pass here: a busy machine takes as many steps as another.
  vi.useFakeTimers({ toFake: ['performance'] });
  stack.defer(() => void vi.useRealTimers());
  const still = stack.use(await openTestSandbox(options, { realMs: () => startMs }));
  const callback = stack.use(await openCallback());
  callback.answer = answer;
  const made = await subscribe(still, callback, { signing_key: signingKey });
  const { dispatcher, call } = still;
  return {
    still,
    callback,
    made,
    dispatcher,
    happen: () => happen(still),
    /** A story: a status that the callback answers from here on, a contact that is made, how far the clock moves, what the subscription then is. */
    async follow(...steps: readonly (number | typeof happens | string | object)[]): Promise<void> {
      for (const step of steps)
        if (typeof step === 'number') callback.answer = step;
        else if (step === happens) await happen(still);
        else if (typeof step === 'string') await answers(still.control('POST', '/clock', { advance: step }), 200);
        else await answers(call('GET', made.uri), 200, { resource: step });
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
const happens = Symbol('a contact is made');
const retrying = { state: 'active', retry_started_at: expect.any(String) };

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
    const uri = await happen(sandbox);
    await using callback = await openEar({ events: ['contact.deleted'] });
    await happen(sandbox);
    await sandbox.call('DELETE', uri);
    expect(await heardBy(callback)).toEqual(['contact.deleted']);
  },
  'POST /webhook_subscriptions rule 1 | scope `organization` triggers the hook for all subscribed events in the organization':
    async () => {
      await using callback = await openEar();
      const uris = [await happen(sandbox, 'owner'), await happen(sandbox, 'admin'), await happen(sandbox, 'member')];
      expect(urisIn(callback)).toEqual(uris);
    },
  'POST /webhook_subscriptions rule 1 | not for events of another organization': async () => {
    await using callback = await openEar();
    const body = { emails: [{ email: 'elsewhere@example.test', is_primary: true }] };
    await answers(sandbox.call('POST', '/contacts', { body, as: 'enterprise' }), 201);
    const uri = await happen(sandbox);
    expect(urisIn(callback)).toEqual([uri]);
  },
  'POST /webhook_subscriptions rule 1 | scope `user` triggers the hook only for events belonging to that user': () =>
    hearsOfMember({ scope: 'user', user: sandbox.handles.users.member }, { as: 'member' }),
  'POST /webhook_subscriptions rule 1 | scope `group` triggers the hook only for events belonging to that group': () =>
    hearsOfMember({ scope: 'group', group: sandbox.handles.group }),
  'Events, subscription scopes | contact events are delivered to subscriptions of scope organization, user and group':
    async () => {
      await using callback = await openEarOfEveryScope(contactEvents);
      const uri = await happen(sandbox, 'member');
      expect(urisIn(callback)).toEqual([uri, uri, uri]);
    },
  'Events, subscription scopes | invitee events are delivered to subscriptions of scope organization, user and group':
    async () => {
      const marks = ['invitee_no_show.created', 'invitee_no_show.deleted'];
      await using callback = await openEarOfEveryScope(['invitee.created', 'invitee.canceled', ...marks]);
      const { invitees, scheduledEvents } = sandbox.service.state;
      const isHosted = (event: string) =>
        scheduledEvents.get(event)?.event_memberships.some(({ user }) => user === sandbox.handles.users.member);
      const invitee = invitees.values().find(({ event, status }) => status === 'active' && isHosted(event))?.uri;
      for (const method of ['POST', 'DELETE']) await sandbox.control(method, '/no_shows', { invitee });
      expect((await heardBy(callback)).toSorted()).toEqual(marks.flatMap((mark) => [mark, mark, mark]));
    },
  'Events, subscription scopes | meeting recap events are delivered to subscriptions of scope user': async () => {
    await using callback = await openCallback();
    const events = ['meeting_recap.created', 'meeting_recap.updated', 'meeting_recap.deleted'];
    for (const as of ['owner', 'admin', 'member'] as const)
      await subscribe(sandbox, callback, { events, scope: 'user', user: sandbox.handles.users[as] }, { as });
    await sandbox.control('POST', '/meeting_recaps', { summary_md: 'All went well.' });
    // It belongs to one user; two of the three hear nothing.
    expect(await heardBy(callback)).toEqual(['meeting_recap.created']);
  },
  'Events, subscription scopes | routing form submissions are delivered to subscriptions of scope organization':
    async () => {
      await using callback = await openEar({ events: ['routing_form_submission.created'] });
      await sandbox.control('POST', '/routing_form_submissions', {});
      expect(await heardBy(callback)).toEqual(['routing_form_submission.created']);
    },
  'Events | `state` is `active` or `disabled`: a disabled subscription gets nothing': async () => {
    await using world = await openStill(202);
    await world.still.control('POST', '/subscriptions/disable', { uri: world.made.uri });
    await world.follow(happens, { state: 'disabled' });
    expect(world.callback.received).toEqual([]);
  },
  'Events | `retry_started_at` records when retrying began': async () => {
    await using world = await openStill();
    const began = { state: 'active', retry_started_at: '2026-05-04T10:00:00.000000Z' };
    const updated_at = expect.toSatisfy((time: string) => time > world.made.updated_at);
    await world.follow('1h', happens, { ...began, updated_at }, '5s', began);
  },
  'Events, envelope | a delivery is `{event, created_at, created_by, payload}`, compact | A1': async () => {
    await using callback = await openEar();
    await happen(sandbox);
    const [{ body, raw } = { body: {}, raw: '' }] = callback.received;
    expect(Object.keys(body)).toEqual(['event', 'created_at', 'created_by', 'payload']);
    expect(body).toMatchObject({ event: 'contact.created', created_at: expect.stringMatching(sixDigits) });
    expect(raw.toString()).toBe(JSON.stringify(body));
  },
  'Events, envelope | `created_by` is the user who created the subscription, not the actor | A1': async () => {
    await using callback = await openEar({}, { as: 'admin' });
    await happen(sandbox, 'owner');
    expect(callback.received[0]?.body.created_by).toBe(sandbox.handles.users.admin);
  },
  'Events, envelope | one fact goes once to each matching subscription, alike but for `created_by` | A1': async () => {
    await using callback = await openEar({}, { as: 'owner' });
    await subscribe(sandbox, callback, {}, { as: 'admin' });
    await happen(sandbox);
    const [one, other] = callback.received.map(({ body }) => body);
    expect(callback.received).toHaveLength(2);
    expect(one.created_by).not.toBe(other.created_by);
    expect({ ...one, created_by: '' }).toEqual({ ...other, created_by: '' });
  },
  'Events | creating a subscription sends nothing | A1': async () => {
    await using callback = await openEar();
    expect(await heardBy(callback)).toEqual([]);
  },
  'Authentication 8 | deliveries carry `Calendly-Webhook-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of t.body>` with the signing key | A2':
    async () => {
      await using callback = await openEar({ signing_key: signingKey });
      await happen(sandbox);
      const [delivery] = callback.received;
      const header = String(delivery?.headers['calendly-webhook-signature']);
      const [, t = '', v1] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
      const expected = createHmac('sha256', signingKey).update(`${t}.${delivery?.raw.toString()}`);
      expect(v1).toBe(expected.digest('hex'));
    },
  'Authentication 8 | without a signing key the header is absent | A2': async () => {
    await using callback = await openEar();
    await happen(sandbox);
    expect(callback.received[0]?.headers).not.toHaveProperty('calendly-webhook-signature');
  },
  'Authentication 8 | the signature is of the real time, whatever the clock of the sandbox shows | A2': async () => {
    await using world = await openStill(202);
    await world.follow('30d', happens);
    const [delivery] = world.callback.received;
    expect(delivery?.body.created_at).toMatch(/^2026-06-03/);
    expect(delivery?.headers['calendly-webhook-signature']).toMatch(new RegExp(`^t=${startMs / 1000},`));
  },
  'Events, retries | only a 2xx is success: 3xx, 4xx and 5xx are tried again, redirects are not followed | A3':
    async () => {
      await using world = await openStill();
      for (const status of [301, 302, 307, 400, 404, 410, 429, 500, 503])
        await world.follow(status, happens, retrying, 200, '1h', { retry_started_at: null });
      expect(world.callback.received).toHaveLength(18);
    },
  'Events, retries | a subscriber that is not there is tried again | A3': async () => {
    await using world = await openStill();
    await world.callback[Symbol.asyncDispose]();
    await world.follow(happens, retrying);
    expect(world.dispatcher.attempts.at(-1)).toMatchObject({ status: null, error: 'ECONNREFUSED' });
    expect(world.dispatcher.pending).toBe(1);
  },
  'Events, retries | the pauses are 5 seconds, then twice as long each time, at most an hour | A19': async () => {
    await using world = await openStill();
    await world.follow(happens);
    const seconds = [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600];
    for (const [index, pause] of seconds.entries()) {
      await world.follow(`${pause * 1000 - 1}ms`);
      expect(world.callback.received).toHaveLength(index + 1);
      await world.follow('1ms');
      expect(world.callback.received).toHaveLength(index + 2);
    }
    expect(world.dispatcher.attempts.map(({ attempt }) => attempt)).toEqual([...seconds.keys(), 12].map((n) => n + 1));
  },
  'Events, retries | a day in one leap is a day of retries, the last one when the 24 hours end | A19': async () => {
    await using world = await openStill();
    await world.follow(happens, '30h');
    await world.dispatcher.settled();
    const afterSeconds = world.dispatcher.attempts.map(({ at }) => Math.round((Date.parse(at) - startMs) / 1000));
    const hourly = Array.from({ length: 22 }, (_, index) => 5115 + (index + 1) * 3600);
    const doubling = [0, 5, 15, 35, 75, 155, 315, 635, 1275, 2555, 5115];
    expect(afterSeconds).toEqual([...doubling, ...hourly, 24 * 3600]);
    await world.follow({ state: 'disabled' });
  },
  'Events, retries | `retry_started_at` is cleared when the last message that failed is given up | A3': async () => {
    await using world = await openStill();
    const failing = await world.happen();
    world.callback.answer = ({ body: { payload } }) => (payload.uri === failing ? 500 : 202);
    await world.follow('20h', happens, { retry_started_at: null }, '1h', retrying, '3h');
    expect(world.dispatcher.pending).toBe(0);
    await world.follow({ state: 'active', retry_started_at: null }, '48h', 500, happens, retrying);
  },
  'States, WebhookSubscription | stays `active` until one message has failed for 24 hours and none arrived since it first did | A3':
    async () => {
      await using world = await openStill();
      // The first is given up a day after it failed, which is less than a day after the last success.
      await world.follow(happens, '20h', 202, happens, 500, '1h', happens, '23h', retrying);
      expect(world.dispatcher.pending).toBe(1);
      await world.follow('1h', { state: 'disabled' });
    },
  'Events, retries | other messages go on being sent meanwhile | A3': async () => {
    await using world = await openStill();
    const first = await world.happen();
    world.callback.answer = 202;
    const second = await world.happen();
    await world.follow('5s');
    expect(urisIn(world.callback)).toEqual([first, second, first]);
    expect(world.dispatcher.pending).toBe(0);
  },
  'Events, retries | any success clears `retry_started_at` | A3': async () => {
    await using world = await openStill();
    await world.follow(happens, 202, happens, { state: 'active', retry_started_at: null });
    expect(world.dispatcher.pending).toBe(1);
  },
  'States, WebhookSubscription | `disabled` when deliveries have failed for 24 hours | A3': async () => {
    await using world = await openStill();
    await world.follow(happens, happens, '23h', { state: 'active' }, '1h', { state: 'disabled' });
    expect(world.dispatcher.pending).toBe(0);
    const before = world.callback.received.length;
    await world.follow(202, happens, '7d');
    expect(world.callback.received).toHaveLength(before);
  },
  'States, WebhookSubscription | stays `active` when another message got through; the old one is given up | A3':
    async () => {
      await using world = await openStill(({ body }) => (body.event === 'contact.created' ? 500 : 202));
      const contact = await world.happen();
      await world.follow('23h');
      await world.still.call('DELETE', contact);
      await world.dispatcher.settled();
      await world.follow('1h', '1h', { state: 'active' });
      expect(world.dispatcher.pending).toBe(0);
    },
  'DELETE /webhook_subscriptions/<uuid> | what waits for it is never sent | A20': async () => {
    await using world = await openStill();
    await world.follow(happens);
    expect(world.dispatcher.pending).toBe(1);
    await world.still.call('DELETE', world.made.uri);
    expect(world.dispatcher.pending).toBe(0);
    await world.follow('1h');
    expect(world.callback.received).toHaveLength(1);
  },
});
