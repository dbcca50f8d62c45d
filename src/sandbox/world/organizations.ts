// Organizations as the sandbox stores them: what the account may do, and who belongs to it in which role.
import type { MembershipRole, UserResource } from '#schemas/resources/user.ts';
import { notFound } from '#src/http/http-error.ts';
import { isSameAddress } from '#src/sandbox/world/contacts/contact-entry.ts';
import { newUri, type Service } from './service.ts';
import type { Organization, State, StoredMembership } from './state.ts';

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

export interface NewMember {
  readonly uri: string;
  readonly membership: string;
  readonly organization: string;
  readonly role: MembershipRole;
  readonly joined: string;
  readonly name: string;
  readonly slug: string;
  readonly email: string;
  readonly timezone: string;
}

/** Adds a user and their membership of the organization. */
export function enrol({ state, options }: Pick<Service, 'state' | 'options'>, member: NewMember): UserResource {
  const { uri, membership, organization, role, joined, name, slug, email, timezone } = member;
  const times = { created_at: joined, updated_at: joined };
  const user: UserResource = {
    uri,
    name,
    slug,
    email,
    scheduling_url: `${options.baseUrl}/pages/${slug}`,
    timezone,
    avatar_url: null,
    locale: 'en',
    ...times,
    current_organization: organization,
    resource_type: 'User',
  };
  state.users.put(user);
  state.memberships.put({ uri: membership, user: uri, organization, role, ...times });
  return user;
}

/** Adds a user with the ordinary role, named after the address. */
export function addMember(service: Service, { organization, email }: { organization: string; email: string }): string {
  const joined = service.clock.tick();
  const mailbox = email.slice(0, email.lastIndexOf('@'));
  const uri = newUri(service, 'users');
  enrol(service, {
    uri,
    membership: newUri(service, 'organization_memberships'),
    organization,
    role: 'user',
    joined,
    name: nameOf(mailbox),
    slug: `${mailbox.toLowerCase().replaceAll(/[^a-z\d]+/g, '-')}-${uri.slice(-6)}`,
    email,
    timezone: 'UTC',
  });
  return uri;
}

/** `ada.lovelace+work` is Ada Lovelace. */
function nameOf(mailbox: string): string {
  const words = mailbox.replace(/\+.*$/, '').split(/[._-]+/);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(' ');
}

export function setRole(service: Service, { user, role }: { user: string; role: MembershipRole }): StoredMembership {
  const { state, clock } = service;
  const [membership] = state.memberships.of('user', user);
  if (membership === undefined) throw notFound('No such user.', 'user');
  const changed = { ...membership, role, updated_at: clock.tick() };
  state.memberships.put(changed);
  return changed;
}
