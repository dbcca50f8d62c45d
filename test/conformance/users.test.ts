// Conformance: users and memberships.
import { expect } from 'vitest';
import { answers, noAccess } from './answers.ts';
import { rows } from './rows.ts';
import { openForRows } from './target.ts';

const sandbox = openForRows();

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
      await answers(sandbox.call('GET', '/organization_memberships', { as: 'admin', query }), 200);
      await answers(sandbox.call('GET', '/organization_memberships', { as: 'member', query }), 403, noAccess);
    },
  'GET /users/<id> | a user of the organization, and 404 for one that is not there': async () => {
    const { users, base_url } = sandbox.handles;
    const { status, body } = await sandbox.call('GET', users.member, { as: 'member' });
    expect([status, body.resource.uri]).toEqual([200, users.member]);
    await answers(sandbox.call('GET', `${base_url}/users/nowhere`), 404);
    const stranger = [...sandbox.service.state.users.values()].find(
      ({ current_organization }) => current_organization !== sandbox.handles.organization,
    );
    await answers(sandbox.call('GET', stranger?.uri ?? ''), 403);
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
