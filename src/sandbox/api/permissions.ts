// Permissions: the role of the caller and the account decide what is allowed, never the content of an answer.
import { permissionMessages } from '#schemas/errors.ts';
import { denied, invalid, notFound } from '#src/http/http-error.ts';
import { organizationOf } from '#src/sandbox/world/event-types.ts';
import { isPaid } from '#src/sandbox/world/organizations.ts';
import type { State, StoredEventType } from '#src/sandbox/world/state.ts';
import type { Caller, ServiceContext } from './service-operation.ts';

/** The two sentences the specification quotes, one for a resource and one for an action. */
export const noAccess = permissionMessages['GET /contacts'].role;
export const noPermission = permissionMessages['POST /organizations/<uuid>/invitations'].role;

export const isAdministrator = ({ role }: Caller): boolean => role !== 'user';

/** The owner of the requested data: exactly one of these has to be named. */
export interface ListOwner {
  readonly organization?: string | undefined;
  readonly user?: string | undefined;
  readonly group?: string | undefined;
}

/**
 * The users whose data is requested, if the caller may see it: that of an organization needs an administrator, that of a
 * group an administrator or a member, that of a user the same user or an administrator.
 */
export function requestedUsers(
  state: State,
  caller: Caller,
  { organization, user, group }: ListOwner,
): ReadonlySet<string> {
  if (user !== undefined) {
    if (organization !== undefined) demandOrganization(state, caller, organization);
    return new Set([demandUser(state, caller, user)]);
  }
  if (group !== undefined) return new Set(demandGroup(state, caller, group));
  if (organization === undefined)
    throw invalid({ message: 'name a user, an organization or a group', parameter: 'organization' });
  demandOrganization(state, caller, organization);
  if (!isAdministrator(caller)) throw denied(noAccess);
  return new Set(state.memberships.of('organization', organization).map((membership) => membership.user));
}

/** The organization exists and is the caller's own. */
export function demandOrganization(state: State, caller: Caller, uri: string): void {
  if (!state.organizations.has(uri)) throw notFound('No such organization.', 'organization');
  if (caller.organization.uri !== uri) throw denied(noAccess);
}

function demandUser(state: State, caller: Caller, uri: string): string {
  const user = state.users.get(uri);
  if (user === undefined) throw notFound('No such user.', 'user');
  if (user.current_organization !== caller.organization.uri) throw denied(noAccess);
  if (uri !== caller.user.uri && !isAdministrator(caller)) throw denied(noAccess);
  return uri;
}

function demandGroup(state: State, caller: Caller, uri: string): readonly string[] {
  const group = state.groups.get(uri);
  if (group === undefined) throw notFound('No such group.', 'group');
  if (group.organization !== caller.organization.uri) throw denied(noAccess);
  if (!isAdministrator(caller) && !group.members.includes(caller.user.uri)) throw denied(noAccess);
  return group.members;
}

/** Everyone in its organization may see an event type: it has a public page. */
export function demandEventType(
  state: State,
  caller: Caller,
  { uri, parameter }: { readonly uri: string; readonly parameter?: string },
): StoredEventType {
  const eventType = state.eventTypes.get(uri);
  if (eventType === undefined) throw notFound('No such event type.', parameter);
  if (organizationOf(state, eventType.hosts) !== caller.organization.uri) throw denied(noAccess);
  return eventType;
}

const contactMessages = permissionMessages['GET /contacts'];

/** Contacts belong to the organization and no request names a user, so every operation on them needs an administrator. */
export function permitContacts({ caller }: Pick<ServiceContext, 'caller'>): void {
  const { contactsFeature, plan } = caller.organization;
  if (contactsFeature === 'disabled') throw denied(contactMessages.features);
  if (!isPaid(caller.organization)) throw denied(contactMessages.plan);
  if (contactsFeature === 'enterprise_only' && plan !== 'enterprise') throw denied(contactMessages.enterprise);
  if (!isAdministrator(caller)) throw denied(contactMessages.role);
}
