// Conformance: invitations to an organization.
import { afterAll, beforeAll, expect } from 'vitest';
import { openTestSandbox, type Answer, type CallOptions, type TestSandbox } from '../harness/sandbox.ts';
import { answers, sixDigits, strange } from './answers.ts';
import { rows } from './rows.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
  await sandbox.control('POST', '/plan', { seats: 1000 });
});
afterAll(() => sandbox[Symbol.asyncDispose]());

let last = 0;
const newAddress = (): string => `guest.${(last += 1)}@example.test`;
const path = (): string => `${new URL(sandbox.handles.organization).pathname}/invitations`;
const invite = (email: unknown = newAddress(), more: CallOptions = {}): Promise<Answer> =>
  sandbox.call('POST', path(), { body: { email }, ...more });

/** A pending invitation. */
async function invited(email = newAddress()) {
  const { status, body } = await invite(email);
  expect(status).toBe(201);
  return body.resource;
}
const count = (): number => sandbox.service.state.invitations.size;

rows({
  'POST /organizations/<uuid>/invitations | invites a user to an organization by e-mail address': async () => {
    const invitation = await invited('ada@example.test');
    expect(sandbox.service.state.invitations.get(invitation.uri)).toEqual(invitation);
  },
  'POST /organizations/<uuid>/invitations | required scope: `organizations:write`': async () => {
    await answers(invite(newAddress(), { as: 'no_scopes' }), 403, {
      title: 'Insufficient scope',
      required_scopes: ['organizations:write'],
    });
    sandbox.tokens.add('oat_inviter', {
      kind: 'oauth',
      user: sandbox.handles.users.admin,
      scopes: ['organizations:write'],
    });
    await answers(invite(newAddress(), { token: 'oat_inviter' }), 201);
  },
  "POST /organizations/<uuid>/invitations | path parameter `uuid` (string, required): the organization's identifier":
    async () => {
      const { body } = await invite();
      expect(body.resource.organization).toBe(sandbox.handles.organization);
      await answers(
        sandbox.call('POST', `/organizations/${strange}/invitations`, { body: { email: newAddress() } }),
        404,
      );
    },
  'POST /organizations/<uuid>/invitations | body: `email` (string, required): address of the user to invite':
    async () => {
      expect((await invited('grace@example.test')).email).toBe('grace@example.test');
      for (const body of [{}, { email: null }, { email: 7 }, { email: ['a@example.test'] }])
        await answers(sandbox.call('POST', path(), { body }), 400);
    },
  'POST /organizations/<uuid>/invitations | 201 response: `resource` = OrganizationInvitation': async () => {
    const { status, body } = await invite();
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['resource']);
    expect(Object.keys(body.resource).toSorted()).toEqual(
      ['uri', 'organization', 'email', 'status', 'created_at', 'updated_at', 'last_sent_at'].toSorted(),
    );
  },
  'OrganizationInvitation.uri | string, required: unique reference of the invitation': async () => {
    const [one, two] = [await invited(), await invited()];
    expect(one.uri).not.toBe(two.uri);
    await answers(sandbox.call('GET', one.uri), 200, { resource: one });
  },
  'OrganizationInvitation.organization | string, required: URI of the organization': async () =>
    expect((await invited()).organization).toBe(sandbox.handles.organization),
  'OrganizationInvitation.email | string, required: invited address': async () =>
    expect((await invited('Mixed.Case@example.test')).email).toBe('Mixed.Case@example.test'),
  'OrganizationInvitation.status | enum, required: `pending`, `accepted`, `declined`': async () => {
    const [one, two, three] = [await invited(), await invited(), await invited()];
    await sandbox.control('POST', '/invitations/accept', { uri: two.uri });
    await sandbox.control('POST', '/invitations/decline', { uri: three.uri });
    const statuses = [];
    for (const { uri } of [one, two, three]) statuses.push((await sandbox.call('GET', uri)).body.resource.status);
    expect(statuses).toEqual(['pending', 'accepted', 'declined']);
  },
  'OrganizationInvitation.created_at | string, required: timestamp': async () => {
    const invitation = await invited();
    expect(invitation.created_at).toMatch(sixDigits);
    const { body } = await sandbox.control('POST', '/invitations/decline', { uri: invitation.uri });
    expect(body.resource.created_at).toBe(invitation.created_at);
  },
  'OrganizationInvitation.updated_at | string, required: timestamp': async () => {
    const invitation = await invited();
    expect(invitation.updated_at).toBe(invitation.created_at);
    const { body } = await sandbox.control('POST', '/invitations/decline', { uri: invitation.uri });
    expect(body.resource.updated_at).toMatch(sixDigits);
    expect(body.resource.updated_at > invitation.updated_at).toBe(true);
  },
  'OrganizationInvitation.last_sent_at | string, nullable: when the invitation was last sent': async () => {
    const invitation = await invited();
    expect(invitation.last_sent_at).toMatch(sixDigits);
    const { body } = await sandbox.control('POST', '/invitations/decline', { uri: invitation.uri });
    expect(body.resource.last_sent_at).toBe(invitation.last_sent_at);
  },
  'OrganizationInvitation.user | string, optional: URI of the user who accepted; present once accepted': async () => {
    const invitation = await invited('joins@example.test');
    expect(invitation).not.toHaveProperty('user');
    const { body } = await sandbox.control('POST', '/invitations/accept', { uri: invitation.uri });
    const user = await sandbox.call('GET', body.resource.user);
    expect(user.body.resource).toMatchObject({ uri: body.resource.user, email: 'joins@example.test' });
  },
  'States, fact 1 | a newly created invitation has status `pending` and a non-null `last_sent_at`; `user` appears only after acceptance':
    async () => {
      const invitation = await invited();
      expect(invitation).toMatchObject({ status: 'pending', last_sent_at: expect.stringMatching(sixDigits) });
      expect(invitation).not.toHaveProperty('user');
      const declined = await sandbox.control('POST', '/invitations/decline', { uri: invitation.uri });
      expect(declined.body.resource).not.toHaveProperty('user');
    },
  'Errors, 400 | title and message strings (for the invitation endpoint)': async () => {
    const before = count();
    const { status, body } = await invite('unknown');
    expect(status).toBe(400);
    expect(body).toMatchObject({ title: expect.any(String), message: expect.any(String) });
    expect(body.details).toMatchObject([{ parameter: 'email', message: expect.any(String) }]);
    expect(count()).toBe(before);
  },
  'Errors of the invitation endpoint, 401 | caller cannot be authenticated': () =>
    answers(invite(newAddress(), { as: null }), 401, { title: 'Internal Server Error' }),
  'Errors of the invitation endpoint, 403 | permission denied': () =>
    answers(invite(newAddress(), { as: 'member' }), 403, {
      title: 'Permission Denied',
      message: 'You do not have permission',
    }),
  'Errors of the invitation endpoint, 404 | requested resource not found': () =>
    answers(sandbox.call('POST', `/organizations/${strange}/invitations`, { body: { email: newAddress() } }), 404, {
      title: 'Internal Server Error',
      message: 'The server encountered an unexpected condition that prevented it from fulfilling the request.',
    }),
  'Errors of the invitation endpoint, 500 | server error': async () => {
    await using broken = await openTestSandbox();
    await broken.control('POST', '/faults', { status: 1 });
    const organization = new URL(broken.handles.organization).pathname;
    await answers(broken.call('POST', `${organization}/invitations`, { body: { email: newAddress() } }), 500, {
      title: 'Internal Server Error',
    });
    expect(broken.service.state.invitations.size).toBe(0);
  },
  'Limits, invitation quotas | seat-based for paid accounts, enforced with 403': async () => {
    await using small = await openTestSandbox();
    const { body } = await small.control('GET', '/plan');
    await small.control('POST', '/plan', { seats: body.members + 1 });
    const to = `${new URL(small.handles.organization).pathname}/invitations`;
    const first = await small.call('POST', to, { body: { email: 'one@example.test' } });
    expect(first.status).toBe(201);
    await answers(small.call('POST', to, { body: { email: 'two@example.test' } }), 403, {
      title: 'Permission Denied',
      message: 'All seats of this account are used. Please add more seats.',
    });
    await small.control('POST', '/invitations/decline', { uri: first.body.resource.uri });
    await answers(small.call('POST', to, { body: { email: 'two@example.test' } }), 201);
  },
  'Limits, invitation quotas | a fixed allotment for trial accounts, enforced with 403': async () => {
    await using small = await openTestSandbox();
    await small.control('POST', '/plan', { trial: true, trial_invitations: 1, seats: 0 });
    const to = `${new URL(small.handles.organization).pathname}/invitations`;
    const first = await small.call('POST', to, { body: { email: 'one@example.test' } });
    expect(first.status).toBe(201);
    await small.control('POST', '/invitations/decline', { uri: first.body.resource.uri });
    await answers(small.call('POST', to, { body: { email: 'two@example.test' } }), 403, {
      title: 'Permission Denied',
      message: 'All invitations of this trial account are used.',
    });
  },
  'Errors, 400 | an invalid or blank e-mail address | A24': async () => {
    const before = count();
    for (const email of ['', ' ', 'no-address', 'a@b', 'a b@example.test', `${'x'.repeat(300)}@example.test`])
      await answers(invite(email), 400, { details: [{ parameter: 'email' }] });
    expect(count()).toBe(before);
  },
  'Errors, 400 | an address already in the organization, in whatever letter case | A24': async () => {
    const { body } = await sandbox.call('GET', sandbox.handles.users.member);
    const before = count();
    for (const email of [body.resource.email, body.resource.email.toUpperCase()])
      await answers(invite(email), 400, { details: [{ parameter: 'email' }] });
    expect(count()).toBe(before);
  },
  'Errors, 400 | an invitation already pending; once declined, the address can be invited again | A24': async () => {
    const { uri, email } = await invited();
    await answers(invite(email.toUpperCase()), 400, {
      details: [{ parameter: 'email', message: 'An invitation to this address is already pending.' }],
    });
    await sandbox.control('POST', '/invitations/decline', { uri });
    expect((await invited(email)).uri).not.toBe(uri);
  },
  'Errors, 400 | of concurrent duplicate requests one is answered 201 and the others 400 | A24': async () => {
    const email = newAddress();
    const answers = await Promise.all(Array.from({ length: 5 }, () => invite(email)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400, 400]);
  },
  'Transitions of invitation status | accepting makes a user of the address, an ordinary member of the organization | A24':
    async () => {
      const { uri } = await invited('new.member@example.test');
      const { status, body } = await sandbox.control('POST', '/invitations/accept', { uri });
      expect(status).toBe(200);
      expect(body.resource).toMatchObject({ uri, status: 'accepted' });
      const memberships = await sandbox.call('GET', '/organization_memberships', {
        query: { organization: sandbox.handles.organization, email: 'new.member@example.test' },
      });
      expect(memberships.body.collection).toMatchObject([{ role: 'user', user: body.resource.user }]);
    },
  'Transitions of invitation status | accepted and declined are final | A24': async () => {
    const [accepted, declined] = [await invited(), await invited()];
    await sandbox.control('POST', '/invitations/accept', { uri: accepted.uri });
    await sandbox.control('POST', '/invitations/decline', { uri: declined.uri });
    const users = sandbox.service.state.users.size;
    for (const { uri } of [accepted, declined])
      for (const answer of ['accept', 'decline'])
        await answers(sandbox.control('POST', `/invitations/${answer}`, { uri }), 400);
    expect(sandbox.service.state.users.size).toBe(users);
    await answers(sandbox.control('POST', '/invitations/accept', { uri: `${sandbox.handles.base_url}/nothing` }), 404);
  },
  'GET /organizations/<uuid>/invitations | lists the invitations, filtered by `email` and `status`, page by page | A24':
    async () => {
      await using small = await openTestSandbox();
      const to = `${new URL(small.handles.organization).pathname}/invitations`;
      const uris: string[] = [];
      for (const name of ['one', 'two', 'three'])
        uris.push((await small.call('POST', to, { body: { email: `${name}@example.test` } })).body.resource.uri);
      await small.control('POST', '/invitations/decline', { uri: uris[1] });
      const listed = async (query: Record<string, string>): Promise<string[]> => {
        const { body } = await small.call('GET', to, { query });
        return body.collection.map(({ uri }: { uri: string }) => uri);
      };
      expect(await listed({})).toEqual(uris);
      expect(await listed({ status: 'declined' })).toEqual([uris[1]]);
      expect(await listed({ email: 'three@example.test' })).toEqual([uris[2]]);
      const page = await small.call('GET', to, { query: { count: 2 } });
      expect(page.body.pagination.count).toBe(2);
      const rest = await small.call('GET', page.body.pagination.next_page);
      expect(rest.body.collection).toMatchObject([{ uri: uris[2] }]);
      await answers(small.call('GET', to, { as: 'member' }), 403);
      await answers(small.call('GET', to, { as: 'no_scopes' }), 403);
      await answers(small.call('GET', to, { as: 'enterprise' }), 403);
    },
  'GET /organizations/<uuid>/invitations/<uuid> | retrieves one invitation | A24': async () => {
    const invitation = await invited();
    await answers(sandbox.call('GET', invitation.uri), 200, { resource: invitation });
    await answers(sandbox.call('GET', `${path()}/${strange}`), 404);
    await answers(sandbox.call('GET', invitation.uri, { as: 'member' }), 403);
    await answers(sandbox.call('GET', invitation.uri, { as: 'free_plan' }), 403);
  },
  'POST /organizations/<uuid>/invitations | the invitation is recorded as sent; no e-mail is sent, and a control accepts or declines it | exception':
    async () => {
      const { uri, last_sent_at } = await invited();
      expect(last_sent_at).toMatch(sixDigits);
      expect((await sandbox.control('POST', '/invitations/decline', { uri })).body.resource.status).toBe('declined');
    },
});
