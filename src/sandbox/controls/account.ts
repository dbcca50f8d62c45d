// Controls: what an account may do, and the roles of its people. Every permission message is a few of these levers away.
import { z } from 'zod';
import { membershipRoles } from '#schemas/resources/user.ts';
import { uri } from '#schemas/wire.ts';
import { seatsTaken } from '../world/invitations.ts';
import { setRole } from '../world/memberships.ts';
import { contactsFeatures, plans } from '../world/organization.ts';
import type { Account, Organization } from '../world/organization.ts';
import type { State } from '../world/state.ts';
import { demandOrganization } from './chosen-organization.ts';
import { defineControl } from './control.ts';

const allotment = z.int().min(0).max(1_000_000);
const whose = { organization: uri.optional() };

const planRequest = z.strictObject({
  plan: z.enum(plans).optional(),
  trial: z.boolean().optional(),
  seats: allotment.optional(),
  trial_invitations: allotment.optional(),
  scim: z.boolean().optional(),
  contacts_feature: z
    .union([z.boolean().transform((on) => (on ? 'enabled' : 'disabled')), z.enum(contactsFeatures)])
    .optional(),
  ...whose,
});

const roleRequest = z.strictObject({
  user: uri,
  // `member` is the handles' word for somebody with an ordinary role.
  role: z.union([z.enum(membershipRoles), z.literal('member').transform(() => 'user' as const)]),
});

export const accountControls = [
  defineControl({
    method: 'POST',
    path: '/plan',
    summary: 'Change what an account may do',
    body: planRequest,
    run({ service: { state } }, { organization, ...request }) {
      const changed = { ...demandOrganization(state, organization), ...changesOf(request) };
      state.organizations.set(changed.uri, changed);
      return accountRecord(state, changed);
    },
  }),
  defineControl({
    method: 'GET',
    path: '/plan',
    summary: 'What an account may do',
    body: z.strictObject(whose),
    run: ({ service: { state } }, { organization }) => accountRecord(state, demandOrganization(state, organization)),
  }),
  defineControl({
    method: 'POST',
    path: '/roles',
    summary: 'Change the role of a user',
    body: roleRequest,
    run({ service }, request) {
      const { user, role, organization } = setRole(service, request);
      return { user, role, organization };
    },
  }),
] as const;

function changesOf(request: Omit<z.output<typeof planRequest>, 'organization'>): Partial<Account> {
  const { trial_invitations: trialInvitations, contacts_feature: contactsFeature, ...same } = request;
  const changes = Object.entries({ ...same, trialInvitations, contactsFeature });
  return Object.fromEntries(changes.filter(([, value]) => value !== undefined));
}

function accountRecord(state: State, organization: Organization): object {
  const { uri, name, plan, trial, seats, trialInvitations, scim, contactsFeature } = organization;
  const { members, pending, sent } = seatsTaken(state, uri);
  return {
    organization: uri,
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
