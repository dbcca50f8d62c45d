// Controls of the service's form and of an account: its plan, the roles of its users, and its invitations.
import { z } from 'zod';
import { membershipRoles } from '#schemas/resources/user.ts';
import { omittable, uri } from '#schemas/wire.ts';
import {
  acceptInvitation,
  declineInvitation,
  seatsTaken,
  mainOrganization,
  setRole,
} from '#src/sandbox/world/organizations.ts';
import {
  found,
  given,
  contactsFeatures,
  forms,
  plans,
  type Account,
  type Organization,
  type ServiceOptions,
  type State,
} from '#src/sandbox/world/service.ts';
import { control } from './control.ts';

const allotment = z.int().min(0).max(1_000_000);
const whichOrganization = { organization: omittable(uri) };

/** `paid` and `trial` are what people call a plan besides its name. */
const plan = z.enum([...plans, 'paid', 'trial']).transform((name): Partial<Account> => {
  if (name === 'trial') return { plan: 'standard', trial: true };
  return { plan: name === 'paid' ? 'standard' : name };
});

const planRequest = z.strictObject({
  plan: omittable(plan),
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

const formRecord = ({ as }: ServiceOptions): object => ({ as });

export const formControls = [
  control('PATCH', '/form', {
    summary: 'Changes how the service answers and sends: as the `specification` says, or as the `public` service does',
    body: z.strictObject({ as: z.enum(forms) }),
    answers: 'object',
    run({ service: { options }, body }) {
      options.as = body.as;
      return formRecord(options);
    },
  }),
  control('GET', '/form', {
    summary: 'How the service answers and sends',
    answers: 'object',
    run: ({ service }) => formRecord(service.options),
  }),
];

export const accountControls = [
  control('POST', '/plan', {
    summary: 'Change what an account may do',
    body: planRequest,
    answers: 'object',
    run({ service: { state }, body }) {
      const { organization, plan: changes, ...settings } = body;
      const changed = { ...organizationOrMain(state, organization), ...changes, ...given(settings) };
      state.organizations.set(changed.uri, changed);
      return accountRecord(state, changed);
    },
  }),
  control('GET', '/plan', {
    summary: 'What an account may do',
    query: z.strictObject(whichOrganization),
    answers: 'object',
    run: ({ service: { state }, query }) => accountRecord(state, organizationOrMain(state, query.organization)),
  }),
  control('POST', '/roles', {
    summary: 'Change the role of a user',
    body: roleRequest,
    answers: 'object',
    run({ service, body }) {
      const { user, role, organization } = setRole(service, body);
      return { user, role, organization };
    },
  }),
  control('POST', '/invitations/accept', {
    summary: 'The invited person joins the organization',
    body: z.strictObject({ uri }),
    answers: 'resource',
    run: ({ service, body }) => acceptInvitation(service, body.uri),
  }),
  control('POST', '/invitations/decline', {
    summary: 'The invited person declines',
    body: z.strictObject({ uri }),
    answers: 'resource',
    run: ({ service, body }) => declineInvitation(service, body.uri),
  }),
];

export function organizationOrMain({ organizations }: State, named: string | undefined): Organization {
  if (named === undefined) return mainOrganization(organizations);
  return found(organizations.get(named), 'organization', 'organization');
}

function accountRecord(state: State, { uri: organization, ...account }: Organization): object {
  const { members, pending, sent } = seatsTaken(state, organization);
  return { organization, ...account, members, pending_invitations: pending, sent_invitations: sent };
}
