// Who belongs to an organization, and in which role.
import type { MembershipRole, UserResource } from '#schemas/resources/user.ts';
import { notFound } from '../refusal.ts';
import { isSameAddress } from './address.ts';
import { newUri } from './service.ts';
import type { Service } from './service.ts';
import type { State, StoredMembership } from './state.ts';

export function userOfAddress(state: State, email: string): UserResource | undefined {
  return state.users.values().find((user) => isSameAddress(user.email, email));
}

/** A new user with an ordinary role, named after the address until they say more. */
export function addMember(service: Service, { organization, email }: { organization: string; email: string }): string {
  const { state, options, clock } = service;
  const joined = clock.tick();
  const mailbox = email.slice(0, email.lastIndexOf('@'));
  const uri = newUri(service, 'users');
  const slug = `${mailbox.toLowerCase().replaceAll(/[^a-z\d]+/g, '-')}-${uri.slice(-6)}`;
  state.users.put({
    uri,
    name: nameOf(mailbox),
    slug,
    email,
    scheduling_url: `${options.baseUrl}/pages/${slug}`,
    timezone: 'UTC',
    avatar_url: null,
    locale: 'en',
    created_at: joined,
    updated_at: joined,
    current_organization: organization,
    resource_type: 'User',
  });
  state.memberships.put({
    uri: newUri(service, 'organization_memberships'),
    user: uri,
    organization,
    role: 'user',
    created_at: joined,
    updated_at: joined,
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
