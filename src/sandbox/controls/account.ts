// Controls: what an account may do, and the roles of its people. Every permission message is a few of these levers away.
import { z } from 'zod';
import { membershipRoles } from '#schemas/resources/user.ts';
import { omittable, uri } from '#schemas/wire.ts';
import { seatsTaken } from '#src/sandbox/world/invitations.ts';
import { setRole } from '#src/sandbox/world/organizations.ts';
import { contactsFeatures, plans } from '#src/sandbox/world/state.ts';
import type { Account, Organization, State } from '#src/sandbox/world/state.ts';
import { demandOrganization } from './chosen-organization.ts';
import { defineControl } from './control.ts';

const allotment = z.int().min(0).max(1_000_000);
const whose = { organization: omittable(uri) };

/** What people call a plan, besides its name. */
const planWords = { paid: { plan: 'standard' }, trial: { plan: 'standard', trial: true } } as const;

const planRequest = z.strictObject({
  plan: omittable(
    z
      .enum([...plans, ...(Object.keys(planWords) as (keyof typeof planWords)[])])
      .transform((word): Partial<Account> => (word === 'paid' || word === 'trial' ? planWords[word] : { plan: word })),
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
  ...whose,
});

const roleRequest = z.strictObject({
  user: uri,
  // `member` is the handles' word for somebody with an ordinary role.
  role: z.enum([...membershipRoles, 'member']).transform((role) => (role === 'member' ? 'user' : role)),
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
  const { plan, trial_invitations: trialInvitations, contacts_feature: contactsFeature, ...same } = request;
  const changes = Object.entries({ ...same, trialInvitations, contactsFeature });
  return { ...plan, ...Object.fromEntries(changes.filter(([, value]) => value !== undefined)) };
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
