// Users and their places in an organization.
import { membershipResource, userResource } from '#schemas/resources/user.ts';
import { membershipListQuery } from '#schemas/list-query.ts';
import { denied, notFound } from '#src/http/http-error.ts';
import { membershipRecord } from '#src/sandbox/world/state.ts';
import { listing } from '#src/http/pagination.ts';
import { isAdministrator, noAccess, requestedUsers } from './permissions.ts';
import { defineOperation } from './service-operation.ts';

export const userOperations = [
  defineOperation({
    id: 'getCurrentUser',
    method: 'GET',
    path: '/users/me',
    summary: 'The user the token belongs to',
    scopes: [],
    answers: 'resource',
    schema: userResource,
    run: ({ caller }) => caller.user,
  }),
  defineOperation({
    id: 'getUser',
    method: 'GET',
    path: '/users/{uuid}',
    summary: 'One user',
    scopes: [],
    answers: 'resource',
    schema: userResource,
    run({ service, caller, uri }) {
      const user = service.state.users.get(uri);
      if (user === undefined) throw notFound('No such user.');
      if (user.current_organization !== caller.organization.uri) throw denied(noAccess);
      return user;
    },
  }),
  defineOperation({
    id: 'listOrganizationMemberships',
    method: 'GET',
    path: '/organization_memberships',
    summary: 'Who belongs to an organization, or what a user belongs to',
    scopes: [],
    query: membershipListQuery,
    answers: 'collection',
    schema: membershipResource,
    run({ service: { state }, caller, query, pageIn }) {
      const users = requestedUsers(state, caller, query);
      const page = state.memberships.page('created', pageIn(), (membership) => {
        if (!users.has(membership.user)) return false;
        if (query.role !== undefined && membership.role !== query.role) return false;
        return query.email === undefined || state.users.get(membership.user)?.email === query.email;
      });
      return listing(page, (membership) => membershipRecord(state, membership));
    },
  }),
  defineOperation({
    id: 'getOrganizationMembership',
    method: 'GET',
    path: '/organization_memberships/{uuid}',
    summary: 'One membership',
    scopes: [],
    answers: 'resource',
    schema: membershipResource,
    run({ service: { state }, caller, uri }) {
      const membership = state.memberships.get(uri);
      if (membership === undefined) throw notFound('No such membership.');
      const isOwn = membership.user === caller.user.uri;
      if (membership.organization !== caller.organization.uri || !(isOwn || isAdministrator(caller)))
        throw denied(noAccess);
      return membershipRecord(state, membership);
    },
  }),
] as const;
