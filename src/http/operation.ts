// Declares an HTTP operation. One value holds its path, its schemas, its answer and its documentation; the router checks
// requests against it and the OpenAPI document is made from it, so what is published is what is checked.
import type { z } from 'zod';
import { collectionEnvelope, resourceEnvelope } from '#schemas/resources/envelope.ts';
import type { Listing, PageRequest } from './pagination.ts';

export type PathParams = Readonly<Record<string, string>>;

/** What `run` receives: the context of its application (the caller, the store …) and the checked request. */
export type Call<Context, Query = unknown, Body = unknown, Params = PathParams> = Context & {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The address of the request, with its query. */
  readonly url: URL;
  /** For its headers, and for its `signal`, which aborts when the caller disconnects. */
  readonly request: Request;
  /** The requested page in this order (`created_at:desc`, ascending by default). For operations that answer with a collection. */
  pageIn(sort?: string): PageRequest;
};

type Answer<TheCall> =
  | {
      /** `{resource: …}`. `schema` is that of the record; any object when absent. */
      readonly answers: 'resource';
      /** 200 when absent. */
      readonly status?: 201;
      readonly schema?: z.ZodType;
      run(call: TheCall): object | Promise<object>;
    }
  | {
      /** `{collection: […], pagination: …}`. `schema` is that of one record, and `query` has to extend `pageQuery`. */
      readonly answers: 'collection';
      readonly schema: z.ZodType;
      /** Fields of the answer besides these two: those of `Listing.fields`. */
      readonly fields?: z.ZodRawShape;
      run(call: TheCall): Listing | Promise<Listing>;
    }
  | {
      /** JSON in a shape of its own. `schema` is that of the whole answer; a `Response` is sent as it is. */
      readonly answers: 'object';
      /** 200 when absent. */
      readonly status?: 202;
      readonly schema?: z.ZodType;
      /** Other media types that `run` answers with when `Accept` asks for them. */
      readonly alternatives?: readonly { readonly contentType: string; readonly schema: z.ZodType }[];
      run(call: TheCall): object | Promise<object>;
    }
  | { readonly answers: 'nothing'; run(call: TheCall): void | Promise<void> }
  | {
      /** Anything but JSON; `stream` is a response that does not end by itself. */
      readonly answers: 'text' | 'stream';
      readonly contentType: string;
      run(call: TheCall): Response | Promise<Response>;
    };

interface Description<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  /** The `operationId` of OpenAPI: `listContacts`. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With placeholders as OpenAPI writes them: `/contacts/{uuid}`. */
  readonly path: string;
  readonly summary: string;
  /** A paragraph on what else a caller has to know. */
  readonly description?: string;
  /** Of the placeholders; needed where a placeholder is not the last part of a URI. */
  readonly params?: Params;
  readonly query?: Query;
  /** Instead of `query`, of an operation that takes other names besides, or a name twice: `run` reads them from `url`. */
  readonly ownQuery?: z.ZodType;
  readonly body?: Body;
}

/** `Traits` are what one application declares besides: scopes, rate limits, error titles. */
export type Declaration<
  Context,
  Traits,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
> = Traits &
  Description<Params, Query, Body> &
  Answer<Call<Context, z.output<Query>, z.output<Body>, z.output<Params>>>;

/** An operation without the types of its schemas, for code that treats all operations alike. */
export type Operation<Context = never, Traits = unknown> = Traits &
  Description<z.ZodType, z.ZodType, z.ZodType> &
  Answer<Call<Context, unknown, unknown, unknown>>;

/** An operation whose answer is typed by its schema, for callers within the process. */
export type TypedOperation<Context, Traits, Answers, Schema, Fields = unknown> = Operation<Context, Traits> & {
  readonly answers: Answers;
  readonly schema?: Schema;
  readonly fields?: Fields;
};

/** Makes the function with which an application declares its operations: it types `run` by the schemas declared beside it. */
export const operationDefiner =
  <Context, Traits = unknown>() =>
  <
    Params extends z.ZodType = z.ZodType<PathParams>,
    Query extends z.ZodType = z.ZodUnknown,
    Body extends z.ZodType = z.ZodUnknown,
    Schema extends z.ZodType = z.ZodUnknown,
    const Answers extends Operation['answers'] = Operation['answers'],
    Fields extends z.ZodRawShape = never,
  >(
    declaration: Declaration<Context, Traits, Params, Query, Body> & {
      readonly answers: Answers;
      readonly schema?: Schema;
      readonly fields?: Fields;
    },
  ): TypedOperation<Context, Traits, Answers, Schema, Fields> =>
    declaration;

export function statusOf(operation: Operation): 200 | 201 | 202 | 204 {
  const { answers } = operation;
  if (answers === 'nothing') return 204;
  return answers === 'resource' || answers === 'object' ? (operation.status ?? 200) : 200;
}

/** The schema of the whole answer; undefined for an answer that is not JSON or that has no schema. */
export function answerSchema(operation: Operation): z.ZodType | undefined {
  if (!('schema' in operation) || operation.schema === undefined) return undefined;
  const { answers, schema } = operation;
  if (answers === 'collection') return collectionEnvelope(schema).extend(operation.fields ?? {});
  return answers === 'object' ? schema : resourceEnvelope(schema);
}
