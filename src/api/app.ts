// The admin listener: who may ask (guard), what the process says about itself, and behind it what reads the mirror.
import { Hono } from 'hono';
import { acceptsHtml } from '#src/http/request.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import { memoize } from '#src/base/memoize.ts';
import { createGuard, type AdminEnv, type GuardNeeds } from '#src/api/auth/auth.ts';
import type { Operation } from './operation.ts';
import { wrongMethod } from './wrong-method.ts';

/** What reads the mirror, as HTTP and as what can be said about it. */
export interface ReadApi {
  readonly operations: readonly Operation[];
  fetch(request: Request): Response | Promise<Response>;
}

export interface AdminNeeds extends GuardNeeds {
  status(): Promise<object>;
  readonly metrics: Pick<Metrics, 'read'>;
  /** Absent where there is no store. */
  reads?(): Promise<ReadApi>;
  readonly health: {
    readiness(): Promise<{ readonly ready: boolean; readonly engines: Readonly<Record<string, string>> }>;
  };
  /** Told of what no refusal explains. */
  report(error: unknown): void;
}

export function createAdminApp({ status, metrics, health, reads, report, ...guarding }: AdminNeeds): Hono<AdminEnv> {
  const app = new Hono<AdminEnv>();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(cautious))
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
  });
  // Say only that the process lives and that its engines answer, for supervisors that hold no token.
  app.get('/healthz', (context) => context.json({ title: 'Alive', message: 'The process answers.' }));
  app.get('/readyz', async (context) => {
    const { ready, engines } = await health.readiness();
    return context.json({ title: ready ? 'Ready' : 'Not Ready', engines }, ready ? 200 : 503);
  });
  app.use(createGuard(guarding));
  app.get('/', (context) => {
    context.header('vary', 'Accept');
    return acceptsHtml(context.req.header('accept')) ? context.redirect('/docs') : context.json(index);
  });
  app.get('/api/status', async (context) => context.json(await status()));
  app.get('/metrics', async (context) => {
    const { contentType, text } = await metrics.read();
    return context.body(text, 200, { 'content-type': contentType });
  });
  const docs = memoize(async () => {
    // Loaded when first asked for, as what it describes.
    const { createDocs } = await import('#src/api/docs/docs.ts');
    return createDocs(reads ? (await reads()).operations : []);
  });
  app.on('GET', ['/openapi.json', '/docs'], async (context) => (await docs()).fetch(context.req.raw));
  for (const path of own) app.all(path, (context) => wrongMethod(context, ['GET']));
  if (reads) app.all('/api/*', async (context) => (await reads()).fetch(context.req.raw));
  app.notFound((context) => context.json({ title: 'Not Found', message: 'There is nothing at this path.' }, 404));
  app.onError((error, context) => {
    report(error);
    return context.json({ title: 'Internal Server Error', message: 'The request failed.' }, 500);
  });
  return app;
}

const own = ['/', '/healthz', '/readyz', '/api/status', '/metrics', '/openapi.json', '/docs'] as const;
const index = { docs: '/docs', openapi: '/openapi.json', status: '/api/status', metrics: '/metrics' } as const;

/** Answers hold people: nobody keeps them, frames them, guesses their type, or learns from where they were asked. */
const cautious = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;
