// Conformance: users and memberships.
import { expect } from 'vitest';
import { answers, isForAdministrators, strangerTo } from './answers.ts';
import { openForRows, rows } from './rows.ts';

const sandbox = openForRows();

rows({
  'GET /organization_memberships | accepts a `user` URI filter': async () => {
    const { organization, users } = sandbox.handles;
    const query = { organization, user: users.member };
    const { body } = await sandbox.call('GET', '/organization_memberships', { query });
    expect(body.collection).toMatchObject([{ role: 'user', organization, user: users.member }]);
  },
  'Conventions 4 | a caller with too low a role receives 403 for the request that succeeds for an administrator': () =>
    isForAdministrators(sandbox, ['/organization_memberships'], { organization: sandbox.handles.organization }),
  'GET /users/<id> | a user of the organization, and 404 for one that is not there': async () => {
    const { users, base_url } = sandbox.handles;
    await answers(sandbox.call('GET', users.member, { as: 'member' }), 200, { resource: { uri: users.member } });
    await answers(sandbox.call('GET', `${base_url}/users/nowhere`), 404);
    await answers(sandbox.call('GET', strangerTo(sandbox)), 403);
  },
  'Conventions 1 | the `user` of a membership is a URI, which answers the user': async () => {
    const { organization, users } = sandbox.handles;
    const { body } = await sandbox.call('GET', '/organization_memberships', { query: { organization } });
    for (const { uri, user } of body.collection) {
      await answers(sandbox.call('GET', user), 200, { resource: { uri: user } });
      expect((await sandbox.call('GET', uri)).body.resource.user).toBe(user);
    }
    expect(body.collection.map(({ user }: { user: string }) => user)).toContain(users.admin);
  },
  'GET /users/me | names the user of the token and its current organization | A14': async () => {
    const { users, organization } = sandbox.handles;
    const { body } = await sandbox.call('GET', '/users/me', { as: 'admin' });
    expect(body.resource).toMatchObject({ uri: users.admin, current_organization: organization });
    await answers(sandbox.call('GET', users.admin), 200, body);
  },
});
