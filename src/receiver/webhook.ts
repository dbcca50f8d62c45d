// The webhook as a ladder of checks: method, encoding, size, signature, intake. Each check has one status, and its causes in the
// metrics; the cheapest comes first. Nothing is parsed here, so nothing unverified is ever parsed.
// It works on Node's request and response: Hono's cost a fifth of the processor time of a delivery.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { throttled } from '#src/observability/log.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics, RefusalCause } from '#src/observability/metrics/registry.ts';
import { verifySignature } from '#src/signing/signature.ts';
import type { SignatureScheme } from '#src/signing/signature.ts';
import { createBodyBudget, type BodyBudgetOptions } from './body-budget.ts';
import { isSelfTest } from './health.ts';
import { deliveryOf, type Intake } from './intake.ts';
import { discardRest, readBody } from './read-body.ts';
import { responses, send, sendAndClose } from './responses.ts';

export interface WebhookNeeds {
  readonly intake: Pick<Intake, 'accept'>;
  /** The signing keys that are valid at this time. */
  keysAt(nowMs: number): readonly string[];
  readonly metrics: Pick<Metrics, 'received' | 'refused' | 'evicted' | 'keyMatched' | 'acknowledged'>;
  readonly log: Log;
  /** Milliseconds since 1970. */
  clock(): number;
}

export interface WebhookOptions {
  readonly scheme: SignatureScheme;
  readonly header: string;
  readonly toleranceSeconds: number;
  readonly allowUnsigned: boolean;
  readonly maxBodyBytes: number;
  /** Limits of all bodies together, other than the usual ones. */
  readonly bodyBudget?: Partial<BodyBudgetOptions>;
}

/** Responds to a request for the webhook's path. It never rejects. */
export type Webhook = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

export function createWebhook(needs: WebhookNeeds, options: WebhookOptions): Webhook {
  // Refusals are counted, never stored, and logged at most every ten seconds: anyone can cause them.
  const sample = throttled(needs.log, 10_000, needs.clock);
  const maxBytes = Math.max(64 * 1024 ** 2, 4 * options.maxBodyBytes);
  const bodyBudget = createBodyBudget({ maxBytes, ...options.bodyBudget });

  function count(cause: RefusalCause): void {
    needs.metrics.refused(cause);
    if (cause === 'stale_signed') sample('warn', staleAdvice, { toleranceSeconds: options.toleranceSeconds });
    else sample('info', 'requests are refused', { cause });
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

  async function receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (incoming.method !== 'POST') {
      count('method');
      return send(outgoing, responses.methodNotAllowed);
    }
    const encoding = incoming.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      count('encoding');
      return send(outgoing, responses.compressed);
    }
    const body = await readBody(incoming, options.maxBodyBytes, bodyBudget);
    if (body === 'aborted') {
      count('aborted');
      // The sender closed the connection, so this response is never read.
      return send(outgoing, responses.badRequest);
    }
    if (typeof body === 'string') return giveUp(incoming, outgoing, body);
    const nowMs = needs.clock();
    const refusal = refusalOf(incoming, body, nowMs);
    if (refusal) {
      count(refusal);
      return send(outgoing, responses.unverified);
    }
    if (isSelfTest(body)) return send(outgoing, responses.selfTest);
    const outcome = await needs.intake.accept(deliveryOf(body, nowMs));
    needs.metrics.received(outcome);
    needs.metrics.acknowledged((needs.clock() - nowMs) / 1000);
    send(outgoing, outcome === 'unavailable' ? responses.unavailable : responses.accepted);
  }

  /** Responds to a request whose body is not read to its end. */
  async function giveUp(incoming: IncomingMessage, outgoing: ServerResponse, reason: UnreadBody): Promise<void> {
    if (reason === 'too_large') count(reason);
    else {
      needs.metrics.evicted(reason);
      sample('info', 'bodies that are large or slow are given up', { reason });
    }
    await sendAndClose(outgoing, unreadResponses[reason], discardRest(incoming));
  }

  return async (incoming, outgoing) => {
    try {
      await receive(incoming, outgoing);
    } catch (err) {
      sample('error', 'a request failed', { err });
      if (outgoing.headersSent) outgoing.destroy();
      else send(outgoing, responses.failed);
    }
  };
}

type UnreadBody = keyof typeof unreadResponses;

const unreadResponses = {
  too_large: responses.tooLarge,
  body_budget: responses.busy,
  slow_body: responses.slow,
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
