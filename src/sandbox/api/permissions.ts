// Who may do what: the role and the account decide permission, never the content of an answer.
import { permissionMessages } from '#schemas/errors.ts';
import { denied, invalid, notFound } from '#src/http/http-error.ts';
import type { State } from '#src/sandbox/world/state.ts';
import type { Caller } from './caller.ts';

/** The two sentences the specification quotes, one for a resource and one for an action. */
export const noAccess = permissionMessages['GET /contacts'].role;
export const noPermission = permissionMessages['POST /organizations/<uuid>/invitations'].role;

export const isAdministrator = ({ role }: Caller): boolean => role !== 'user';

/** Whose data a list asks for: exactly one of these has to be named. */
export interface Whose {
  readonly organization?: string | undefined;
  readonly user?: string | undefined;
  readonly group?: string | undefined;
}

/**
 * The users a request speaks of, once the caller may see them: an organization asks for an administrator, a group for an
 * administrator or a member of it, a user for that user or an administrator.
 */
export function usersAskedFor(state: State, caller: Caller, { organization, user, group }: Whose): ReadonlySet<string> {
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
