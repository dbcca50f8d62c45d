// The whole service on this machine: opens its world, its listener and its dispatcher, and closes them again.
import { serve } from '@hono/node-server';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createCursors } from '#src/http/cursor.ts';
import { createDisturbance } from '#src/sandbox/api/inject-faults.ts';
import { createGate } from '#src/sandbox/api/router.ts';
import type { GateNeeds } from '#src/sandbox/api/router.ts';
import { createMeter } from '#src/sandbox/api/rate-limit.ts';
import { operationsUnder } from '#src/sandbox/api/operations.ts';
import { createAuthorizationServer } from '#src/sandbox/auth/server.ts';
import type { Tokens } from '#src/sandbox/auth/tokens.ts';
import type { Clock } from './clock.ts';
import { createService } from './create-service.ts';
import { createPanel } from '#src/sandbox/controls/control-routes.ts';
import { createHome } from '#src/sandbox/docs/home.ts';
import { createLiveActivity, runLiveActivity } from '#src/sandbox/live/live.ts';
import { invalid, notFound, HttpError, serverError } from '#src/http/http-error.ts';
import { createProgress } from '#src/sandbox/seed/progress.ts';
import type { Handles, WorldSize } from '#src/sandbox/seed/seed.ts';
import { createWebhookDispatcher } from '#src/sandbox/webhooks/webhook-dispatcher.ts';
import type { WebhookDispatcher } from '#src/sandbox/webhooks/webhook-dispatcher.ts';
import { createFaultInjector } from '#src/sandbox/webhooks/faults.ts';
import type { Fact, Service, ServiceOptions } from '#src/sandbox/world/service.ts';

export interface SandboxOptions extends Partial<WorldSize>, Partial<Omit<ServiceOptions, 'baseUrl'>> {
  /** 0: any free one. */
  readonly port?: number;
}

export interface SandboxNeeds {
  /** The real clock, in milliseconds. */
  realMs?(): number;
  /** A fault of the sandbox itself. */
  report?(error: unknown): void;
  readonly inspect?: GateNeeds['inspect'];
  /** How far the making of a large world is, in words, once a second. */
  progress?(line: string): void;
  /** Sees everything that happens, whether anyone subscribed to it or not. */
  onFact?(fact: Fact): void;
}

export interface Sandbox extends AsyncDisposable {
  readonly handles: Handles;
  readonly service: Service;
  readonly dispatcher: WebhookDispatcher;
  /** Lets people book, cancel and miss meetings by themselves, so many a second, until `signal` aborts. */
  live(rate: number, signal: AbortSignal): Promise<void>;
  /** Keys to the service: tests add some of their own. */
  readonly tokens: Tokens;
}

export async function openSandbox(options: SandboxOptions = {}, needs: SandboxNeeds = {}): Promise<Sandbox> {
  const {
    port = 0,
    seed = 1,
    contacts = 50,
    bookings = 30,
    flat = false,
    eventTypes = false,
    rateLimits = true,
  } = options;
  const { realMs = Date.now, report = () => undefined, inspect } = needs;
  await using opened = new AsyncDisposableStack();
  const entrance: Entrance = { fetch: () => new Response(null, { status: 503 }) };
  const baseUrl = await listen(entrance, { port, opened });
  const faults = createFaultInjector(seed);
  const emit = (fact: Fact): void => {
    needs.onFact?.(fact);
    dispatcher.dispatch(fact);
  };
  const { service, tokens, handles } = createService(
    { baseUrl, seed, contacts, bookings, flat, eventTypes, rateLimits },
    { realMs, emit, progress: createProgress((line) => needs.progress?.(line)) },
  );
  const { clock } = service;
  const dispatcher: WebhookDispatcher = opened.use(createWebhookDispatcher({ service, faults, realMs }));
  const gate = createGate(
    {
      service,
      cursors: createCursors(`${seed} cursors`, clock),
      callerOf: tokens.callerOf,
      meter: createMeter(service),
      disturb: createDisturbance(faults),
      ...(inspect && { inspect }),
    },
    operationsUnder(service.options),
  );
  const app = createFront(clock, report)
    .route('/', createHome(baseUrl))
    .route('/_sandbox', createPanel({ service, dispatcher, faults }))
    .route('/', createAuthorizationServer({ service, tokens }))
    .route('/', gate);
  entrance.fetch = app.fetch;
  const all = opened.move();
  const act = createLiveActivity({ service, organization: handles.organization, report });
  return {
    handles,
    service,
    dispatcher,
    tokens,
    live: (rate, signal) => runLiveActivity(act, rate, signal),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const mostBodyBytes = 1024 * 1024;

/** What holds for every path: small bodies, one clock, and refusals as the specification words them. */
function createFront(clock: Clock, report: (error: unknown) => void): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  // By the clock that all records go by: callers order what they read by it.
  app.use(async (context, next) => {
    await next();
    context.header('Date', new Date(clock.nowMs()).toUTCString());
  });
  app.onError((error, context) => {
    const refusal = error instanceof HttpError ? error : serverError(500);
    if (refusal !== error) report(error);
    if (refusal.status === 401) context.header('WWW-Authenticate', 'Bearer');
    return context.json(refusal.body, refusal.status as 500);
  });
  app.notFound(() => {
    throw notFound('No such path.');
  });
  const tooLarge = (context: Context): never => {
    // The rest of the body is never read, so the connection cannot serve another call.
    context.header('Connection', 'close');
    throw invalid({ message: `The body is larger than ${mostBodyBytes} bytes.` });
  };
  app.use(bodyLimit({ maxSize: mostBodyBytes, onError: tooLarge }));
  return app;
}

type FetchCallback = Parameters<typeof serve>[0]['fetch'];

interface Entrance {
  fetch: FetchCallback;
}

/** The world's URIs carry the port, so the listener comes first and what answers is hung in afterwards. */
async function listen(
  entrance: Entrance,
  { port, opened }: { port: number; opened: AsyncDisposableStack },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const fetch: FetchCallback = (request, env) => entrance.fetch(request, env);
    const server = serve({ fetch, port, hostname: '127.0.0.1' }, (address) =>
      resolve(`http://127.0.0.1:${address.port}`),
    );
    server.once('error', reject);
    opened.defer(
      () =>
        new Promise<void>((closed) => {
          server.close(() => closed());
          if ('closeAllConnections' in server) server.closeAllConnections();
        }),
    );
  });
}
