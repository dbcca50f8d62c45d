// Organizations and the invitations to join them.
import { invitationRequest } from '#schemas/invitation.ts';
import { invitationListQuery } from '#schemas/list-query.ts';
import { invitationResource } from '#schemas/resources/organization-invitation.ts';
import { organizationResource, type OrganizationResource } from '#schemas/resources/organization.ts';
import { denied, notFound } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import { isSameAddress } from '#src/sandbox/world/contacts/contact-entry.ts';
import { demandAllotment, invite } from '#src/sandbox/world/invitations.ts';
import { isPaid } from '#src/sandbox/world/organizations.ts';
import { type Organization } from '#src/sandbox/world/state.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { demandOrganization, isAdministrator, noPermission } from './permissions.ts';
import { defineOperation, type Caller } from './service-operation.ts';

export const organizationOperations = [
  defineOperation({
    id: 'getOrganization',
    method: 'GET',
    path: '/organizations/{uuid}',
    summary: 'One organization',
    scopes: [],
    answers: 'resource',
    schema: organizationResource,
    run({ service, caller, uri }) {
      demandOrganization(service.state, caller, uri);
      return shown(caller.organization);
    },
  }),
] as const;

function shown(organization: Organization): OrganizationResource {
  const { uri, name, plan, trial } = organization;
  const stage = trial ? 'trial' : isPaid(organization) ? 'paid' : 'free';
  return { uri, name, plan, stage, resource_type: 'Organization' };
}

export const invitationOperations = [
  defineOperation({
    id: 'inviteUser',
    method: 'POST',
    path: '/organizations/{uuid}/invitations',
    summary: 'Invite a user to an organization',
    scopes: ['organizations:write'],
    permits({ service, caller, uri }) {
      demandAdministrator(service, caller, uri);
      demandAllotment(service.state, caller.organization);
    },
    body: invitationRequest,
    answers: 'resource',
    status: 201,
    schema: invitationResource,
    run: ({ service, uri, body }) => invite(service, { organization: uri, email: body.email }),
  }),
  defineOperation({
    id: 'listInvitations',
    method: 'GET',
    path: '/organizations/{uuid}/invitations',
    summary: 'The invitations of an organization',
    scopes: ['organizations:write'],
    permits: ({ service, caller, uri }) => demandAdministrator(service, caller, uri),
    query: invitationListQuery,
    answers: 'collection',
    schema: invitationResource,
    run({ service: { state }, uri, query: { email, status }, pageIn }) {
      const page = state.invitations.page('created', pageIn(), (invitation) => {
        if (invitation.organization !== uri) return false;
        if (status !== undefined && invitation.status !== status) return false;
        return email === undefined || isSameAddress(invitation.email, email);
      });
      return listing(page, (invitation) => invitation);
    },
  }),
  defineOperation({
    id: 'getInvitation',
    method: 'GET',
    path: '/organizations/{uuid}/invitations/{invitation_uuid}',
    summary: 'One invitation',
    scopes: ['organizations:write'],
    permits: ({ service, caller, uri }) => demandAdministrator(service, caller, organizationOf(uri)),
    answers: 'resource',
    schema: invitationResource,
    run({ service, uri }) {
      const invitation = service.state.invitations.get(uri);
      if (invitation === undefined) throw notFound('No such invitation.');
      return invitation;
    },
  }),
] as const;

const organizationOf = (invitation: string): string => invitation.slice(0, invitation.lastIndexOf('/invitations/'));

function demandAdministrator({ state }: Service, caller: Caller, organization: string): void {
  if (!state.organizations.has(organization)) throw notFound('No such organization.');
  if (caller.organization.uri !== organization || !isAdministrator(caller)) throw denied(noPermission);
}
