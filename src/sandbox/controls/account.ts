// Controls of an account: its plan, the roles of its users, and its invitations.
import { z } from 'zod';
import { membershipRoles } from '#schemas/resources/user.ts';
import { omittable, uri } from '#schemas/wire.ts';
import { notFound } from '#src/http/http-error.ts';
import { acceptInvitation, declineInvitation, seatsTaken } from '#src/sandbox/world/invitations.ts';
import { setRole, mainOrganization } from '#src/sandbox/world/organizations.ts';
import { contactsFeatures, plans, type Account, type Organization, type State } from '#src/sandbox/world/state.ts';
import { defineControl } from './control.ts';

const allotment = z.int().min(0).max(1_000_000);
const whichOrganization = { organization: omittable(uri) };

const planRequest = z.strictObject({
  plan: omittable(
    z
      // `paid` and `trial` are what people call a plan besides its name.
      .enum([...plans, 'paid', 'trial'])
      .transform((word): Partial<Account> => {
        if (word === 'paid') return { plan: 'standard' };
        return word === 'trial' ? { plan: 'standard', trial: true } : { plan: word };
      }),
  ),
  trial: omittable(z.boolean()),
  seats: omittable(allotment),
  trial_invitations: omittable(allotment),
  scim: omittable(z.boolean()),
  contacts_feature: omittable(
    z.union(
      [z.boolean().transform((on) => (on ? 'enabled' : 'disabled')), z.enum(contactsFeatures)],
      `expected true, false, ${contactsFeatures.join(', ')}`,
    ),
  ),
  ...whichOrganization,
});

const roleRequest = z.strictObject({
  user: uri,
  // The handles call a user with the ordinary role a `member`.
  role: z.enum([...membershipRoles, 'member']).transform((role) => (role === 'member' ? 'user' : role)),
});

export const accountControls = [
  defineControl({
    id: 'postPlan',
    method: 'POST',
    path: '/plan',
    summary: 'Change what an account may do',
    body: planRequest,
    answers: 'object',
    run({ service: { state }, body: { organization, ...request } }) {
      const changed = { ...organizationOrMain(state, organization), ...changesOf(request) };
      state.organizations.set(changed.uri, changed);
      return accountRecord(state, changed);
    },
  }),
  defineControl({
    id: 'getPlan',
    method: 'GET',
    path: '/plan',
    summary: 'What an account may do',
    query: z.strictObject(whichOrganization),
    answers: 'object',
    run: ({ service: { state }, query }) => accountRecord(state, organizationOrMain(state, query.organization)),
  }),
  defineControl({
    id: 'postRoles',
    method: 'POST',
    path: '/roles',
    summary: 'Change the role of a user',
    body: roleRequest,
    answers: 'object',
    run({ service, body }) {
      const { user, role, organization } = setRole(service, body);
      return { user, role, organization };
    },
  }),
  defineControl({
    id: 'postInvitationsAccept',
    method: 'POST',
    path: '/invitations/accept',
    summary: 'The invited person joins the organization',
    body: z.strictObject({ uri }),
    answers: 'resource',
    run: ({ service, body }) => acceptInvitation(service, body.uri),
  }),
  defineControl({
    id: 'postInvitationsDecline',
    method: 'POST',
    path: '/invitations/decline',
    summary: 'The invited person declines',
    body: z.strictObject({ uri }),
    answers: 'resource',
    run: ({ service, body }) => declineInvitation(service, body.uri),
  }),
] as const;

export function organizationOrMain({ organizations }: State, uri: string | undefined): Organization {
  const organization = uri === undefined ? mainOrganization(organizations) : organizations.get(uri);
  if (organization === undefined) throw notFound('No such organization.', 'organization');
  return organization;
}

function changesOf(request: Omit<z.output<typeof planRequest>, 'organization'>): Partial<Account> {
  const { plan, trial_invitations: trialInvitations, contacts_feature: contactsFeature, ...same } = request;
  const changes = Object.entries({ ...same, trialInvitations, contactsFeature });
  return { ...plan, ...Object.fromEntries(changes.filter(([, value]) => value !== undefined)) };
}

function accountRecord(state: State, organization: Organization): object {
  const { name, plan, trial, seats, trialInvitations, scim, contactsFeature } = organization;
  const { members, pending, sent } = seatsTaken(state, organization.uri);
  return {
    organization: organization.uri,
    name,
    plan,
    trial,
    seats,
    trial_invitations: trialInvitations,
    scim,
    contacts_feature: contactsFeature,
    members,
    pending_invitations: pending,
    sent_invitations: sent,
  };
}
