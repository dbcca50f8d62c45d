// Users and their memberships in organizations.
import { membershipListQuery } from '#schemas/list-query.ts';
import { organizationMembership, user, type OrganizationMembership, type User } from '#schemas/user.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, callForRecord, type FetchedRecord, type ListQuery } from '#src/upstream/request.ts';

/** The user the token belongs to. */
export function getCurrentUser(client: Client, options?: CallOptions): Promise<FetchedRecord<User>> {
  return callForRecord(client, { method: 'GET', path: '/users/me', reads: user }, options);
}

export function getUser(client: Client, uri: string, options?: CallOptions): Promise<FetchedRecord<User>> {
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
