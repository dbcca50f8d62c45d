// The sandbox: opens the service, its HTTP listener and its webhook dispatcher, and closes them again.
import { once } from 'node:events';
import { serve, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { isObject } from '#schemas/wire.ts';
import { createCursors } from '#src/http/cursor.ts';
import { publicError } from '#src/sandbox/api/public-form.ts';
import { createRateLimits } from '#src/sandbox/api/rate-limit.ts';
import { createServiceApp, type ServiceAppNeeds } from '#src/sandbox/api/service-app.ts';
import { createAuthorizationServer } from '#src/sandbox/auth/server.ts';
import { createService, type WorldSize } from '#src/sandbox/seed/seed.ts';
import { createControlApp } from '#src/sandbox/controls/control-routes.ts';
import { createHome } from '#src/sandbox/docs/routes.ts';
import { createLiveActivity, runLiveActivity } from '#src/sandbox/live.ts';
import { invalid, notFound, type HttpError } from '#src/http/http-error.ts';
import { handleErrors, limitBody } from '#src/http/router.ts';
import { createProgress } from '#src/sandbox/seed/history.ts';
import { createWebhookDispatcher, type WebhookDispatcher } from '#src/sandbox/webhooks/webhook-dispatcher.ts';
import { createFaultInjector } from '#src/sandbox/webhooks/faults.ts';
import { addReadyLinks } from '#src/sandbox/world/bookings/meetings.ts';
import type { Fact, Service, ServiceOptions } from '#src/sandbox/world/service.ts';

export interface SandboxOptions extends Partial<WorldSize>, Partial<Omit<ServiceOptions, 'baseUrl'>> {
  /** 0: any free port. */
  readonly port?: number;
}

export interface SandboxNeeds {
  realMs?(): number;
  report?(error: unknown): void;
  readonly inspect?: ServiceAppNeeds['inspect'];
  /** Receives the progress of seeding a large world, once per second. */
  progress?(line: string): void;
  onFact?(fact: Fact): void;
  onSeeded?(fact: Fact): void;
}

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

export async function openSandbox(options: SandboxOptions = {}, needs: SandboxNeeds = {}) {
  const {
    port = 0,
    seed = 1,
    contacts = 50,
    bookings = 30,
    routed = 0,
    as = 'specification',
    eventTypes = false,
    rateLimits = true,
  } = options;
  const { realMs = Date.now, report = () => undefined, inspect } = needs;
  await using opened = new AsyncDisposableStack();
  const handler: Handler = { fetch: () => new Response(null, { status: 503 }) };
  const baseUrl = await listen(handler, port, opened);
  const faults = createFaultInjector(seed);
  const emit = (fact: Fact): void => {
    needs.onFact?.(fact);
    dispatcher.dispatch(fact);
  };
  const { service, tokens, handles } = createService(
    { baseUrl, seed, contacts, bookings, routed, as, eventTypes, rateLimits },
    {
      realMs,
      emit,
      seeded: (fact) => needs.onSeeded?.(fact),
      progress: createProgress((line) => needs.progress?.(line)),
    },
  );
  const { clock } = service;
  clock.onAdvance(() => addReadyLinks(service));
  const dispatcher: WebhookDispatcher = opened.use(createWebhookDispatcher({ service, faults, realMs }));
  const serviceApp = createServiceApp({
    service,
    cursors: createCursors(`${seed} cursors`, clock),
    faults,
    callerOf: tokens.callerOf,
    countCall: createRateLimits(service),
    ...(inspect && { inspect }),
  });
  const app = createFront(service, report)
    .route('/', createHome(baseUrl))
    .route('/_sandbox', createControlApp({ service, dispatcher, faults }))
    .route('/', createAuthorizationServer({ service, tokens }))
    .route('/', serviceApp);
  handler.fetch = app.fetch;
  const all = opened.move();
  const act = createLiveActivity({ service, organization: handles.organization, report });
  return {
    handles,
    service,
    dispatcher,
    /** Answers a request without a connection. */
    fetch: app.fetch,
    /** The access tokens; tests add their own. */
    tokens,
    /** Runs `rate` live activities per second (bookings, cancellations, no-shows …) until `signal` aborts. */
    live: (rate: number, signal: AbortSignal): Promise<void> => runLiveActivity(act, rate, signal),
    [Symbol.asyncDispose]: (): Promise<void> => all.disposeAsync(),
  };
}

/** Middleware for every path: the Date header by the sandbox's clock, errors in the form of the service, and a body limit. */
function createFront(service: Service, report: (error: unknown) => void): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const isPublic = (): boolean => service.options.as === 'public';
  const worded = (error: HttpError): HttpError => (isPublic() ? publicError(error) : error);
  // The clock that stamps all records, because callers compare them with this header.
  app.use(async (context, next) => {
    addReadyLinks(service);
    await next();
    context.header('Date', new Date(service.clock.nowMs()).toUTCString());
    if (isPublic() && context.res.headers.get('content-type') === 'application/json')
      context.header('Content-Type', 'application/json; charset=utf-8');
  });
  handleErrors(app, {
    get noSuchPath() {
      return worded(notFound('No such path.'));
    },
    report,
  });
  app.use(limitBody((message) => worded(invalid({ message }))));
  return app;
}

const keepAliveMs = 65_000;

type FetchCallback = Parameters<typeof serve>[0]['fetch'];

interface Handler {
  fetch: FetchCallback;
}

/** URIs contain the port, so the listener is opened first and its handler is set afterwards. */
async function listen(handler: Handler, port: number, opened: AsyncDisposableStack): Promise<string> {
  const fetch: FetchCallback = (request, env) => handler.fetch(request, env);
  const server = serve({ fetch, port, hostname: '127.0.0.1' });
  // Node's 5 s are about as long as clients wait: on a busy machine one would send a request just as its connection is closed.
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = keepAliveMs;
  opened.defer(async () => {
    const closed = new Promise((resolve) => void server.close(resolve));
    if ('closeAllConnections' in server) server.closeAllConnections();
    await closed;
  });
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${isObject(address) ? address['port'] : port}`;
}
