// Controls of accounts and roles: what they change, and what they leave alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => void (sandbox = await openTestSandbox({ contacts: 1, bookings: 1 })));
afterAll(() => sandbox[Symbol.asyncDispose]());

describe('the account controls', () => {
  it('know a paid plan and a trial by these words', async () => {
    await using world = await openTestSandbox({ contacts: 1, bookings: 1 });
    const plan = async (body: object) => (await world.control('POST', '/plan', body)).body;
    expect(await plan({ plan: 'paid' })).toMatchObject({ plan: 'standard', trial: false });
    expect(await plan({ plan: 'trial' })).toMatchObject({ plan: 'standard', trial: true });
    expect(await plan({ plan: 'free', trial: false })).toMatchObject({ plan: 'free', trial: false });
    expect(await plan({ plan: null, seats: null })).toMatchObject({ plan: 'free' });
  });

  it('change only what is named, of the organization that is named', async () => {
    await using world = await openTestSandbox({ contacts: 1, bookings: 1 });
    const before = await world.control('GET', '/plan');
    expect(before).toMatchObject({ status: 200, body: { organization: world.handles.organization, plan: 'teams' } });
    const after = await world.control('POST', '/plan', { seats: 3, contacts_feature: false });
    expect(after.body).toEqual({ ...before.body, seats: 3, contacts_feature: 'disabled' });
    expect((await world.control('POST', '/plan', {})).body).toEqual(after.body);
    expect((await world.control('POST', '/plan', { contacts_feature: true })).body.contacts_feature).toBe('enabled');
    const { body } = await world.call('GET', '/users/me', { as: 'trial' });
    const organization = body.resource.current_organization;
    const changes = { plan: 'enterprise', trial: false, trial_invitations: 9, scim: true };
    expect((await world.control('POST', '/plan', { organization, ...changes })).body).toMatchObject(changes);
    expect((await world.control('GET', `/plan?organization=${organization}`)).body).toMatchObject(changes);
    expect((await world.control('GET', '/plan')).body).toMatchObject({ plan: 'teams', trial: false, scim: false });
  });

  it('switch roles; member is another word for user', async () => {
    await using world = await openTestSandbox({ contacts: 1, bookings: 1 });
    const user = world.handles.users.admin;
    const list = () =>
      world.call('GET', '/organization_memberships', {
        as: 'admin',
        query: { organization: world.handles.organization },
      });
    for (const [role, shown, status] of [
      ['member', 'user', 403],
      ['owner', 'owner', 200],
      ['user', 'user', 403],
      ['admin', 'admin', 200],
    ] as const) {
      expect((await world.control('POST', '/roles', { user, role })).body).toEqual({
        user,
        role: shown,
        organization: world.handles.organization,
      });
      expect(await list()).toMatchObject({ status });
    }
  });
});
