// The two health probes of the public listener: /healthz says that the process runs, /readyz whether it takes deliveries.
import { Hono } from 'hono';
import type { Health } from './health.ts';
import { jsonResponse, responses, toResponse } from './responses.ts';

export function createProbes(health: Pick<Health, 'readiness'>): Hono {
  const app = new Hono();
  app.get('/healthz', () => toResponse(responses.alive));
  app.get('/readyz', async () => {
    const { deliveries: status, stopping, engines } = await health.readiness();
    const { code, title, message } = readyAnswers[stopping ? 'stopping' : status];
    return toResponse(jsonResponse(code, { title, message, status, engines }));
  });
  app.on(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], ['/healthz', '/readyz'], () => toResponse(responses.readOnly));
  return app;
}

const readyAnswers = {
  ready: { code: 200, title: 'Ready', message: 'Every engine responds.' },
  degraded: {
    code: 200,
    title: 'Degraded',
    message: 'Deliveries are accepted and wait: an engine does not respond, or a disk is almost full.',
  },
  not_ready: { code: 503, title: 'Not Ready', message: 'A delivery would be refused: send it again later.' },
  stopping: { code: 503, title: 'Not Ready', message: 'The process is stopping.' },
} as const;
