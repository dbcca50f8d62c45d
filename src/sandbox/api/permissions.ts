// Permissions: the role of the caller and the account decide what is allowed, never the content of an answer.
import { permissionMessages } from '#schemas/errors.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { denied, invalid } from '#src/http/http-error.ts';
import { organizationOf } from '#src/sandbox/world/event-types.ts';
import { isPaid } from '#src/sandbox/world/organizations.ts';
import { found, type StoredEventType, type StoredGroup } from '#src/sandbox/world/service.ts';
import type { Caller, ServiceContext } from './service-operation.ts';

/** The two sentences the specification quotes, one for a resource and one for an action. */
export const noAccess = permissionMessages['GET /contacts'].role;
export const noPermission = permissionMessages['POST /organizations/<uuid>/invitations'].role;

export const isAdministrator = ({ role }: Caller): boolean => role !== 'user';

/** Who asks, and what is asked about: part of every call. */
export type CallContext = Pick<ServiceContext, 'service' | 'caller'>;

interface OfOrganization {
  readonly organization: string;
}

/** The record is of the caller's organization, and the caller is one of its users or an administrator. */
export function visible<Item extends OfOrganization>(caller: Caller, item: Item, users: readonly string[]): Item {
  if (!isVisible(caller, item, users)) throw denied(noAccess);
  return item;
}

export function isVisible(caller: Caller, { organization }: OfOrganization, users: readonly string[]): boolean {
  return organization === caller.organization.uri && (isAdministrator(caller) || users.includes(caller.user.uri));
}

/** At the public service, webhooks and the scheduling API are on every plan since November 2026; by the specification they are not (A11). */
export const isOnPlan = ({ service, caller }: CallContext): boolean =>
  service.options.as === 'public' || isPaid(caller.organization);

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
export function requestedUsers(asking: CallContext, { organization, user, group }: ListOwner): ReadonlySet<string> {
  const { service, caller } = asking;
  if (user !== undefined) {
    if (organization !== undefined) demandOrganization(asking, organization);
    const { uri, current_organization } = demandUser(asking, user, 'user');
    visible(caller, { organization: current_organization }, [uri]);
    return new Set([uri]);
  }
  if (group !== undefined) return new Set(demandGroup(asking, group, 'group').members);
  if (organization === undefined)
    throw invalid({ message: 'name a user, an organization or a group', parameter: 'organization' });
  demandOrganization(asking, organization);
  if (!isAdministrator(caller)) throw denied(noAccess);
  return new Set(service.state.memberships.of('organization', organization).map(({ user }) => user));
}

/** The organization exists and is the caller's own. */
export function demandOrganization({ service, caller }: CallContext, uri: string): void {
  found(service.state.organizations.get(uri), 'organization', 'organization');
  if (caller.organization.uri !== uri) throw denied(noAccess);
}

export function demandUser({ service, caller }: CallContext, uri: string, parameter?: string): UserResource {
  const user = found(service.state.users.get(uri), 'user', parameter);
  if (user.current_organization !== caller.organization.uri) throw denied(noAccess);
  return user;
}

export function demandGroup({ service, caller }: CallContext, uri: string, parameter?: string): StoredGroup {
  const group = found(service.state.groups.get(uri), 'group', parameter);
  return visible(caller, group, group.members);
}

/** Everyone in its organization may see an event type: it has a public page. */
export function demandEventType({ service, caller }: CallContext, uri: string, parameter?: string): StoredEventType {
  const eventType = found(service.state.eventTypes.get(uri), 'event type', parameter);
  if (organizationOf(service.state, eventType.hosts) !== caller.organization.uri) throw denied(noAccess);
  return eventType;
}

const contactMessages = permissionMessages['GET /contacts'];

/** Contacts belong to the organization and no request names a user, so each of their operations needs an administrator. */
export function permitContacts({ caller }: Pick<ServiceContext, 'caller'>): void {
  const { contacts_feature, plan } = caller.organization;
  if (contacts_feature === 'disabled') throw denied(contactMessages.features);
  if (!isPaid(caller.organization)) throw denied(contactMessages.plan);
  if (contacts_feature === 'enterprise_only' && plan !== 'enterprise') throw denied(contactMessages.enterprise);
  if (!isAdministrator(caller)) throw denied(contactMessages.role);
}

/** Only an enterprise account has the audit of an organization and the deletion of data, at the public service. */
export function demandEnterprise({ caller }: CallContext): void {
  if (caller.organization.plan !== 'enterprise') throw denied(contactMessages.enterprise);
}
