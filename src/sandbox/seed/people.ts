// The people of the sandbox's organizations: one working organization with its team, and one small one for each other plan.
import type { MembershipRole, UserResource } from '#schemas/resources/user.ts';
import { dayMs, instantOf } from '#src/sandbox/clock.ts';
import { itemAt, randomOf } from '#src/sandbox/random.ts';
import { makePerson } from '#src/sandbox/world/fictional-people.ts';
import { enrol } from '#src/sandbox/world/organizations.ts';
import type { Organization, Service } from '#src/sandbox/world/service.ts';

export interface Team {
  readonly organization: Organization;
  readonly owner: UserResource;
  /** All users, the owner first. */
  readonly users: readonly UserResource[];
}

export type People = ReturnType<typeof seedPeople>;

const zones = ['Europe/Berlin', 'America/Chicago', 'Europe/Lisbon', 'Asia/Tokyo'] as const;
const roles: readonly MembershipRole[] = ['owner', 'admin', 'user', 'user', 'user'];

export function seedPeople(service: Service) {
  const foundedMs = service.clock.nowMs() - 900 * dayMs;
  const team = (name: string, users: number, account: Partial<Organization>): Team =>
    seedTeam(service, foundedMs, { name, roles: roles.slice(0, users), account });
  const main = team('Northwind', roles.length, { plan: 'teams' });
  const [admin, member] = [itemAt(main.users, 1), itemAt(main.users, 2)];
  return {
    main: { ...main, admin, member, group: seedGroup(service, foundedMs, main) },
    free: team('Free Harbor', 1, { plan: 'free' }),
    trial: team('Trial Orchard', 1, { trial: true }),
    enterprise: team('Enterprise Fjord', 1, { plan: 'enterprise', seats: 500 }),
  };
}

function seedGroup({ state, options }: Service, foundedMs: number, { organization, users }: Team): string {
  const uri = `${options.baseUrl}/groups/${randomOf(options.seed, 'groups').uuid()}`;
  const members = users.slice(2, 4).map((user) => user.uri);
  const founded = instantOf(foundedMs + dayMs);
  state.groups.put({
    uri,
    name: 'Customer success',
    organization: organization.uri,
    member_count: members.length,
    created_at: founded,
    updated_at: founded,
    members,
  });
  return uri;
}

interface TeamPlan {
  readonly name: string;
  readonly roles: readonly MembershipRole[];
  readonly account: Partial<Organization>;
}

function seedTeam(service: Service, foundedMs: number, { name, roles: members, account }: TeamPlan): Team {
  const { state, options } = service;
  const random = randomOf(options.seed, 'team', name);
  const organization: Organization = {
    uri: `${options.baseUrl}/organizations/${random.uuid()}`,
    name,
    plan: 'standard',
    trial: false,
    seats: members.length + 5,
    trial_invitations: 3,
    scim: false,
    contacts_feature: 'enabled',
    ...account,
  };
  state.organizations.set(organization.uri, organization);
  const users = members.map((role, index) => {
    const { name: userName, email } = makePerson(random);
    return enrol(service, {
      uri: `${options.baseUrl}/users/${random.uuid()}`,
      membership: `${options.baseUrl}/organization_memberships/${random.uuid()}`,
      organization: organization.uri,
      role,
      joined: instantOf(foundedMs + index * dayMs),
      name: userName,
      slug: email.slice(0, email.indexOf('@')).replaceAll('.', '-'),
      email,
      timezone: zones[index % zones.length] ?? 'UTC',
    });
  });
  return { organization, owner: itemAt(users, 0), users };
}
