// Users, memberships and groups: who there is, and who the token speaks for.
import { groupListQuery, membershipListQuery } from '#schemas/list-query.ts';
import { group, organizationMembership, user } from '#schemas/user.ts';
import type { Group, OrganizationMembership, User } from '#schemas/user.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, callForRecord, type Found, type ListQuery } from '#src/upstream/request.ts';

/** The user the token belongs to. */
export function getCurrentUser(client: Client, options?: CallOptions): Promise<Found<User>> {
  return callForRecord(client, { method: 'GET', path: '/users/me', reads: user }, options);
}

export function getUser(client: Client, uri: string, options?: CallOptions): Promise<Found<User>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: user }, options);
}

export function listOrganizationMemberships(
  client: Client,
  query: ListQuery<typeof membershipListQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<OrganizationMembership>> {
  const path = '/organization_memberships';
  return callForList(client, { path, asks: membershipListQuery, query, reads: organizationMembership }, options);
}

export function getOrganizationMembership(
  client: Client,
  uri: string,
  options?: CallOptions,
): Promise<Found<OrganizationMembership>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: organizationMembership }, options);
}

export function listGroups(
  client: Client,
  query: ListQuery<typeof groupListQuery>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<Group>> {
  return callForList(client, { path: '/groups', asks: groupListQuery, query, reads: group }, options);
}

export function getGroup(client: Client, uri: string, options?: CallOptions): Promise<Found<Group>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: group }, options);
}
