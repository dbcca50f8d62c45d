// What an operation of the admin listener is. A new one = one value in a leaf file + one line in operations.ts; the check of the
// token, reading, envelopes, refusals and the OpenAPI document come with it.
import type { z } from 'zod';
import type { PageRequest, Listing } from '#src/http/pagination.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Store } from '#src/store/contract.ts';
import type { Screen } from '#workers/pipeline/screen.ts';
import type { ResendOptions } from './curl-replay.ts';

/** What leaves may use. */
export interface ReaderNeeds {
  readonly store: Store;
  readonly tail: Tail;
  readonly screen: Screen;
  /** How deliveries are signed, where it is not the usual way. */
  readonly signing?: ResendOptions;
  /** Milliseconds since 1970. */
  clock(): number;
  /** Told of errors that concern no caller. */
  report(error: unknown): void;
}

export interface Call<Query = unknown, Body = unknown> {
  /** What stands in the placeholders of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** For its headers, and its `signal`, which aborts when the caller goes away. */
  readonly request: Request;
  /** The page asked for, in this order (`created_at:desc`); ascending without one. For operations that answer with a collection. */
  pageIn(sort?: string): PageRequest;
}

type Answering<Query, Body> =
  | {
      /** `{resource: …}`, as the service's own API answers. `schema` is of the record. */
      readonly answers: 'resource';
      readonly schema: z.ZodType;
      run(call: Call<Query, Body>): Promise<object>;
    }
  | {
      /** `{collection: […], pagination: …}`, as the service's own lists. `schema` is of one record, and `query` extends `pageQuery`. */
      readonly answers: 'collection';
      readonly schema: z.ZodType;
      run(call: Call<Query, Body>): Promise<Listing>;
    }
  | {
      /** JSON in a shape of its own. `schema` is of the whole; a `Response` leaves as it is (for JSON made as text). */
      readonly answers: 'object';
      readonly schema: z.ZodType;
      run(call: Call<Query, Body>): Promise<object>;
    }
  | { readonly answers: 'nothing'; run(call: Call<Query, Body>): Promise<void> }
  | {
      /** Something that goes on. */
      readonly answers: 'stream';
      readonly contentType: string;
      run(call: Call<Query, Body>): Promise<Response>;
    };

interface Asking<Query extends z.ZodType, Body extends z.ZodType> {
  /** As OpenAPI names it: `listContacts`. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With placeholders as OpenAPI writes them: `/api/contacts/{uuid}`. */
  readonly path: string;
  /** Refusals are those of the service, to the letter: who has code for its API needs none for this. Without it they say in their title what they are. */
  readonly conventions?: 'service';
  /** The heading it stands under in the documentation: `Feed`. */
  readonly tag: string;
  readonly summary: string;
  /** What a caller has to know besides; a paragraph. */
  readonly description?: string;
  /** What stands in a placeholder of the path, where it is not the last part of a URI: `{id: 'Its `seq`.'}`. */
  readonly placeholders?: Readonly<Record<string, string>>;
  /** Refusals besides 400 and 401: `{404: 'No such contact.'}`. */
  readonly refusals?: Readonly<Record<number, string>>;
  readonly query?: Query;
  readonly body?: Body;
  /** An operator acts on the mirror: the log of the process says so. */
  readonly audited?: true;
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
