// Conformance: users and memberships.
import { afterAll, beforeAll, expect } from 'vitest';
import { openTestSandbox } from '../harness/sandbox.ts';
import type { TestSandbox } from '../harness/sandbox.ts';
import { rows } from './rows.ts';

let sandbox: TestSandbox;
beforeAll(async () => void (sandbox = await openTestSandbox()));
afterAll(() => sandbox[Symbol.asyncDispose]());

rows({
  'GET /organization_memberships | accepts a `user` URI filter': async () => {
    const { organization, users } = sandbox.handles;
    const { status, body } = await sandbox.call('GET', '/organization_memberships', {
      query: { organization, user: users.member },
    });
    expect(status).toBe(200);
    expect(body.collection).toHaveLength(1);
    expect(body.collection[0]).toMatchObject({ role: 'user', organization, user: users.member });
  },
  'Conventions 4 | a caller with too low a role receives 403 for the request that succeeds for an administrator':
    async () => {
      const query = { organization: sandbox.handles.organization };
      expect(await sandbox.call('GET', '/organization_memberships', { as: 'admin', query })).toMatchObject({
        status: 200,
      });
      expect(await sandbox.call('GET', '/organization_memberships', { as: 'member', query })).toMatchObject({
        status: 403,
        body: { title: 'Permission Denied', message: 'You do not have permission to access this resource.' },
      });
    },
  'GET /users/<id> | a user of the organization, and 404 for one that is not there': async () => {
    const { users, base_url } = sandbox.handles;
    const { status, body } = await sandbox.call('GET', users.member, { as: 'member' });
    expect([status, body.resource.uri]).toEqual([200, users.member]);
    expect(await sandbox.call('GET', `${base_url}/users/nowhere`)).toMatchObject({ status: 404 });
    const stranger = [...sandbox.service.state.users.values()].find(
      ({ current_organization }) => current_organization !== sandbox.handles.organization,
    );
    expect(await sandbox.call('GET', stranger?.uri ?? '')).toMatchObject({ status: 403 });
  },
  'Conventions 1 | the `user` of a membership is a URI, which answers the user': async () => {
    const { organization, users } = sandbox.handles;
    const { body } = await sandbox.call('GET', '/organization_memberships', { query: { organization } });
    for (const { uri, user } of body.collection) {
      expect(await sandbox.call('GET', user)).toMatchObject({ status: 200, body: { resource: { uri: user } } });
      expect((await sandbox.call('GET', uri)).body.resource.user).toBe(user);
    }
    expect(body.collection.map(({ user }: { user: string }) => user)).toContain(users.admin);
  },
  'GET /users/me | names the user of the token and its current organization | A14': async () => {
    const { users, organization } = sandbox.handles;
    const { body } = await sandbox.call('GET', '/users/me', { as: 'admin' });
    expect(body.resource).toMatchObject({ uri: users.admin, current_organization: organization });
    expect(await sandbox.call('GET', users.admin)).toMatchObject({ status: 200, body });
  },
});
