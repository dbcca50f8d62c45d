// Invitations of people to an organization.
import type { z } from 'zod';
import { invitationRequest, organizationInvitation, type OrganizationInvitation } from '#schemas/invitation.ts';
import { invitationListQuery } from '#schemas/list-query.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, callForRecord, checked, type Found, type ListQuery } from '#src/upstream/request.ts';

export interface Inviting extends z.input<typeof invitationRequest> {
  readonly organization: string;
}

/** Not repeated after a failure that leaves its outcome open: nobody wants two invitations, and seats are counted. */
export function inviteToOrganization(
  client: Client,
  { organization, ...request }: Inviting,
  options?: CallOptions,
): Promise<Found<OrganizationInvitation>> {
  const path = `${organization}/invitations`;
  const body = checked(invitationRequest, request, 'POST /organizations/…/invitations');
  return callForRecord(client, { method: 'POST', path, body, reads: organizationInvitation }, options);
}

export type InvitationQuery = ListQuery<typeof invitationListQuery> & { readonly organization: string };

export function listInvitations(
  client: Client,
  { organization, ...query }: InvitationQuery,
  options?: PageOptions,
): AsyncGenerator<ApiPage<OrganizationInvitation>> {
  const path = `${organization}/invitations`;
  return callForList(client, { path, asks: invitationListQuery, query, reads: organizationInvitation }, options);
}

export function getInvitation(
  client: Client,
  uri: string,
  options?: CallOptions,
): Promise<Found<OrganizationInvitation>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: organizationInvitation }, options);
}
