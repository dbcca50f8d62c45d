// The people of the sandbox's organizations: one working organization with its team, and one small one for each other plan.
import { makePerson } from '#src/sandbox/world/fictional-people.ts';
import { itemAt, randomOf } from '#src/sandbox/random.ts';
import type { MembershipRole, UserResource } from '#schemas/resources/user.ts';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import type { Organization, Plan } from '#src/sandbox/world/state.ts';
import { enrol } from '#src/sandbox/world/organizations.ts';
import type { Service } from '#src/sandbox/world/service.ts';

export interface Team {
  readonly organization: Organization;
  readonly owner: UserResource;
  /** All users, the owner first. */
  readonly users: readonly UserResource[];
}

export interface People {
  readonly main: Team & { readonly admin: UserResource; readonly member: UserResource; readonly group: string };
  readonly free: Team;
  readonly trial: Team;
  readonly enterprise: Team;
}

const zones = ['Europe/Berlin', 'America/Chicago', 'Europe/Lisbon', 'Asia/Tokyo'] as const;

export function seedPeople(service: Service): People {
  const { state, options } = service;
  const foundedMs = service.clock.nowMs() - 900 * dayMs;
  const main = seedTeam(service, {
    name: 'Northwind',
    plan: 'teams',
    roles: ['owner', 'admin', 'user', 'user', 'user'],
    foundedMs,
  });
  const [admin, member] = [itemAt(main.users, 1), itemAt(main.users, 2)];
  const random = randomOf(options.seed, 'groups');
  const group = `${options.baseUrl}/groups/${random.uuid()}`;
  const members = main.users.slice(2, 4).map(({ uri }) => uri);
  const founded = instantOf(foundedMs + dayMs);
  state.groups.put({
    uri: group,
    name: 'Customer success',
    organization: main.organization.uri,
    member_count: members.length,
    created_at: founded,
    updated_at: founded,
    members,
  });
  const alone = (name: string, plan: Plan, more: Partial<Organization> = {}): Team =>
    seedTeam(service, { name, plan, roles: ['owner'], foundedMs, more });
  return {
    main: { ...main, admin, member, group },
    free: alone('Free Harbor', 'free'),
    trial: alone('Trial Orchard', 'standard', { trial: true }),
    enterprise: alone('Enterprise Fjord', 'enterprise', { seats: 500 }),
  };
}

interface TeamPlan {
  readonly name: string;
  readonly plan: Plan;
  readonly roles: readonly MembershipRole[];
  readonly foundedMs: number;
  readonly more?: Partial<Organization>;
}

function seedTeam(service: Service, { name, plan, roles, foundedMs, more }: TeamPlan): Team {
  const { state, options } = service;
  const random = randomOf(options.seed, 'team', name);
  const organization: Organization = {
    uri: `${options.baseUrl}/organizations/${random.uuid()}`,
    name,
    plan,
    trial: false,
    seats: roles.length + 5,
    trialInvitations: 3,
    scim: false,
    contactsFeature: 'enabled',
    ...more,
  };
  state.organizations.set(organization.uri, organization);
  const users = roles.map((role, index) => {
    const { name, email } = makePerson(random);
    return enrol(service, {
      uri: `${options.baseUrl}/users/${random.uuid()}`,
      membership: `${options.baseUrl}/organization_memberships/${random.uuid()}`,
      organization: organization.uri,
      role,
      joined: instantOf(foundedMs + index * dayMs),
      name,
      slug: email.slice(0, email.indexOf('@')).replaceAll('.', '-'),
      email,
      timezone: zones[index % zones.length] ?? 'UTC',
    });
  });
  return { organization, owner: itemAt(users, 0), users };
}
