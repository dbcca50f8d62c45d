// The control of accounts: what it changes, and what it leaves alone. That of roles is in test/conformance/permissions.test.ts.
import { expect, it } from 'vitest';
import { openForSuite } from '../../../harness/sandbox.ts';

const sandbox = openForSuite({ contacts: 1, bookings: 1 });

const plan = async (body: object) => (await sandbox.control('POST', '/plan', body)).body;

it('the plan of the organization that is named changes in what is named, by the words people use', async () => {
  const { body: before } = await sandbox.control('GET', '/plan');
  expect(before).toMatchObject({ organization: sandbox.handles.organization, plan: 'teams' });
  const after = await plan({ seats: 3, contacts_feature: false });
  expect(after).toEqual({ ...before, seats: 3, contacts_feature: 'disabled' });
  expect(await plan({})).toEqual(after);
  expect((await plan({ contacts_feature: true })).contacts_feature).toBe('enabled');
  const organization = (await sandbox.call('GET', '/users/me', { as: 'trial' })).body.resource.current_organization;
  const changes = { plan: 'enterprise', trial: false, trial_invitations: 9, scim: true };
  expect(await plan({ organization, ...changes })).toMatchObject(changes);
  expect((await sandbox.control('GET', `/plan?organization=${organization}`)).body).toMatchObject(changes);
  expect((await sandbox.control('GET', '/plan')).body).toMatchObject({ plan: 'teams', trial: false, scim: false });
  expect(await plan({ plan: 'paid' })).toMatchObject({ plan: 'standard', trial: false });
  expect(await plan({ plan: 'trial' })).toMatchObject({ plan: 'standard', trial: true });
  expect(await plan({ plan: 'free', trial: false })).toMatchObject({ plan: 'free', trial: false });
  expect(await plan({ plan: null, seats: null })).toMatchObject({ plan: 'free' });
});
