// Conformance: invitations to an organization.
import { expect } from 'vitest';
import type { Answer, CallOptions } from '../harness/sandbox.ts';
import {
  answers,
  denied,
  documentedBody,
  invalid,
  lacking,
  noRight,
  recordOf,
  sixDigits,
  strange,
  tokenWith,
  urisOf,
} from './answers.ts';
import { openForRows, rows } from './rows.ts';

const sandbox = openForRows({}, async (opened) => {
  await opened.control('POST', '/plan', { seats: 1000 });
});

let last = 0;
const newAddress = (): string => `guest.${(last += 1)}@example.test`;
const invite = (email: unknown = newAddress(), more: CallOptions = {}): Promise<Answer> =>
  sandbox.call('POST', `${sandbox.handles.organization}/invitations`, { body: { email }, ...more });
const inviteToStrange = (): Promise<Answer> =>
  sandbox.call('POST', `/organizations/${strange}/invitations`, { body: { email: newAddress() } });

/** A pending invitation. */
const invited = (email?: string) => recordOf(invite(email), 201);
const decide = async ({ uri }: { uri: string }, decision: 'accept' | 'decline') =>
  (await sandbox.control('POST', `/invitations/${decision}`, { uri })).body.resource;
const count = (): number => sandbox.service.state.invitations.size;

/** Shows that each of these addresses is refused, and nothing recorded. */
async function refusesAddresses(...emails: readonly string[]): Promise<void> {
  const before = count();
  for (const email of emails) await answers(invite(email), 400, invalid('email'));
  expect(count()).toBe(before);
}

rows({
  'POST /organizations/<uuid>/invitations | invites a user to an organization by e-mail address': async () => {
    const invitation = await invited('ada@example.test');
    expect(sandbox.service.state.invitations.get(invitation.uri)).toEqual(invitation);
  },
  'POST /organizations/<uuid>/invitations | required scope: `organizations:write`': async () => {
    await answers(invite(newAddress(), { as: 'no_scopes' }), 403, lacking('organizations:write'));
    const token = tokenWith(sandbox, ['organizations:write'], sandbox.handles.users.admin);
    await answers(invite(newAddress(), { token }), 201);
  },
  "POST /organizations/<uuid>/invitations | path parameter `uuid` (string, required): the organization's identifier":
    async () => {
      expect((await invited()).organization).toBe(sandbox.handles.organization);
      await answers(inviteToStrange(), 404);
    },
  'POST /organizations/<uuid>/invitations | body: `email` (string, required): address of the user to invite':
    async () => {
      expect((await invited('grace@example.test')).email).toBe('grace@example.test');
      for (const body of [{}, { email: null }, { email: 7 }, { email: ['a@example.test'] }])
        await answers(invite('', { body }), 400);
    },
  'POST /organizations/<uuid>/invitations | 201 response: `resource` = OrganizationInvitation': async () => {
    const { status, body } = await invite();
    expect([status, Object.keys(body)]).toEqual([201, ['resource']]);
    const fields = Object.keys(body.resource).toSorted().join(' ');
    expect(fields).toBe('created_at email last_sent_at organization status updated_at uri');
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
    const made = [await invited(), await decide(await invited(), 'accept'), await decide(await invited(), 'decline')];
    const shown = await Promise.all(made.map(({ uri }) => sandbox.call('GET', uri)));
    expect(shown.map(({ body }) => body.resource.status)).toEqual(['pending', 'accepted', 'declined']);
  },
  'OrganizationInvitation.created_at | string, required: timestamp': async () => {
    const invitation = await invited();
    expect(invitation.created_at).toMatch(sixDigits);
    expect((await decide(invitation, 'decline')).created_at).toBe(invitation.created_at);
  },
  'OrganizationInvitation.updated_at | string, required: timestamp': async () => {
    const invitation = await invited();
    expect(invitation.updated_at).toBe(invitation.created_at);
    const { updated_at } = await decide(invitation, 'decline');
    expect(updated_at).toMatch(sixDigits);
    expect(updated_at > invitation.updated_at).toBe(true);
  },
  'OrganizationInvitation.last_sent_at | string, nullable: when the invitation was last sent': async () => {
    const invitation = await invited();
    expect(invitation.last_sent_at).toMatch(sixDigits);
    expect((await decide(invitation, 'decline')).last_sent_at).toBe(invitation.last_sent_at);
  },
  'OrganizationInvitation.user | string, optional: URI of the user who accepted; present once accepted': async () => {
    const invitation = await invited('joins@example.test');
    expect(invitation).not.toHaveProperty('user');
    const { user: uri } = await decide(invitation, 'accept');
    await answers(sandbox.call('GET', uri), 200, { resource: { uri, email: 'joins@example.test' } });
  },
  'States, fact 1 | a newly created invitation has status `pending` and a non-null `last_sent_at`; `user` appears only after acceptance':
    async () => {
      const invitation = await invited();
      expect(invitation).toMatchObject({ status: 'pending', last_sent_at: expect.stringMatching(sixDigits) });
      for (const one of [invitation, await decide(invitation, 'decline')]) expect(one).not.toHaveProperty('user');
    },
  'Errors, 400 | title and message strings (for the invitation endpoint)': async () => {
    const words = { title: expect.any(String), message: expect.any(String) };
    await answers(invite('unknown'), 400, { ...words, details: [{ parameter: 'email', message: expect.any(String) }] });
  },
  'Errors of the invitation endpoint, 401 | caller cannot be authenticated': () =>
    answers(invite(newAddress(), { as: null }), 401, { title: 'Internal Server Error' }),
  'Errors of the invitation endpoint, 403 | permission denied': () =>
    answers(invite(newAddress(), { as: 'member' }), 403, noRight),
  'Errors of the invitation endpoint, 404 | requested resource not found': () =>
    answers(inviteToStrange(), 404, documentedBody),
  'Errors of the invitation endpoint, 500 | server error': async () => {
    const before = count();
    await sandbox.control('POST', '/faults', { status: 1 });
    const answer = await invite();
    await sandbox.control('POST', '/faults', {});
    expect([answer, count()]).toMatchObject([{ status: 500, body: { title: 'Internal Server Error' } }, before]);
  },
  'Limits, invitation quotas | seat-based for paid accounts, enforced with 403': async () => {
    const { members } = (await sandbox.control('GET', '/plan')).body;
    const pending = [...sandbox.service.state.invitations.values()].filter(({ status }) => status === 'pending');
    await sandbox.control('POST', '/plan', { seats: members + pending.length + 1 });
    const first = await invited();
    await answers(invite(), 403, denied('All seats of this account are used. Please add more seats.'));
    await decide(first, 'decline');
    await answers(invite(), 201);
    await sandbox.control('POST', '/plan', { seats: 1000 });
  },
  'Limits, invitation quotas | a fixed allotment for trial accounts, enforced with 403': async () => {
    await sandbox.control('POST', '/plan', { trial: true, trial_invitations: count() + 1, seats: 0 });
    await decide(await invited(), 'decline');
    await answers(invite(), 403, denied('All invitations of this trial account are used.'));
    await sandbox.control('POST', '/plan', { trial: false, seats: 1000 });
  },
  'Errors, 400 | an invalid or blank e-mail address | A24': () =>
    refusesAddresses('', ' ', 'no-address', 'a@b', 'a b@example.test', `${'x'.repeat(300)}@example.test`),
  'Errors, 400 | an address already in the organization, in whatever letter case | A24': async () => {
    const { email } = (await sandbox.call('GET', sandbox.handles.users.member)).body.resource;
    await refusesAddresses(email, email.toUpperCase());
  },
  'Errors, 400 | an invitation already pending; once declined, the address can be invited again | A24': async () => {
    const invitation = await invited();
    const message = 'An invitation to this address is already pending.';
    await answers(invite(invitation.email.toUpperCase()), 400, { details: [{ parameter: 'email', message }] });
    await decide(invitation, 'decline');
    expect((await invited(invitation.email)).uri).not.toBe(invitation.uri);
  },
  'Errors, 400 | of concurrent duplicate requests one is answered 201 and the others 400 | A24': async () => {
    const email = newAddress();
    const answers = await Promise.all([1, 2, 3].map(() => invite(email)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
  },
  'Transitions of invitation status | accepting makes a user of the address, an ordinary member of the organization | A24':
    async () => {
      const email = newAddress();
      const { status, user } = await decide(await invited(email), 'accept');
      const query = { organization: sandbox.handles.organization, email };
      const { body } = await sandbox.call('GET', '/organization_memberships', { query });
      expect([status, body.collection]).toMatchObject(['accepted', [{ role: 'user', user }]]);
    },
  'Transitions of invitation status | accepted and declined are final | A24': async () => {
    const ended = [await decide(await invited(), 'accept'), await decide(await invited(), 'decline')];
    const users = sandbox.service.state.users.size;
    const again = (uri: string, decision: string) => sandbox.control('POST', `/invitations/${decision}`, { uri });
    for (const { uri } of ended) for (const decision of ['accept', 'decline']) await answers(again(uri, decision), 400);
    expect(sandbox.service.state.users.size).toBe(users);
    await answers(again(`${sandbox.handles.base_url}/nothing`, 'accept'), 404);
  },
  'GET /organizations/<uuid>/invitations | lists the invitations, filtered by `email` and `status`, page by page | A24':
    async () => {
      const path = `${sandbox.handles.organization}/invitations`;
      const list = (query: Record<string, string | number>) =>
        sandbox.call('GET', path, { query: { count: 100, ...query } });
      const [one, two, three] = [await invited(), await invited(), await invited()];
      await decide(two, 'decline');
      const whole = urisOf(await list({}));
      expect(whole.slice(-3)).toEqual([one.uri, two.uri, three.uri]);
      expect(urisOf(await list({ status: 'declined' })).at(-1)).toEqual(two.uri);
      expect(urisOf(await list({ email: three.email }))).toEqual([three.uri]);
      const { pagination } = (await list({ count: whole.length - 1 })).body;
      expect(urisOf(await sandbox.call('GET', pagination.next_page))).toEqual([three.uri]);
      for (const as of ['member', 'no_scopes', 'enterprise'] as const)
        await answers(sandbox.call('GET', path, { as }), 403);
    },
  'GET /organizations/<uuid>/invitations/<uuid> | retrieves one invitation | A24': async () => {
    const invitation = await invited();
    await answers(sandbox.call('GET', invitation.uri), 200, { resource: invitation });
    await answers(sandbox.call('GET', `${sandbox.handles.organization}/invitations/${strange}`), 404);
    for (const as of ['member', 'free_plan'] as const) await answers(sandbox.call('GET', invitation.uri, { as }), 403);
  },
  'POST /organizations/<uuid>/invitations | the invitation is recorded as sent; no e-mail is sent, and a control accepts or declines it | exception':
    async () => {
      const invitation = await invited();
      expect(invitation.last_sent_at).toMatch(sixDigits);
      expect((await decide(invitation, 'decline')).status).toBe('declined');
    },
});
