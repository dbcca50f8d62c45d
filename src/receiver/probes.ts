// The public endpoint: the webhook, and the two health probes. Everything but the webhook goes through Hono.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { throttled } from '#src/observability/log.ts';
import type { Health } from './health.ts';
import { jsonResponse, responses, toResponse } from './responses.ts';
import { createWebhook, type WebhookNeeds, type WebhookOptions } from './webhook.ts';

export interface ReceiverNeeds extends WebhookNeeds {
  readonly health: Pick<Health, 'readiness'>;
}

export interface ReceiverApp {
  fetch(request: Request, env: HttpBindings): Response | Promise<Response>;
  /** Responds to requests for the webhook without Hono; false for all others. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse, onEnd: () => void): boolean;
}

export function createReceiverApp(needs: ReceiverNeeds, options: WebhookOptions): ReceiverApp {
  const sample = throttled(needs.log, 10_000, needs.clock);
  const webhook = createWebhook(needs, options);

  async function ready(): Promise<Response> {
    const { deliveries: status, stopping, engines } = await needs.health.readiness();
    const { code, title, message } = readyAnswers[stopping ? 'stopping' : status];
    return toResponse(jsonResponse(code, { title, message, status, engines }));
  }

  const app = new Hono<{ Bindings: HttpBindings }>();
  app.get('/healthz', () => toResponse(responses.alive));
  app.get('/readyz', ready);
  app.on(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], ['/healthz', '/readyz'], () => toResponse(responses.readOnly));
  app.notFound(() => toResponse(responses.notFound));
  app.onError((err) => {
    sample('error', 'a request failed', { err });
    return toResponse(responses.failed);
  });
  return {
    fetch: (request, env) => app.fetch(request, env),
    handle(incoming, outgoing, onEnd) {
      if (!isWebhook(incoming.url)) return false;
      webhook(incoming, outgoing, onEnd);
      return true;
    },
  };
}

function isWebhook(url = ''): boolean {
  if (/^\/webhooks\/?(?:\?|$)/.test(url)) return true;
  // Spelled another way: with a host, as proxies write it, or with escapes.
  if (url.startsWith('/') && !url.includes('%')) return false;
  const { pathname = '' } = URL.parse(url.startsWith('/') ? `http://host${url}` : url) ?? {};
  const unescaped = pathname.replaceAll(/%[0-9a-f]{2}/gi, (one) => String.fromCharCode(parseInt(one.slice(1), 16)));
  return /^\/webhooks\/?$/.test(unescaped);
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
