// Who makes a call, as its token says: a user of an organization, in a role, with scopes.
import type { ApiScope } from '#schemas/api-scope.ts';
import type { MembershipRole, UserResource } from '#schemas/resources/user.ts';
import type { Organization } from '#src/sandbox/world/state.ts';

export interface Caller {
  readonly user: UserResource;
  readonly organization: Organization;
  readonly role: MembershipRole;
  readonly scopes: readonly ApiScope[];
}
