// Groups of users. Administrators see all of their organization's, members the ones they are in.
import { groupListQuery } from '#schemas/list-query.ts';
import { groupResource } from '#schemas/resources/group.ts';
import type { GroupResource } from '#schemas/resources/group.ts';
import { denied, notFound } from '#src/http/http-error.ts';
import type { StoredGroup } from '#src/sandbox/world/state.ts';
import { listing } from '#src/http/pagination.ts';
import { demandOrganization, isAdministrator, noAccess } from './permissions.ts';
import { defineOperation } from './service-operation.ts';

export const groupOperations = [
  defineOperation({
    id: 'listGroups',
    method: 'GET',
    path: '/groups',
    summary: 'The groups of an organization',
    scopes: ['groups'],
    query: groupListQuery,
    answers: 'collection',
    schema: groupResource,
    run({ service: { state }, caller, query: { organization }, pageIn }) {
      demandOrganization(state, caller, organization);
      if (!isAdministrator(caller)) throw denied(noAccess);
      return listing(
        state.groups.page('created', pageIn(), (group) => group.organization === organization),
        shown,
      );
    },
  }),
  defineOperation({
    id: 'getGroup',
    method: 'GET',
    path: '/groups/{uuid}',
    summary: 'One group',
    scopes: ['groups'],
    answers: 'resource',
    schema: groupResource,
    run({ service: { state }, caller, uri }) {
      const group = state.groups.get(uri);
      if (group === undefined) throw notFound('No such group.');
      const isIn = group.members.includes(caller.user.uri);
      if (group.organization !== caller.organization.uri || !(isIn || isAdministrator(caller))) throw denied(noAccess);
      return shown(group);
    },
  }),
] as const;

/** Who is in it is not part of the record. */
function shown({ members: _members, ...group }: StoredGroup): GroupResource {
  return group;
}
