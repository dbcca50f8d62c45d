// The admin listener: authentication, the operations of the process itself, and the operations that read the mirror.
import { Hono } from 'hono';
import { acceptsHtml } from '#src/http/request.ts';
import type { OperationArguments } from './ask.ts';
import type { Audit } from './audit.ts';
import { createAuth, type AuthNeeds, type RefusedRequest } from '#src/api/auth/auth.ts';
import { addressOf, type AdminEnv, type Caller } from '#src/api/auth/browser.ts';
import { createMcpGate, type McpGateNeeds } from '#src/api/auth/mcp-gate.ts';
import { HttpError, titledError } from '#src/http/http-error.ts';
import {
  addOperations,
  handleErrors,
  limitBody,
  methodNotAllowed,
  type Application,
  type ErrorOptions,
} from '#src/http/router.ts';
import type { ApiContext, ApiOperation } from './api-operation.ts';
import { openOperations, processOperations, type ProcessContext, type ProcessOperation } from './process.ts';

export interface ReadApi {
  readonly operations: readonly ApiOperation[];
  /** For functions that read the mirror and are no operations. */
  readonly context: ApiContext;
  fetch(request: Request, caller?: Caller): Response | Promise<Response>;
  /** Runs an operation without HTTP, in the name of this caller. Throws an `HttpError`. */
  run(id: string, input: OperationArguments, caller?: Caller): Promise<unknown>;
  /** Records a change that was refused to a caller that can only read. */
  refused(caller: Caller, request: RefusedRequest): Promise<void>;
  /** Records what a caller does besides the operations that are recorded by themselves. */
  record: Audit['begin'];
}

export interface McpEndpoint {
  fetch(request: Request, caller: Caller): Promise<Response>;
}

/** Who opened a page, as the admin listener authenticated them. */
export interface Visitor {
  readonly isReadOnly: boolean;
  readonly caller: Caller;
  /** Undefined where this process cannot read the tables. */
  readonly reads: ReadApi | undefined;
  /** What the process reports of itself. */
  status(): Promise<object>;
}

/** The pages for people. They answer every path that is not part of the API. */
export interface Pages {
  fetch(request: Request, visitor: Visitor): Response | Promise<Response>;
}

export interface AdminNeeds extends Omit<AuthNeeds, 'record'>, Omit<ProcessContext, 'openapi'> {
  /** Absent without a store. */
  reads?(): Promise<ReadApi>;
  /** Absent without a store. */
  pages?(): Promise<Pages>;
  /** Absent without a store. */
  readonly mcp?: Pick<McpGateNeeds, 'mcpToken'> & { open(): Promise<McpEndpoint> };
  /** Receives errors that are not the caller's. */
  report(error: unknown): void;
}

export function createAdminApp({
  status,
  metrics,
  health,
  reads,
  pages,
  mcp,
  report,
  ...auth
}: AdminNeeds): Hono<AdminEnv> {
  const app = new Hono<AdminEnv>();
  // Everything that needs a token. Pages ask it in this process.
  const api = new Hono<{ Bindings: { caller: Caller } }>();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(securityHeaders))
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
  });
  const errors: ErrorOptions = {
    noSuchPath: titledError(
      404,
      // A receiver answers on the port where people first try the API.
      reads
        ? 'There is nothing at this path.'
        : 'There is nothing at this path. A process that only receives has no tables: use the admin listener of a worker.',
    ),
    failure: new HttpError(500, { title: 'Internal Server Error', message: 'The request failed.' }),
    report,
  };
  handleErrors(app, errors);
  handleErrors(api, errors);
  async function openapi({ url }: Request): Promise<object> {
    // Loaded by the first request for it, like the operations that it describes.
    const { apiDocument } = await import('#src/api/openapi.ts');
    const operations = [...(reads ? (await reads()).operations : []), ...processOperations];
    // Behind a proxy only the caller knows the address of the API.
    return apiDocument(operations, { server: new URL(url).origin });
  }
  const context: ProcessContext = { status, metrics, health, openapi };
  const application: Application<ProcessContext, ProcessOperation> = {
    admit: () => context,
    onAnswer: ({ method, path }, status) => metrics.requested?.(method, path, status),
  };
  addOperations(app, application, openOperations);
  for (const path of ['/login', '/mcp'])
    app.post(
      path,
      limitBody((message) => titledError(413, message)),
    );
  if (mcp) {
    const refusal = createMcpGate({ ...auth, ...mcp });
    app.all('/mcp', async (context) => {
      const caller: Caller = { who: 'mcp token', address: addressOf(context) };
      return (await refusal(context)) ?? (await mcp.open()).fetch(context.req.raw, caller);
    });
  }
  app.use(
    createAuth({ ...auth, report, record: async (caller, request) => (await reads?.())?.refused(caller, request) }),
  );
  addOperations(api, application, processOperations);
  for (const path of ['/', ...processOperations.map(({ path }) => path)])
    api.all(path, (context) => methodNotAllowed(context, ['GET']));
  if (reads) api.all('/api/*', async (context) => (await reads()).fetch(context.req.raw, context.env.caller));
  app.get('/login', (context) => context.redirect('/'));
  app.all('*', async (context) => {
    const { req } = context;
    const caller = context.get('caller');
    const isPage = !apiPaths.test(req.path) && (req.method !== 'GET' || acceptsHtml(req.header('accept')));
    if (pages && isPage) {
      return (await pages()).fetch(req.raw, {
        isReadOnly: context.get('readOnly'),
        caller,
        reads: await reads?.(),
        status,
      });
    }
    if (req.path !== '/' || req.method !== 'GET') return api.fetch(req.raw, { caller });
    context.header('vary', 'Accept');
    return context.json(index);
  });
  return app;
}

/** What is not a page. */
const apiPaths = /^\/(?:api\/|metrics$|openapi\.json$|healthz$|readyz$)/;

const index = { openapi: '/openapi.json', status: '/api/status', metrics: '/metrics' } as const;

/** Answers contain personal data: they are not cached, framed or sniffed, and no referrer is sent. */
const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;
