// Conformance: every message of permission denied, provoked over HTTP.
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { openTestSandbox, type Answer, type CallOptions, type TestSandbox } from '../harness/sandbox.ts';
import { answers } from './answers.ts';
import { rows } from './rows.ts';

let sandbox: TestSandbox;
let account: Record<string, unknown>;
beforeAll(async () => {
  sandbox = await openTestSandbox({ rateLimits: false });
  const { body } = await sandbox.control('GET', '/plan');
  const { plan, trial, seats, trial_invitations, scim, contacts_feature } = body;
  account = { plan, trial, seats, trial_invitations, scim, contacts_feature };
});
afterAll(() => sandbox[Symbol.asyncDispose]());
beforeEach(async () => {
  await set(account);
  await sandbox.control('POST', '/roles', { user: sandbox.handles.users.member, role: 'user' });
});

async function set(changes: Record<string, unknown>): Promise<void> {
  await answers(sandbox.control('POST', '/plan', changes), 200, changes);
}

type Caller = NonNullable<CallOptions['as']>;

let made = 0;
const invite = (as: Caller = 'owner', organization = sandbox.handles.organization): Promise<Answer> =>
  sandbox.call('POST', `${organization}/invitations`, { as, body: { email: `guest.${(made += 1)}@example.test` } });

const contacts = (as: Caller = 'owner'): Promise<Answer> => sandbox.call('GET', '/contacts', { as });

function subscribe(as: Caller = 'owner', organization = sandbox.handles.organization): Promise<Answer> {
  const url = `http://127.0.0.1:9/${(made += 1)}`;
  const body = { url, events: ['invitee.created'], organization, scope: 'organization' };
  return sandbox.call('POST', '/webhook_subscriptions', { as, body });
}

/** Books a free time of an event type of the main organization. */
async function book(as: Caller = 'owner'): Promise<Answer> {
  const event_type = sandbox.handles.event_types.solo;
  const fromMs = sandbox.service.clock.nowMs() + 24 * 3_600_000;
  const query = {
    event_type,
    start_time: new Date(fromMs).toISOString(),
    end_time: new Date(fromMs + 14 * 24 * 3_600_000).toISOString(),
  };
  const times = await sandbox.call('GET', '/event_type_available_times', { query });
  const start_time: string = times.body.collection[0].start_time;
  const invitee = { email: `guest.${(made += 1)}@example.test`, name: 'Ada', timezone: 'UTC' };
  return sandbox.call('POST', '/invitees', { as, body: { event_type, start_time, invitee } });
}

const denied = (message: string) => ({ status: 403, body: { title: 'Permission Denied', message } });
const noAccess = denied('You do not have permission to access this resource.');
const noPermission = denied('You do not have permission');

async function organizationOf(as: Caller): Promise<string> {
  return (await sandbox.call('GET', '/users/me', { as })).body.resource.current_organization;
}

rows({
  'Permission denied, invitations | seat allotment of the account is used up (asks for more seats)': async () => {
    await answers(invite(), 201);
    await set({ seats: 1 });
    expect(await invite()).toMatchObject(denied('All seats of this account are used. Please add more seats.'));
  },
  'Permission denied, invitations | trial-account invitation allotment used up': async () => {
    await set({ trial: true, trial_invitations: 1000 });
    await answers(invite(), 201);
    await set({ trial_invitations: 1 });
    expect(await invite()).toMatchObject(denied('All invitations of this trial account are used.'));
  },
  'Permission denied, invitations | `You do not have permission`': async () => {
    expect(await invite('member')).toMatchObject(noPermission);
    expect(await invite('enterprise')).toMatchObject(noPermission);
    await sandbox.control('POST', '/roles', { user: sandbox.handles.users.member, role: 'admin' });
    await answers(invite('member'), 201);
  },
  'Permission denied, invitations | action not allowed for an organization with SCIM enabled': async () => {
    await set({ scim: true });
    expect(await invite()).toMatchObject(denied('This action is not allowed for an organization with SCIM enabled.'));
    await set({ scim: false });
    await answers(invite(), 201);
  },
  'Permission denied, contacts list | account must be upgraded to the enterprise level': async () => {
    await set({ contacts_feature: 'enterprise_only' });
    expect(await contacts()).toMatchObject(denied('Please upgrade your account to the enterprise level.'));
    await set({ plan: 'enterprise' });
    await answers(contacts(), 200);
  },
  'Permission denied, contacts list | `You do not have permission to access this resource.`': async () => {
    expect(await contacts('member')).toMatchObject(noAccess);
    await sandbox.control('POST', '/roles', { user: sandbox.handles.users.member, role: 'admin' });
    await answers(contacts('member'), 200);
  },
  'Permission denied, contacts list | account must be upgraded to a paid plan': async () => {
    await set({ plan: 'free' });
    expect(await contacts()).toMatchObject(denied('Please upgrade your account to a paid plan.'));
    await set({ plan: 'standard' });
    await answers(contacts(), 200);
  },
  'Permission denied, contacts list | contact creation unavailable because required features are disabled':
    async () => {
      const message = denied('Contact creation is unavailable because required features are disabled.');
      const body = { name: 'Ada', emails: [{ email: 'ada.contact@example.test', is_primary: true }] };
      await set({ contacts_feature: 'disabled' });
      expect(await contacts()).toMatchObject(message);
      expect(await sandbox.call('POST', '/contacts', { body })).toMatchObject(message);
      await set({ contacts_feature: 'enabled' });
      await answers(sandbox.call('POST', '/contacts', { body }), 201);
    },
  'Permission denied, webhook creation | account must be upgraded to the standard level': async () => {
    await set({ plan: 'free' });
    expect(await subscribe()).toMatchObject(denied('Please upgrade your account to the standard level.'));
    await set({ plan: 'standard' });
    await answers(subscribe(), 201);
  },
  'Permission denied, webhook creation | `You do not have permission to access this resource.`': async () => {
    expect(await subscribe('owner', await organizationOf('enterprise'))).toMatchObject(noAccess);
    await answers(subscribe('enterprise', await organizationOf('enterprise')), 201);
  },
  'Permission denied, webhook creation | `You do not have permission`': async () => {
    expect(await subscribe('member')).toMatchObject(noPermission);
    await sandbox.control('POST', '/roles', { user: sandbox.handles.users.member, role: 'owner' });
    await answers(subscribe('member'), 201);
  },
  'Permission denied, invitees creation | `You do not have permission to access this resource.`': async () => {
    expect(await book('enterprise')).toMatchObject(noAccess);
    await answers(book('owner'), 201);
  },
  'Permission denied, invitees creation | `You do not have permission`': async () => {
    expect(await book('member')).toMatchObject(noPermission);
    await sandbox.control('POST', '/roles', { user: sandbox.handles.users.member, role: 'admin' });
    await answers(book('member'), 201);
  },
  'Permission denied, invitees creation | the scheduling interface is available only on paid plans': async () => {
    await set({ plan: 'free' });
    expect(await book()).toMatchObject(denied('The scheduling interface is available only on paid plans.'));
    await set({ plan: 'standard' });
    await answers(book(), 201);
  },
  'Errors, role example | a non-administrator listing webhook subscriptions for an organization scope receives 403':
    async () => {
      const query = { organization: sandbox.handles.organization, scope: 'organization' };
      const list = (as: Caller) => sandbox.call('GET', '/webhook_subscriptions', { as, query });
      await answers(list('member'), 403, { title: 'Permission Denied' });
      await answers(list('admin'), 200);
    },
});
