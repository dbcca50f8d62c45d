// Organizations and who belongs to them: users, memberships, groups and invitations.
import { alreadyAccepted, endpointScopes, removalMessages } from '#schemas/errors.ts';
import { invitationRequest } from '#schemas/invitation.ts';
import { groupListQuery, invitationListQuery, membershipListQuery } from '#schemas/list-query.ts';
import { groupResource, type GroupResource } from '#schemas/resources/group.ts';
import { invitationResource } from '#schemas/resources/organization-invitation.ts';
import { organizationResource, type OrganizationResource } from '#schemas/resources/organization.ts';
import { membershipResource, userResource } from '#schemas/resources/user.ts';
import { denied, HttpError } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import { isSameAddress } from '#src/sandbox/world/contacts/contact-entry.ts';
import { demandAllotment, invite, isPaid, removeUser, revokeInvitation } from '#src/sandbox/world/organizations.ts';
import { found, type Organization, type StoredGroup } from '#src/sandbox/world/service.ts';
import {
  demandGroup,
  demandOrganization,
  demandUser,
  isAdministrator,
  noAccess,
  noPermission,
  requestedUsers,
  visible,
  type CallContext,
} from './permissions.ts';
import { create, get, list, remove, type ServiceContext } from './service-operation.ts';

const userReads = { scopes: ['users:read'], schema: userResource } as const;
const organizationReads = { scopes: ['organizations:read'] } as const;
const membershipReads = { ...organizationReads, schema: membershipResource } as const;

export const userOperations = [
  get('getCurrentUser', '/users/me', {
    ...userReads,
    summary: 'The user the token belongs to',
    run: ({ caller }) => caller.user,
  }),
  get('getUser', '/users/{uuid}', {
    ...userReads,
    summary: 'One user',
    run: (call) => demandUser(call, call.uri),
  }),
  list('listOrganizationMemberships', '/organization_memberships', {
    ...membershipReads,
    summary: 'Who belongs to an organization, or what a user belongs to',
    query: membershipListQuery,
    run(call) {
      const { query, pageIn } = call;
      const { state } = call.service;
      const users = requestedUsers(call, query);
      const page = state.memberships.page('created', pageIn(), (membership) => {
        if (!users.has(membership.user) || (query.role ?? membership.role) !== membership.role) return false;
        return query.email === undefined || state.users.get(membership.user)?.email === query.email;
      });
      return listing(page);
    },
  }),
  get('getOrganizationMembership', '/organization_memberships/{uuid}', {
    ...membershipReads,
    summary: 'One membership',
    run({ service: { state }, caller, uri }) {
      const membership = found(state.memberships.get(uri), 'membership');
      return visible(caller, membership, [membership.user]);
    },
  }),
];

const groupReads = { scopes: ['groups'], schema: groupResource } as const;

/** Administrators see all groups of their organization, members the ones they are in. */
export const groupOperations = [
  list('listGroups', '/groups', {
    ...groupReads,
    summary: 'The groups of an organization',
    query: groupListQuery,
    run(call) {
      const { organization } = call.query;
      demandOrganization(call, organization);
      if (!isAdministrator(call.caller)) throw denied(noAccess);
      const { groups } = call.service.state;
      return listing(
        groups.page('created', call.pageIn(), (group) => group.organization === organization),
        groupRecord,
      );
    },
  }),
  get('getGroup', '/groups/{uuid}', {
    ...groupReads,
    summary: 'One group',
    run: (call) => groupRecord(demandGroup(call, call.uri)),
  }),
];

/** Who is in it is not part of the record. */
const groupRecord = ({ members: _members, ...group }: StoredGroup): GroupResource => group;

const invitationReads = { ...organizationReads, schema: invitationResource } as const;

export const organizationOperations = [
  get('getOrganization', '/organizations/{uuid}', {
    ...organizationReads,
    summary: 'One organization',
    schema: organizationResource,
    run(call) {
      demandOrganization(call, call.uri);
      return organizationRecord(call.caller.organization);
    },
  }),
  create('inviteUser', '/organizations/{uuid}/invitations', {
    scopes: [endpointScopes['POST /organizations/<uuid>/invitations']],
    schema: invitationResource,
    summary: 'Invite a user to an organization',
    permits(context) {
      demandAdministrator(context, context.uri);
      demandAllotment(context.service.state, context.caller.organization);
    },
    body: invitationRequest,
    run: ({ service, caller, uri, body }) =>
      invite(service, { organization: uri, email: body.email, actor: caller.user.uri }),
  }),
  list('listInvitations', '/organizations/{uuid}/invitations', {
    ...invitationReads,
    summary: 'The invitations of an organization',
    permits: (context) => demandAdministrator(context, context.uri),
    query: invitationListQuery,
    run({ service: { state }, uri, query: { email, status }, pageIn }) {
      const page = state.invitations.page('created', pageIn(), (invitation) => {
        if (invitation.organization !== uri || (status ?? invitation.status) !== invitation.status) return false;
        return email === undefined || isSameAddress(invitation.email, email);
      });
      return listing(page);
    },
  }),
  get('getInvitation', '/organizations/{uuid}/invitations/{invitation_uuid}', {
    ...invitationReads,
    summary: 'One invitation',
    permits: demandAdministratorOfInvitation,
    run: ({ service, uri }) => found(service.state.invitations.get(uri), 'invitation'),
  }),
];

const removing = { scopes: ['organizations:write'] } as const;

/** Of the public service: who is invited, or belongs to the organization, does so no longer. */
export const removalOperations = [
  remove('revokeInvitation', '/organizations/{uuid}/invitations/{invitation_uuid}', {
    ...removing,
    summary: 'Withdraws an invitation; its seat is free again',
    permits: demandAdministratorOfInvitation,
    run({ service, caller, uri }) {
      const invitation = found(service.state.invitations.get(uri), 'invitation');
      if (caller.organization.scim) throw denied(removalMessages.scim);
      if (invitation.status === 'accepted') throw new HttpError(400, alreadyAccepted);
      revokeInvitation(service, invitation, caller.user.uri);
    },
  }),
  remove('deleteOrganizationMembership', '/organization_memberships/{uuid}', {
    ...removing,
    summary: 'Removes a user from an organization; meetings and event types stay',
    run(call) {
      const { service, caller, uri } = call;
      const membership = found(service.state.memberships.get(uri), 'membership');
      if (membership.organization !== caller.organization.uri) throw denied(removalMessages.elsewhere);
      if (!isAdministrator(caller)) throw denied(removalMessages.role);
      if (membership.role === 'owner') throw denied(removalMessages.owner);
      if (membership.user === caller.user.uri) throw denied(removalMessages.self);
      removeUser(service, membership.user, caller.user.uri);
    },
  }),
];

function demandAdministratorOfInvitation(context: ServiceContext): void {
  demandAdministrator(context, context.uri.slice(0, context.uri.lastIndexOf('/invitations/')));
}

function organizationRecord(organization: Organization): OrganizationResource {
  const { uri, name, plan, trial } = organization;
  const stage = trial ? 'trial' : isPaid(organization) ? 'paid' : 'free';
  return { uri, name, plan, stage, resource_type: 'Organization' };
}

function demandAdministrator({ service, caller }: CallContext, organization: string): void {
  found(service.state.organizations.get(organization), 'organization');
  if (caller.organization.uri !== organization || !isAdministrator(caller)) throw denied(noPermission);
}
