// Controls of accounts and roles: what they change, and what they leave alone.
import { describe, expect, it } from 'vitest';
import { openForSuite } from '../../../harness/sandbox/suite.ts';
import { openTestSandbox } from '../../../harness/sandbox.ts';

const sandbox = openForSuite({ contacts: 1, bookings: 1 });

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
    const { organization, users } = sandbox.handles;
    for (const [role, shown] of [
      ['member', 'user'],
      ['owner', 'owner'],
      ['user', 'user'],
      ['admin', 'admin'],
    ]) {
      const { body } = await sandbox.control('POST', '/roles', { user: users.admin, role });
      expect(body).toEqual({ user: users.admin, role: shown, organization });
    }
  });
});
