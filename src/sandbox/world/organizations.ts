// Organizations as the sandbox stores them: what the account may do, who belongs to it in which role, users, and invitations (A24):
//
//   (none) ──invite──▶ pending ──accept──▶ accepted   (a user with a membership appears)
//                         └────decline──▶ declined   (the address may be invited again)
import { isDeepStrictEqual } from 'node:util';
import { permissionMessages } from '#schemas/errors.ts';
import type { InvitationResource } from '#schemas/resources/organization-invitation.ts';
import type { MembershipResource, MembershipRole, UserResource } from '#schemas/resources/user.ts';
import { denied, invalid } from '#src/http/http-error.ts';
import { isSameAddress } from '#src/sandbox/world/contacts/contact-entry.ts';
import { logActivity } from './activity-log.ts';
import { found, given, newUri, type Organization, type Service, type State } from './service.ts';

export const isPaid = ({ plan }: Organization): boolean => plan !== 'free';

/** The main organization is seeded first. */
export function mainOrganization(organizations: ReadonlyMap<string, Organization>): Organization {
  const [main] = organizations.values();
  if (main === undefined) throw new Error('The world has no organization.');
  return main;
}

export function userOfAddress(state: State, email: string): UserResource | undefined {
  return state.users.values().find((user) => isSameAddress(user.email, email));
}

export interface NewMember extends Pick<UserResource, 'uri' | 'name' | 'slug' | 'email' | 'timezone'> {
  readonly membership: string;
  readonly organization: string;
  readonly role: MembershipRole;
  readonly joined: string;
}

export function enrol(service: Pick<Service, 'state' | 'options'>, member: NewMember): UserResource {
  const { state, options } = service;
  const { membership, organization, role, joined, ...person } = member;
  const times = { created_at: joined, updated_at: joined };
  const user: UserResource = {
    ...person,
    scheduling_url: `${options.baseUrl}/pages/${person.slug}`,
    avatar_url: null,
    locale: 'en',
    ...times,
    current_organization: organization,
    resource_type: 'User',
  };
  state.users.put(user);
  state.memberships.put({ uri: membership, user: user.uri, organization, role, ...times });
  logUser(service, 'Add', { at: joined, organization, email: user.email });
  return user;
}

interface UserActivity {
  readonly at: string;
  readonly organization: string;
  readonly email: string;
  readonly actor?: string | undefined;
}

function logUser(
  service: Pick<Service, 'state' | 'options'>,
  action: 'Add' | 'Invite' | 'RevokeInvitation' | 'ChangeRole' | 'Remove',
  { email, ...activity }: UserActivity,
): void {
  logActivity(service, { namespace: 'User', action, ...activity, details: { email } });
}

export function setRole(service: Service, { user, role }: { user: string; role: MembershipRole }): MembershipResource {
  const { state, clock } = service;
  const membership = found(state.memberships.of('user', user)[0], 'user', 'user');
  const changed = { ...membership, role, updated_at: clock.tick() };
  state.memberships.put(changed);
  const { organization, updated_at: at } = changed;
  logUser(service, 'ChangeRole', { at, organization, email: state.users.get(user)?.email ?? '' });
  return changed;
}

const messages = permissionMessages['POST /organizations/<uuid>/invitations'];

export function seatsTaken(state: State, organization: string): { members: number; pending: number; sent: number } {
  const sent = state.invitations.of('organization', organization);
  return {
    members: state.memberships.count('organization', organization),
    pending: sent.filter(({ status }) => status === 'pending').length,
    sent: sent.length,
  };
}

/** Refuses when the account may not send another invitation. An invited address holds a seat until it declines. */
export function demandAllotment(state: State, organization: Organization): void {
  if (organization.scim) throw denied(messages.scim);
  const { members, pending, sent } = seatsTaken(state, organization.uri);
  if (organization.trial) {
    if (sent >= organization.trial_invitations) throw denied(messages.trial);
  } else if (members + pending >= organization.seats) throw denied(messages.seats);
}

export function invite(
  service: Service,
  { organization, email, actor }: { organization: string; email: string; actor?: string },
): InvitationResource {
  const { state, clock } = service;
  if (userOfAddress(state, email)?.current_organization === organization)
    throw invalid({ message: 'The address already belongs to a member of the organization.', parameter: 'email' });
  const isPending = (other: InvitationResource): boolean =>
    other.status === 'pending' && isSameAddress(other.email, email);
  if (state.invitations.of('organization', organization).some(isPending))
    throw invalid({ message: 'An invitation to this address is already pending.', parameter: 'email' });
  const now = clock.tick();
  const invitation: InvitationResource = {
    uri: newUri(service, `${organization.slice(service.options.baseUrl.length + 1)}/invitations`),
    organization,
    email,
    status: 'pending',
    created_at: now,
    updated_at: now,
    last_sent_at: now,
  };
  state.invitations.put(invitation);
  logUser(service, 'Invite', { at: now, organization, email, actor });
  return invitation;
}

/** Its seat is free again. */
export function revokeInvitation(
  service: Service,
  { uri, organization, email }: InvitationResource,
  actor: string,
): void {
  service.state.invitations.delete(uri);
  logUser(service, 'RevokeInvitation', { at: service.clock.tick(), organization, email, actor });
}

export function acceptInvitation(service: Service, uri: string): InvitationResource {
  const invitation = demandPending(service.state, uri);
  if (userOfAddress(service.state, invitation.email) !== undefined)
    throw invalid({ message: 'The invited address already belongs to a user.', parameter: 'uri' });
  return answered(service, { ...invitation, status: 'accepted', user: addUser(service, invitation).user });
}

export function declineInvitation(service: Service, uri: string): InvitationResource {
  return answered(service, { ...demandPending(service.state, uri), status: 'declined' });
}

function demandPending(state: State, uri: string): InvitationResource {
  const invitation = found(state.invitations.get(uri), 'invitation', 'uri');
  if (invitation.status !== 'pending')
    throw invalid({ message: 'The invitation was answered before.', parameter: 'uri' });
  return invitation;
}

function answered({ state, clock }: Service, invitation: InvitationResource): InvitationResource {
  const answer = { ...invitation, updated_at: clock.tick() };
  state.invitations.put(answer);
  return answer;
}

export interface NewUser {
  readonly organization: string;
  readonly email: string;
  readonly name?: string | undefined;
  readonly timezone?: string | undefined;
  readonly role?: MembershipRole | undefined;
}

/** Without a name the user is named after the address: `ada.lovelace+work` is Ada Lovelace. */
export function addUser(service: Service, { organization, email, name, timezone, role }: NewUser): MembershipResource {
  demandFreeAddress(service.state, email);
  const mailbox = email.slice(0, email.lastIndexOf('@'));
  const words = mailbox.replace(/\+.*$/, '').split(/[._-]+/);
  const uri = newUri(service, 'users');
  const membership = newUri(service, 'organization_memberships');
  enrol(service, {
    uri,
    membership,
    organization,
    role: role ?? 'user',
    joined: service.clock.tick(),
    name: name ?? words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(' '),
    slug: `${mailbox.toLowerCase().replaceAll(/[^a-z\d]+/g, '-')}-${uri.slice(-6)}`,
    email,
    timezone: timezone ?? 'UTC',
  });
  return found(service.state.memberships.get(membership), 'membership');
}

function demandFreeAddress(state: State, email: string, own?: string): void {
  const other = userOfAddress(state, email);
  if (other !== undefined && other.uri !== own)
    throw invalid({ message: 'Another user has this address.', parameter: 'email' });
}

export type UserChange = { readonly [Field in 'name' | 'email' | 'timezone']?: string | undefined };

/** The membership changes with it: in the public form its record holds the user. */
export function updateUser({ state, clock }: Service, user: UserResource, change: UserChange): UserResource {
  const changed = { ...user, ...given(change) };
  demandFreeAddress(state, changed.email, user.uri);
  if (isDeepStrictEqual(changed, user)) return user;
  const updated = { ...changed, updated_at: clock.tick() };
  state.users.put(updated);
  for (const membership of state.memberships.of('user', user.uri))
    state.memberships.put({ ...membership, updated_at: updated.updated_at });
  return updated;
}

/** The user's meetings and event types remain. */
export function removeUser(service: Service, uri: string, actor?: string): MembershipResource {
  const { state, clock } = service;
  const membership = found(state.memberships.of('user', uri)[0], 'user', 'uri');
  if (membership.role === 'owner') throw invalid({ message: 'The owner cannot be removed.', parameter: 'uri' });
  state.memberships.delete(membership.uri);
  for (const group of state.groups.values()) {
    const members = group.members.filter((member) => member !== uri);
    if (members.length < group.members.length) state.groups.put({ ...group, members, member_count: members.length });
  }
  const { email = '' } = state.users.get(uri) ?? {};
  logUser(service, 'Remove', { at: clock.tick(), organization: membership.organization, email, actor });
  return membership;
}
