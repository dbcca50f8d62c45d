// Conformance: groups.
import { expect } from 'vitest';
import { answers, asksFor, invalid, isForAdministrators, noAccess, outsiderOf, tokenWith, urisOf } from './answers.ts';
import { openForRows, rows } from './rows.ts';

const sandbox = openForRows();

rows({
  'Authentication 2 | groups is the scope for the groups interface': async () => {
    const { group } = sandbox.handles;
    await asksFor(sandbox, 'groups', ['/groups', group]);
    await answers(sandbox.call('GET', group, { token: tokenWith(sandbox, ['groups']) }), 200);
  },
  'Conventions 1 | the group a subscription names can be requested by its URI': () => {
    const { group, organization } = sandbox.handles;
    return answers(sandbox.call('GET', group), 200, { resource: { uri: group, organization } });
  },
  'Conventions 4 | the groups an administrator lists are 403 for an ordinary user': () =>
    isForAdministrators(sandbox, ['/groups'], { organization: sandbox.handles.organization }),
  'GET /groups | lists the groups of the organization that must be named | A28': async () => {
    const { group, organization } = sandbox.handles;
    expect(urisOf(await sandbox.call('GET', '/groups', { query: { organization } }))).toContain(group);
    await answers(sandbox.call('GET', '/groups'), 400, invalid('organization'));
  },
  'GET /groups/<uuid> | is for administrators, and for members of the group | A28': async () => {
    const { group } = sandbox.handles;
    await answers(sandbox.call('GET', group, { as: 'member' }), 200);
    const token = tokenWith(sandbox, ['groups'], outsiderOf(sandbox));
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
