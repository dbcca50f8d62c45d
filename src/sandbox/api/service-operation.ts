// What the operations of the service have in common: who calls, what each declares besides its schemas, and a definer for each
// kind of operation on a resource.
import type { z } from 'zod';
import type { ApiScope } from '#schemas/api-scope.ts';
import type { MembershipRole, UserResource } from '#schemas/resources/user.ts';
import { operationDefiner, type Call, type Operation } from '#src/http/operation.ts';
import type { Listing } from '#src/http/pagination.ts';
import type { Organization, Service } from '#src/sandbox/world/service.ts';

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
  /** Served in the public form only: the specification has no such operation. */
  readonly publicOnly?: true;
  /** Answers 409 for what exists already. */
  readonly conflicts?: true;
  /** Checks what depends on the caller (plan, features, role) and on the resource, before the request is read. */
  permits?(context: ServiceContext): void;
}

export type ServiceOperation = Operation<ServiceContext, ServiceTraits>;

interface Details<Result, Query, Body> extends ServiceTraits {
  readonly summary: string;
  run(call: Call<ServiceContext, Query, Body>): Result;
}
interface ReadDetails<Result, Query extends z.ZodType> extends Details<Result, z.output<Query>, unknown> {
  readonly schema: z.ZodType;
  readonly query?: Query;
}
interface WriteDetails<Body extends z.ZodType> extends Details<object, unknown, z.output<Body>> {
  readonly schema: z.ZodType;
  readonly body: Body;
}

export const define = operationDefiner<ServiceContext, ServiceTraits>();

export const list = <Query extends z.ZodType>(id: string, path: string, details: ReadDetails<Listing, Query>) =>
  define({ ...details, id, path, method: 'GET', answers: 'collection' });

export const get = <Query extends z.ZodType = z.ZodUnknown>(
  id: string,
  path: string,
  details: ReadDetails<object, Query>,
) => define({ ...details, id, path, method: 'GET', answers: 'resource' });

export const create = <Body extends z.ZodType>(id: string, path: string, details: WriteDetails<Body>) =>
  define({ ...details, id, path, method: 'POST', answers: 'resource', status: 201 });

export const update = <Body extends z.ZodType>(id: string, path: string, details: WriteDetails<Body>) =>
  define({ ...details, id, path, method: 'PATCH', answers: 'resource' });

export const remove = (id: string, path: string, details: Details<void, unknown, unknown>) =>
  define({ ...details, id, path, method: 'DELETE', answers: 'nothing' });
