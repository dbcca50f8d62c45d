// Invitations to an organization (A24):
//
//   (none) ──invite──▶ pending ──accept──▶ accepted   (a user with a membership appears)
//                         └────decline──▶ declined   (the address may be invited again)
import { permissionMessages } from '#schemas/errors.ts';
import type { InvitationResource } from '#schemas/resources/organization-invitation.ts';
import { denied, invalid, notFound } from '#src/http/http-error.ts';
import { isSameAddress } from '#src/sandbox/world/contacts/contact-entry.ts';
import { addMember, userOfAddress } from './organizations.ts';
import type { Organization, State } from './state.ts';
import { newUri, type Service } from './service.ts';

const messages = permissionMessages['POST /organizations/<uuid>/invitations'];

/** How many seats and invitations an organization has used. */
export function seatsTaken(state: State, organization: string): { members: number; pending: number; sent: number } {
  const sent = state.invitations.of('organization', organization);
  return {
    members: state.memberships.of('organization', organization).length,
    pending: sent.filter(({ status }) => status === 'pending').length,
    sent: sent.length,
  };
}

/** Refuses when the account may not send another invitation. An invited address holds a seat until it declines. */
export function demandAllotment(state: State, organization: Organization): void {
  if (organization.scim) throw denied(messages.scim);
  const { members, pending, sent } = seatsTaken(state, organization.uri);
  if (organization.trial) {
    if (sent >= organization.trialInvitations) throw denied(messages.trial);
  } else if (members + pending >= organization.seats) throw denied(messages.seats);
}

export function invite(
  service: Service,
  { organization, email }: { organization: string; email: string },
): InvitationResource {
  const { state, clock } = service;
  const holder = userOfAddress(state, email);
  if (holder?.current_organization === organization)
    throw invalid({ message: 'The address already belongs to a member of the organization.', parameter: 'email' });
  if (state.invitations.of('organization', organization).some((other) => isPendingFor(other, email)))
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
  return invitation;
}

const isPendingFor = (invitation: InvitationResource, email: string): boolean =>
  invitation.status === 'pending' && isSameAddress(invitation.email, email);

export function acceptInvitation(service: Service, uri: string): InvitationResource {
  const invitation = demandPending(service.state, uri);
  if (userOfAddress(service.state, invitation.email) !== undefined)
    throw invalid({ message: 'The invited address already belongs to a user.', parameter: 'uri' });
  return answered(service, { ...invitation, status: 'accepted', user: addMember(service, invitation) });
}

export function declineInvitation(service: Service, uri: string): InvitationResource {
  return answered(service, { ...demandPending(service.state, uri), status: 'declined' });
}

function demandPending(state: State, uri: string): InvitationResource {
  const invitation = state.invitations.get(uri);
  if (invitation === undefined) throw notFound('No such invitation.', 'uri');
  if (invitation.status !== 'pending')
    throw invalid({ message: 'The invitation was answered before.', parameter: 'uri' });
  return invitation;
}

function answered({ state, clock }: Service, invitation: InvitationResource): InvitationResource {
  const answer = { ...invitation, updated_at: clock.tick() };
  state.invitations.put(answer);
  return answer;
}
