// Conformance: groups.
import { expect } from 'vitest';
import { answers, invalid, lacking, noAccess, tokenWith, urisOf } from './answers.ts';
import { rows } from './rows.ts';
import { openForRows } from './target.ts';

const sandbox = openForRows();

rows({
  'Authentication 2 | groups is the scope for the groups interface': async () => {
    const { group } = sandbox.handles;
    for (const path of ['/groups', group])
      await answers(sandbox.call('GET', path, { as: 'no_scopes' }), 403, lacking('groups'));
    await answers(sandbox.call('GET', group, { token: tokenWith(sandbox, ['groups']) }), 200);
  },
  'Conventions 1 | the group a subscription names can be requested by its URI': () => {
    const { group, organization } = sandbox.handles;
    return answers(sandbox.call('GET', group), 200, { resource: { uri: group, organization } });
  },
  'Conventions 4 | the groups an administrator lists are 403 for an ordinary user': async () => {
    const query = { organization: sandbox.handles.organization };
    await answers(sandbox.call('GET', '/groups', { as: 'admin', query }), 200);
    for (const as of ['member', 'enterprise'] as const)
      await answers(sandbox.call('GET', '/groups', { as, query }), 403, noAccess);
  },
  'GET /groups | lists the groups of the organization that must be named | A28': async () => {
    const { group, organization } = sandbox.handles;
    expect(urisOf(await sandbox.call('GET', '/groups', { query: { organization } }))).toContain(group);
    await answers(sandbox.call('GET', '/groups'), 400, invalid('organization'));
  },
  'GET /groups/<uuid> | is for administrators, and for members of the group | A28': async () => {
    const { group, organization } = sandbox.handles;
    const { groups, memberships } = sandbox.service.state;
    const outsider = memberships
      .of('organization', organization)
      .find(({ user, role }) => role === 'user' && groups.get(group)?.members.includes(user) === false);
    await answers(sandbox.call('GET', group, { as: 'member' }), 200);
    const token = tokenWith(sandbox, ['groups'], outsider?.user ?? '');
    for (const who of [{ token }, { as: 'enterprise' }] as const)
      await answers(sandbox.call('GET', group, who), 403, noAccess);
    await answers(sandbox.call('GET', '/groups/none'), 404);
  },
  'Resources | a group has a name, its organization and the number of its members | A28': async () => {
    const { body } = await sandbox.call('GET', sandbox.handles.group);
    const stored = sandbox.service.state.groups.get(sandbox.handles.group);
    expect(body.resource).toMatchObject({ name: stored?.name, member_count: stored?.members.length });
    expect(body.resource).not.toHaveProperty('members');
  },
});
