// What an operation of the service is. A new one = one value in a leaf file + one line in operations.ts; authentication,
// scopes, limits, checking, envelopes and the OpenAPI document come with it.
import type { z } from 'zod';
import type { ApiScope } from '#schemas/api-scope.ts';
import type { PageRequest, Listing } from '#src/http/pagination.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { Caller } from './caller.ts';

export interface Call<Query = unknown, Body = unknown> {
  readonly service: Service;
  readonly caller: Caller;
  /** The resource that the last `{…}` of the path names, by its URI; blank when the path names none. */
  readonly uri: string;
  readonly query: Query;
  readonly body: Body;
  /** The page asked for, in this order (`created_at:desc`); ascending without one. For operations that answer with a collection. */
  pageIn(sort?: string): PageRequest;
}

type Answering<Query, Body> =
  | {
      readonly answers: 'resource';
      /** 200 when absent. */
      readonly status?: 201;
      /** Of the record. */
      readonly schema: z.ZodType;
      run(call: Call<Query, Body>): object;
    }
  | { readonly answers: 'collection'; readonly schema: z.ZodType; run(call: Call<Query, Body>): Listing }
  | { readonly answers: 'nothing'; run(call: Call<Query, Body>): void };

interface Asking<Query extends z.ZodType, Body extends z.ZodType> {
  /** As OpenAPI names it: `listContacts`. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With placeholders as OpenAPI writes them: `/contacts/{uuid}`. */
  readonly path: string;
  readonly summary: string;
  readonly scopes: readonly ApiScope[];
  /** Counts against these limits too, which hang on the tier of the account. */
  readonly limited?: 'bookings';
  /** What the specification documents for a failing server; 500 when absent. */
  readonly unavailable?: 503;
  /**
   * Permission that hangs on the caller (plan, features, role) and on the resource of the path, asked before the request is
   * read. Throws a refusal.
   */
  permits?(caller: Caller, asked: Pick<Call, 'service' | 'uri'>): void;
  /** A list's must extend `pageQuery`. */
  readonly query?: Query;
  readonly body?: Body;
}

type Plan<Query extends z.ZodType, Body extends z.ZodType> = Asking<Query, Body> &
  Answering<z.output<Query>, z.output<Body>>;

/** The loosest view of an operation, for code that treats all alike. */
export type Operation = Asking<z.ZodType, z.ZodType> & Answering<unknown, unknown>;

/** Ties the types of `run` to the schemas declared beside it. */
export function defineOperation<Query extends z.ZodType = z.ZodUnknown, Body extends z.ZodType = z.ZodUnknown>(
  plan: Plan<Query, Body>,
): Operation {
  return plan as unknown as Operation;
}
