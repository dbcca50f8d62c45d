// The edge of the service as a ladder: token, rate, faults, scopes, account, request, rules. One rung, one refusal; what
// passes is run and put into its envelope.
import { Hono, type Context } from 'hono';
import { missingScopes } from '#schemas/api-scope.ts';
import { lacksScopes, HttpError, tooManyRequests } from '#src/http/http-error.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { Caller } from './caller.ts';
import { paginationOf, type Cursors } from '#src/http/cursor.ts';
import type { Listing } from '#src/http/pagination.ts';
import type { Call, Operation } from './operation.ts';
import { statusOf } from './reply.ts';
import { readCall, resourceUri } from './request.ts';

/** Where a caller stands against the limits. */
export interface Meter {
  readonly headers: Readonly<Record<string, string>>;
  /** Over the limit: the seconds until it may try again. */
  readonly retryInSeconds?: number;
}

export interface GateNeeds {
  readonly service: Service;
  readonly cursors: Cursors;
  /** Who this `Authorization` header speaks for; throws a refusal. */
  callerOf(authorization: string | undefined): Caller;
  /** Counts the call. */
  meter(caller: Caller, operation: Operation): Meter;
  /** What faults make of this call: it may wait, may be told of limits that are not there, and may throw a refusal. */
  disturb(operation: Operation): Promise<Meter | undefined>;
  /** Sees every answer before it leaves; the tests hold them against their schemas. */
  inspect?(operation: Operation, status: number, body: unknown): void;
}

export function createGate(needs: GateNeeds, operations: readonly Operation[]): Hono {
  const app = new Hono();
  // `/contacts/custom_field_definitions` before `/contacts/{uuid}`: fewer placeholders first.
  for (const operation of operations.toSorted((a, b) => placeholders(a) - placeholders(b)))
    app.on(operation.method, operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), (context) =>
      climb(needs, operation, context),
    );
  return app;
}

const placeholders = ({ path }: Operation): number => path.split('{').length;

async function climb(needs: GateNeeds, operation: Operation, context: Context): Promise<Response> {
  try {
    const caller = needs.callerOf(context.req.header('authorization'));
    heed(needs.meter(caller, operation), context);
    heed(await needs.disturb(operation), context);
    const missing = missingScopes(caller.scopes, operation.scopes);
    if (missing.length > 0) throw lacksScopes(missing);
    operation.permits?.(caller, { service: needs.service, uri: resourceUri(needs.service, operation, context) });
    const { call, list } = await readCall(needs, operation, { context, caller });
    const body = bodyOf(operation, call, (listing) => ({
      collection: listing.records,
      pagination: paginationOf(listing, { cursors: needs.cursors, list, url: addressOf(needs, context) }),
    }));
    needs.inspect?.(operation, statusOf(operation), body);
    return body === undefined ? context.body(null, 204) : context.json(body, statusOf(operation) as 200);
  } catch (error) {
    if (error instanceof HttpError) needs.inspect?.(operation, error.status, error.body);
    throw error;
  }
}

function heed({ headers, retryInSeconds }: Meter = { headers: {} }, context: Context): void {
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  if (retryInSeconds !== undefined) throw tooManyRequests(retryInSeconds);
}

/** The address that was asked for, at the base all other URIs have: the caller may know the machine by another name. */
function addressOf({ service }: GateNeeds, context: Context): URL {
  const { pathname, search } = new URL(context.req.url);
  return new URL(pathname + search, service.options.baseUrl);
}

function bodyOf(operation: Operation, call: Call, envelope: (listing: Listing) => object): object | undefined {
  switch (operation.answers) {
    case 'resource':
      return { resource: operation.run(call) };
    case 'collection':
      return envelope(operation.run(call));
    case 'nothing':
      operation.run(call);
      return undefined;
  }
}
