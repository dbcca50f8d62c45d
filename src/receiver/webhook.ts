// The public endpoint as a Hono app: POST /webhooks, the health probes, and signed links where ANSWERS is on. The webhook is a ladder of checks: method, encoding, size,
// signature, intake. Each check has one status, and its causes in the metrics; the cheapest comes first. Nothing is parsed here, so
// nothing unverified is ever parsed.
import type { HttpBindings } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { throttled } from '#src/observability/log.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics, RefusalCause } from '#src/observability/metrics/registry.ts';
import { joinedValues, rawHeaderValues } from '#src/signing/header-values.ts';
import { isSelfTest, nonceHeader, proofOf } from '#src/signing/self-test.ts';
import { keyIdOf, verifySignature } from '#src/signing/signature.ts';
import type { HeaderLookup, SignatureRefusal, SignatureScheme } from '#src/signing/signature.ts';
import { createBodyBudget, type BodyBudgetOptions } from './body-budget.ts';
import type { Health } from './health.ts';
import { deliveryOf, type Intake } from './intake.ts';
import { createProbes } from './probes.ts';
import { bodyOf, discardRest, readBody } from './read-body.ts';
import { responses, selfTestResponse, toResponse, type FixedResponse } from './responses.ts';

export interface ReceiverNeeds {
  readonly intake: Pick<Intake, 'accept'>;
  readonly health: Pick<Health, 'readiness'>;
  /** The signing keys that are valid at this time. */
  keysAt(nowMs: number): readonly string[];
  readonly metrics: Pick<Metrics, 'received' | 'refused' | 'evicted' | 'keyMatched' | 'acknowledged'>;
  readonly log: Log;
  /** Serves signed links; absent where ANSWERS is off. It reads no body. `address` is that of the socket, or '' where there is none. */
  readonly answers?: ((request: Request, address: string) => Promise<Response>) | undefined;
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

/** Any web request will do; Node's own, where the server passes it, has headers that are not joined and a body that is read faster. */
export type ReceiverEnv = { Bindings: Partial<HttpBindings> };

/** You can mount it in another Hono app: `app.route('/hooks', createReceiver(…))`. */
export function createReceiver(needs: ReceiverNeeds, options: ReceiverOptions): Hono<ReceiverEnv> {
  // Refusals are counted, never stored, and logged at most every ten seconds: anyone can cause them.
  const sample = throttled(needs.log, 10_000);
  const maxBytes = Math.max(64 * 1024 ** 2, 4 * options.maxBodyBytes);
  const bodyLimits = {
    maxBytes: options.maxBodyBytes,
    budget: createBodyBudget({ maxBytes, ...options.bodyBudget }),
  };

  async function receive({ req, env }: Context<ReceiverEnv>): Promise<Response> {
    const incoming = env?.incoming;
    if (req.method !== 'POST') return refuse('method', responses.methodNotAllowed);
    const encoding = req.header('content-encoding') ?? 'identity';
    if (encoding.toLowerCase() !== 'identity') return refuse('encoding', responses.compressed);
    const stream = bodyOf(req.raw, incoming);
    const body = await readBody(stream, { ...bodyLimits, declared: req.header('content-length') });
    // The sender closed the connection, so this response is never read.
    if (body === 'aborted') return refuse('aborted', responses.badRequest);
    if (body === 'too_large') return refuse('too_large', responses.tooLarge, discardRest(stream));
    if (typeof body === 'string') {
      needs.metrics.evicted(body);
      sample('info', 'bodies that are large or slow are given up', { reason: body });
      return toResponse(body === 'slow_body' ? responses.slow : responses.busy, discardRest(stream));
    }
    const nowMs = needs.clock();
    const headers: HeaderLookup = incoming
      ? rawHeaderValues(incoming.rawHeaders)
      : (name) => joinedValues(req.raw.headers.get(name));
    const keys = needs.keysAt(nowMs);
    const check = checkSignature({ body, headers, keys, nowMs });
    if (!check.ok) {
      // `doctor` checks that an unsigned delivery is refused: that is no news.
      if (check.refusal !== 'missing' || !isSelfTest(body)) count(check.refusal);
      return toResponse(responses.unverified);
    }
    if (isSelfTest(body)) return toResponse(selfTestResponse(proofFor(headers(nonceHeader), keys, check.keyId)));
    const outcome = await needs.intake.accept(deliveryOf(body, nowMs));
    needs.metrics.received(outcome);
    needs.metrics.acknowledged((needs.clock() - nowMs) / 1000);
    return toResponse(outcome === 'unavailable' ? responses.unavailable : responses.accepted);
  }

  function checkSignature({ body, headers, keys, nowMs }: SignedBody): SignatureCheck {
    if (options.allowUnsigned && keys.length === 0) return unverified;
    const { scheme, header: headerName, toleranceSeconds } = options;
    const nowSeconds = Math.floor(nowMs / 1000);
    const verdict = verifySignature({ scheme, headerName, headers, body, keys, toleranceSeconds, nowSeconds });
    if (verdict.ok) needs.metrics.keyMatched(verdict.keyId);
    else if (options.allowUnsigned && verdict.refusal === 'missing') return unverified;
    return verdict;
  }

  function refuse(cause: RefusalCause, response: FixedResponse, until?: Promise<void>): Response {
    count(cause);
    return toResponse(response, until);
  }

  function count(cause: RefusalCause): void {
    needs.metrics.refused(cause);
    if (cause === 'stale_signed') sample('warn', staleAdvice, { toleranceSeconds: options.toleranceSeconds });
    else sample('info', 'requests are refused', { cause });
  }

  const app = new Hono<ReceiverEnv>();
  app.on('ALL', ['/webhooks', '/webhooks/'], receive);
  const { answers } = needs;
  if (answers)
    app.all('/answers/:token', ({ req, env }) => answers(req.raw, env?.incoming?.socket.remoteAddress ?? ''));
  app.route('/', createProbes(needs.health));
  app.notFound(() => toResponse(responses.notFound));
  app.onError((err) => {
    sample('error', 'a request failed', { err });
    return toResponse(responses.failed);
  });
  return app;
}

interface SignedBody {
  readonly body: Buffer;
  readonly headers: HeaderLookup;
  readonly keys: readonly string[];
  readonly nowMs: number;
}

/** Without `keyId`, the body was let in unverified: ALLOW_UNSIGNED. */
type SignatureCheck =
  | { readonly ok: true; readonly keyId: string | undefined }
  | { readonly ok: false; readonly refusal: SignatureRefusal };
const unverified: SignatureCheck = { ok: true, keyId: undefined };

/** Null where nothing was verified, undefined where no proof was asked for. */
function proofFor(
  nonces: readonly string[],
  keys: readonly string[],
  keyId: string | undefined,
): string | null | undefined {
  if (keyId === undefined) return null;
  const key = keys.find((one) => keyIdOf(one) === keyId);
  const [nonce, ...others] = nonces;
  return key === undefined || nonce === undefined || others.length > 0 ? undefined : proofOf(key, nonce);
}

const staleAdvice =
  'correctly signed deliveries are rejected as too old: check the clock of this machine, or raise SIGNATURE_TOLERANCE_SECONDS';
