// Conformance: groups.
import { afterAll, beforeAll, expect } from 'vitest';
import { openTestSandbox, type TestSandbox } from '../harness/sandbox.ts';
import { answers } from './answers.ts';
import { rows } from './rows.ts';

let sandbox: TestSandbox;
beforeAll(async () => void (sandbox = await openTestSandbox()));
afterAll(() => sandbox[Symbol.asyncDispose]());

const refused = {
  status: 403,
  body: { title: 'Permission Denied', message: 'You do not have permission to access this resource.' },
};

rows({
  'Authentication 2 | groups is the scope for the groups interface': async () => {
    for (const path of ['/groups', sandbox.handles.group])
      await answers(sandbox.call('GET', path, { as: 'no_scopes' }), 403, {
        title: 'Insufficient scope',
        required_scopes: ['groups'],
      });
    const { owner: user } = sandbox.handles.users;
    const token = sandbox.tokens.personal('groups', { user, scopes: ['groups'] });
    await answers(sandbox.call('GET', sandbox.handles.group, { token }), 200);
  },
  'Conventions 1 | the group a subscription names can be requested by its URI': async () => {
    const { group, organization } = sandbox.handles;
    const { status, body } = await sandbox.call('GET', group);
    expect(status).toBe(200);
    expect(body.resource).toMatchObject({ uri: group, organization });
  },
  'Conventions 4 | the groups an administrator lists are 403 for an ordinary user': async () => {
    const query = { organization: sandbox.handles.organization };
    await answers(sandbox.call('GET', '/groups', { as: 'admin', query }), 200);
    expect(await sandbox.call('GET', '/groups', { as: 'member', query })).toMatchObject(refused);
    expect(await sandbox.call('GET', '/groups', { as: 'enterprise', query })).toMatchObject(refused);
  },
  'GET /groups | lists the groups of the organization that must be named | A28': async () => {
    const { group, organization } = sandbox.handles;
    const { body } = await sandbox.call('GET', '/groups', { query: { organization } });
    expect(body.collection.map(({ uri }: { uri: string }) => uri)).toContain(group);
    await answers(sandbox.call('GET', '/groups'), 400, { details: [{ parameter: 'organization' }] });
  },
  'GET /groups/<uuid> | is for administrators, and for members of the group | A28': async () => {
    const { group } = sandbox.handles;
    const members = sandbox.service.state.groups.get(group)?.members ?? [];
    const outsider = [...sandbox.service.state.memberships.values()].find(
      ({ user, role, organization }) =>
        role === 'user' && organization === sandbox.handles.organization && !members.includes(user),
    );
    const token = sandbox.tokens.personal('outsider', { user: outsider?.user ?? '', scopes: ['groups'] });
    await answers(sandbox.call('GET', group, { as: 'member' }), 200);
    expect(await sandbox.call('GET', group, { token })).toMatchObject(refused);
    expect(await sandbox.call('GET', group, { as: 'enterprise' })).toMatchObject(refused);
    await answers(sandbox.call('GET', '/groups/none'), 404);
  },
  'Resources | a group has a name, its organization and the number of its members | A28': async () => {
    const { body } = await sandbox.call('GET', sandbox.handles.group);
    const stored = sandbox.service.state.groups.get(sandbox.handles.group);
    expect(body.resource).toMatchObject({ name: stored?.name, member_count: stored?.members.length });
    expect(body.resource).not.toHaveProperty('members');
  },
});
