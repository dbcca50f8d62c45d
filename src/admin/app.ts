// What an operator may ask a running process: its status and its metrics, for those who hold the token.
import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import type { Metrics } from '#src/metrics.ts';

export interface AdminNeeds {
  readonly token: string;
  status(): Promise<object>;
  readonly metrics: Pick<Metrics, 'read'>;
  /** What reads the mirror; absent where there is no store. */
  reads?(): Promise<Pick<Hono, 'fetch'>>;
  readonly health: {
    readiness(): Promise<{ readonly ready: boolean; readonly engines: Readonly<Record<string, string>> }>;
  };
}

export function createAdminApp({ token, status, metrics, health, reads }: AdminNeeds): Hono {
  const wanted = digest(`Bearer ${token}`);
  const app = new Hono();
  // Say only that the process lives and that its engines answer, for supervisors that hold no token.
  app.get('/healthz', (context) => context.json({ title: 'Alive', message: 'The process answers.' }));
  app.get('/readyz', async (context) => {
    const { ready, engines } = await health.readiness();
    return context.json({ title: ready ? 'Ready' : 'Not Ready', engines }, ready ? 200 : 503);
  });
  app.use(async (context, next) => {
    // Digests are of one length, so the comparison tells nothing about the token's.
    if (timingSafeEqual(digest(context.req.header('authorization') ?? ''), wanted)) return next();
    return context.json({ title: 'Unauthenticated', message: 'Send the admin token as a bearer token.' }, 401, {
      'www-authenticate': 'Bearer',
    });
  });
  app.get('/api/status', async (context) => context.json(await status()));
  app.get('/metrics', async (context) => {
    const { contentType, text } = await metrics.read();
    return context.body(text, 200, { 'content-type': contentType });
  });
  if (reads) app.all('/api/*', async (context) => (await reads()).fetch(context.req.raw));
  app.notFound((context) => context.json({ title: 'Not Found', message: 'There is nothing at this path.' }, 404));
  app.onError((_error, context) =>
    context.json({ title: 'Internal Server Error', message: 'The request failed.' }, 500),
  );
  return app;
}

const digest = (text: string) => createHash('sha256').update(text).digest();
