// The webhook as a ladder of checks: method, encoding, size, signature, intake. Each check has one status, and its causes in the
// metrics; the cheapest comes first. Nothing is parsed here, so nothing unverified is ever parsed.
// It works on Node's request and response: Hono's cost a fifth of the processor time of a delivery.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { throttled } from '#src/observability/log.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics, ReceivedOutcome, RefusalCause } from '#src/observability/metrics/registry.ts';
import { verifySignature } from '#src/signing/signature.ts';
import type { SignatureScheme } from '#src/signing/signature.ts';
import { createBodyBudget, type BodyBudgetOptions } from './body-budget.ts';
import { isSelfTest } from './health.ts';
import { deliveryOf, type Intake } from './intake.ts';
import { discardRest, readBody, type BodyRead } from './read-body.ts';
import { responses, send, sendAndClose, type FixedResponse } from './responses.ts';

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

/** Responds to a request for the webhook's path, then calls `onEnd`. With callbacks: promises cost more than the checks. */
export type Webhook = (incoming: IncomingMessage, outgoing: ServerResponse, onEnd: () => void) => void;

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly onEnd: () => void;
  /** When the body was complete. */
  receivedAtMs: number;
}

export function createWebhook(needs: WebhookNeeds, options: WebhookOptions): Webhook {
  // Refusals are counted, never stored, and logged at most every ten seconds: anyone can cause them.
  const sample = throttled(needs.log, 10_000, needs.clock);
  const maxBytes = Math.max(64 * 1024 ** 2, 4 * options.maxBodyBytes);
  const budget = createBodyBudget({ maxBytes, ...options.bodyBudget });
  const bodyLimits = { maxBytes: options.maxBodyBytes, budget };
  const headerName = options.header.toLowerCase();

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
      headerName,
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

  function receive(exchange: Exchange): void {
    const { incoming } = exchange;
    if (incoming.method !== 'POST') {
      count('method');
      return respond(exchange, responses.methodNotAllowed);
    }
    const encoding = incoming.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      count('encoding');
      return respond(exchange, responses.compressed);
    }
    readBody(incoming, bodyLimits, (body) => attempt(exchange, accept, body));
  }

  function accept(exchange: Exchange, body: BodyRead): void {
    if (body === 'aborted') {
      count('aborted');
      // The sender closed the connection, so this response is never read.
      return respond(exchange, responses.badRequest);
    }
    if (typeof body === 'string') return giveUp(exchange, body);
    const nowMs = needs.clock();
    const refusal = refusalOf(exchange.incoming, body, nowMs);
    if (refusal) {
      // `doctor` checks that an unsigned delivery is refused: that is no news.
      if (refusal === 'missing' && isSelfTest(body)) needs.metrics.refused(refusal);
      else count(refusal);
      return respond(exchange, responses.unverified);
    }
    if (isSelfTest(body)) return respond(exchange, responses.selfTest);
    exchange.receivedAtMs = nowMs;
    needs.intake.accept(deliveryOf(body, nowMs), (outcome) => attempt(exchange, acknowledge, outcome));
  }

  function acknowledge(exchange: Exchange, outcome: ReceivedOutcome): void {
    needs.metrics.received(outcome);
    needs.metrics.acknowledged((needs.clock() - exchange.receivedAtMs) / 1000);
    respond(exchange, outcome === 'unavailable' ? responses.unavailable : responses.accepted);
  }

  /** Responds to a request whose body is not read to its end. */
  function giveUp(exchange: Exchange, reason: UnreadBody): void {
    if (reason === 'too_large') count(reason);
    else {
      needs.metrics.evicted(reason);
      sample('info', 'bodies that are large or slow are given up', { reason });
    }
    const { incoming, outgoing, onEnd } = exchange;
    const closed = sendAndClose(outgoing, unreadResponses[reason], discardRest(incoming));
    closed.then(onEnd, (err: unknown) => fail(exchange, err));
  }

  /** Runs a step of a request. None may throw: most are called by an event. */
  function attempt<T>(exchange: Exchange, step: (exchange: Exchange, input: T) => void, input: T): void {
    try {
      step(exchange, input);
    } catch (err) {
      fail(exchange, err);
    }
  }

  function fail({ outgoing, onEnd }: Exchange, err: unknown): void {
    sample('error', 'a request failed', { err });
    if (outgoing.headersSent) outgoing.destroy();
    else send(outgoing, responses.failed);
    onEnd();
  }

  return (incoming, outgoing, onEnd) => attempt({ incoming, outgoing, onEnd, receivedAtMs: 0 }, receive, undefined);
}

function respond({ outgoing, onEnd }: Exchange, response: FixedResponse): void {
  send(outgoing, response);
  onEnd();
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
