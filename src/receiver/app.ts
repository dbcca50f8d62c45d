// The public endpoint as a ladder of checks: method, encoding, size, signature, intake. Each check has one status, and its
// causes in the metrics; the cheapest comes first. Nothing is parsed here, so nothing unverified is ever parsed.
import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { throttled } from '#src/observability/log.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics, RefusalCause } from '#src/observability/metrics/registry.ts';
import { verifySignature } from '#src/signing/signature.ts';
import type { SignatureScheme } from '#src/signing/signature.ts';
import { jsonResponse, responses, toLingeringResponse, toResponse } from './responses.ts';
import type { FixedResponse } from './responses.ts';
import { createBodyBudget, type BodyBudgetOptions } from './body-budget.ts';
import { discardRest, readBody } from './read-body.ts';
import { isSelfTest, type Health } from './health.ts';
import { deliveryOf, type Intake } from './intake.ts';

export interface ReceiverNeeds {
  readonly intake: Pick<Intake, 'accept'>;
  /** The signing keys that are valid at this time. */
  keysAt(nowMs: number): readonly string[];
  readonly health: Pick<Health, 'readiness'>;
  readonly metrics: Pick<Metrics, 'received' | 'refused' | 'evicted' | 'keyMatched' | 'acknowledged'>;
  readonly log: Log;
  /** Milliseconds since 1970. */
  clock(): number;
}

export interface ReceiverOptions {
  readonly scheme: SignatureScheme;
  readonly header: string;
  readonly toleranceSeconds: number;
  readonly allowUnsigned: boolean;
  readonly maxBodyBytes: number;
  /** Limits of all bodies together, other than the usual ones. */
  readonly bodyBudget?: Partial<BodyBudgetOptions>;
}

export type ReceiverApp = Hono<{ Bindings: HttpBindings }>;

export function createReceiverApp(needs: ReceiverNeeds, options: ReceiverOptions): ReceiverApp {
  // Refusals are counted, never stored, and logged at most every ten seconds: anyone can cause them.
  const sample = throttled(needs.log, 10_000, needs.clock);

  const maxBytes = Math.max(64 * 1024 ** 2, 4 * options.maxBodyBytes);
  const bodyBudget = createBodyBudget({ maxBytes, ...options.bodyBudget });

  function count(cause: RefusalCause): void {
    needs.metrics.refused(cause);
    if (cause === 'stale_signed') sample('warn', staleAdvice, { toleranceSeconds: options.toleranceSeconds });
    else sample('info', 'requests are refused', { cause });
  }

  function refuse(cause: RefusalCause, response: FixedResponse): Response {
    count(cause);
    return toResponse(response);
  }

  function refusalOf(incoming: IncomingMessage, body: Buffer, nowMs: number): RefusalCause | undefined {
    const keys = needs.keysAt(nowMs);
    if (options.allowUnsigned && keys.length === 0) return undefined;
    const verdict = verifySignature({
      scheme: options.scheme,
      headerName: options.header,
      headers: (name) => valuesOf(incoming, name),
      body,
      keys,
      toleranceSeconds: options.toleranceSeconds,
      nowSeconds: Math.floor(nowMs / 1000),
    });
    if (verdict.ok) needs.metrics.keyMatched(verdict.keyId);
    else if (!(options.allowUnsigned && verdict.refusal === 'missing')) return verdict.refusal;
    return undefined;
  }

  async function receive({ incoming }: HttpBindings): Promise<Response> {
    const encoding = incoming.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
      return refuse('encoding', responses.compressed);
    const body = await readBody(incoming, options.maxBodyBytes, bodyBudget);
    if (body === 'too_large') {
      count('too_large');
      return toLingeringResponse(responses.tooLarge, discardRest(incoming));
    }
    if (body === 'body_budget' || body === 'slow_body') {
      needs.metrics.evicted(body);
      sample('info', 'bodies that are large or slow are given up', { reason: body });
      return toLingeringResponse(body === 'slow_body' ? responses.slow : responses.busy, discardRest(incoming));
    }
    // The sender closed the connection, so this response is never read.
    if (body === 'aborted') return refuse('aborted', responses.badRequest);
    const nowMs = needs.clock();
    const refusal = refusalOf(incoming, body, nowMs);
    if (refusal) return refuse(refusal, responses.unverified);
    if (isSelfTest(body)) return toResponse(responses.selfTest);
    const outcome = await needs.intake.accept(deliveryOf(body, nowMs));
    needs.metrics.received(outcome);
    needs.metrics.acknowledged((needs.clock() - nowMs) / 1000);
    return toResponse(outcome === 'unavailable' ? responses.unavailable : responses.accepted);
  }

  async function ready(): Promise<Response> {
    const { status, stopping, engines } = await needs.health.readiness();
    const { code, title, message } = readyAnswers[stopping ? 'stopping' : status];
    return toResponse(jsonResponse(code, { title, message, status, engines }));
  }

  const app: ReceiverApp = new Hono<{ Bindings: HttpBindings }>();
  // One handler per path: with two, hono runs its middleware chain for every request.
  app.all('/webhooks', ({ req, env }) =>
    req.method === 'POST' ? receive(env) : refuse('method', responses.methodNotAllowed),
  );
  app.get('/healthz', () => toResponse(responses.alive));
  app.get('/readyz', ready);
  app.on(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], ['/healthz', '/readyz'], () => toResponse(responses.readOnly));
  app.notFound(() => toResponse(responses.notFound));
  app.onError((err) => {
    sample('error', 'a request failed', { err });
    return toResponse(responses.failed);
  });
  return app;
}

const readyAnswers = {
  ready: { code: 200, title: 'Ready', message: 'Every engine responds.' },
  degraded: {
    code: 200,
    title: 'Degraded',
    message: 'Deliveries are accepted and wait: an engine does not respond, or a disk is almost full.',
  },
  not_ready: { code: 503, title: 'Not Ready', message: 'An engine does not respond.' },
  stopping: { code: 503, title: 'Not Ready', message: 'The process is stopping.' },
} as const;

const staleAdvice =
  'correctly signed deliveries are rejected as too old: check the clock of this machine, or raise SIGNATURE_TOLERANCE_SECONDS';

/** Returns every value sent under the name separately. Node's `headers` joins them, and a joined pair can look like a list. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const found = rawHeaders[at] ?? '';
    if (found.length === name.length && found.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '');
  }
  return values;
}
