// The public edge as a ladder: method, encoding, size, signature, intake. One rung, one reason, one status, cheapest first;
// nothing is parsed here, so nothing unverified ever is.
import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { throttled } from '#src/observability/log.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics, RefusalCause } from '#src/observability/metrics/registry.ts';
import { isSelfTest } from './self-test.ts';
import { verifySignature } from '#src/signing/signature.ts';
import type { SignatureScheme } from '#src/signing/signature.ts';
import { answers, jsonAnswer, toLingeringResponse, toResponse } from './responses.ts';
import type { Answer } from './responses.ts';
import { discardRest, readBody } from './read-body.ts';
import { deliveryOf } from './batch-size.ts';
import type { Health } from './health.ts';
import type { Intake } from './intake.ts';

export interface ReceiverNeeds {
  readonly intake: Pick<Intake, 'accept'>;
  /** The signing keys that count at this moment. */
  keysAt(nowMs: number): readonly string[];
  readonly health: Pick<Health, 'readiness'>;
  readonly metrics: Pick<Metrics, 'received' | 'refused' | 'keyMatched' | 'acknowledged'>;
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
}

export type ReceiverApp = Hono<{ Bindings: HttpBindings }>;

export function createReceiverApp(needs: ReceiverNeeds, options: ReceiverOptions): ReceiverApp {
  // Refusals are counted, never stored, and told about at most every ten seconds: anyone can cause them.
  const sample = throttled(needs.log, 10_000, needs.clock);

  const reading = { maxBytes: Math.max(64 * 1024 ** 2, 4 * options.maxBodyBytes), bytes: 0 };

  function count(cause: RefusalCause): void {
    needs.metrics.refused(cause);
    if (cause === 'stale_signed') sample('warn', staleAdvice, { toleranceSeconds: options.toleranceSeconds });
    else sample('info', 'requests are refused', { cause });
  }

  function refuse(cause: RefusalCause, given: Answer): Response {
    count(cause);
    return toResponse(given);
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
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return refuse('encoding', answers.compressed);
    const body = await readBody(incoming, options.maxBodyBytes, reading);
    if (body === 'too_large') {
      count('too_large');
      return toLingeringResponse(answers.tooLarge, discardRest(incoming));
    }
    if (body === 'busy') {
      needs.metrics.received('unavailable');
      return toLingeringResponse(answers.busy, discardRest(incoming));
    }
    // Nobody is left to read this answer.
    if (body === 'aborted') return refuse('aborted', answers.badRequest);
    const nowMs = needs.clock();
    const refusal = refusalOf(incoming, body, nowMs);
    if (refusal) return refuse(refusal, answers.unverified);
    if (isSelfTest(body)) return toResponse(answers.selfTest);
    const outcome = await needs.intake.accept(deliveryOf(body, nowMs));
    needs.metrics.received(outcome);
    needs.metrics.acknowledged((needs.clock() - nowMs) / 1000);
    return toResponse(outcome === 'unavailable' ? answers.unavailable : answers.accepted);
  }

  async function ready(): Promise<Response> {
    const { ready: isReady, stopping, engines } = await needs.health.readiness();
    const message = isReady
      ? 'Every engine answers.'
      : stopping
        ? 'The process is stopping.'
        : 'An engine does not answer.';
    return toResponse(jsonAnswer(isReady ? 200 : 503, { title: isReady ? 'Ready' : 'Not Ready', message, engines }));
  }

  const app: ReceiverApp = new Hono<{ Bindings: HttpBindings }>();
  // One handler a path: with two, hono goes through its middleware chain at every request.
  app.all('/webhooks', ({ req, env }) =>
    req.method === 'POST' ? receive(env) : refuse('method', answers.methodNotAllowed),
  );
  app.get('/healthz', () => toResponse(answers.alive));
  app.get('/readyz', ready);
  app.on(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], ['/healthz', '/readyz'], () => toResponse(answers.readOnly));
  app.notFound(() => toResponse(answers.notFound));
  app.onError((err) => {
    sample('error', 'a request failed', { err });
    return toResponse(answers.failed);
  });
  return app;
}

const staleAdvice =
  'rightly signed deliveries are refused for their age: check this clock, or raise SIGNATURE_TOLERANCE_SECONDS';

/** Every value sent under the name, apart. Node's own `headers` joins them, and a joined pair can pass for a list. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const found = rawHeaders[at] as string;
    if (found.length === name.length && found.toLowerCase() === name) values.push(rawHeaders[at + 1] as string);
  }
  return values;
}
