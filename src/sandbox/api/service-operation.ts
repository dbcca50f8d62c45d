// What the operations of the service have in common: who calls, and what each declares besides its schemas.
import type { ApiScope } from '#schemas/api-scope.ts';
import type { MembershipRole, UserResource } from '#schemas/resources/user.ts';
import { operationDefiner, type Operation } from '#src/http/operation.ts';
import type { Organization } from '#src/sandbox/world/state.ts';
import type { Service } from '#src/sandbox/world/service.ts';

/** The user of an access token, in the role the user has in the organization. */
export interface Caller {
  readonly user: UserResource;
  readonly organization: Organization;
  readonly role: MembershipRole;
  readonly scopes: readonly ApiScope[];
}

export interface ServiceContext {
  readonly service: Service;
  readonly caller: Caller;
  /** The URI of the resource that the last placeholder of the path names; blank when the path has none. */
  readonly uri: string;
}

interface ServiceTraits {
  readonly scopes: readonly ApiScope[];
  /** Also counts against the limits of bookings, which depend on the tier of the account. */
  readonly limited?: 'bookings';
  /** The status that the specification documents for a failing server; 500 when absent. */
  readonly unavailable?: 503;
  /** Checks what depends on the caller (plan, features, role) and on the resource, before the request is read. */
  permits?(context: ServiceContext): void;
}

export type ServiceOperation = Operation<ServiceContext, ServiceTraits>;

export const defineOperation = operationDefiner<ServiceContext, ServiceTraits>();
