// When to try again after a failure: one exponential back-off and one circuit breaker for the whole program. Pure: time and
// randomness are arguments.

export interface Backoff {
  /** The delay after the first failure; each further failure doubles it. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** The share of the delay that is random, so that many callers do not return at once: 0 (the default) none, 1 all of it. */
  readonly jitter?: number;
}

/** Returns the delay after `failures` failures in a row (at least 1). `random` is in 0 ≤ random < 1. */
export function backoffMs({ firstMs, longestMs, jitter = 0 }: Backoff, failures: number, random = 0): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));
  return Math.round(full * (1 - jitter + jitter * random));
}

export interface CircuitBreakerOptions {
  readonly failuresToOpen: number;
  /** How long it stays open: the first delay when it opens, then longer after each failed probe. */
  readonly backoff: Backoff;
  /** The longest pause that the other side can request: a wrong header must not stop calls for years. */
  readonly longestRequestedMs?: number;
}

export type CircuitState = 'closed' | 'open' | 'half';

export interface CircuitBreaker {
  state(nowMs: number): CircuitState;
  /** True: make the call and report its result. Otherwise the time to come back. */
  admit(nowMs: number): true | { readonly retryAtMs: number };
  succeeded(): void;
  /** `requestedMs` is the pause that the other side asked for. */
  failed(nowMs: number, requestedMs?: number): void;
  /** Failures in a row. */
  readonly failures: number;
  /** The end of the current or last pause, in milliseconds since 1970; 0 when there was none. */
  readonly openUntilMs: number;
}

const whileProbingMs = 1_000;
/** A probe whose result is never reported does not keep the circuit half open for ever. */
const probeMs = 30_000;

/**
 * Stops calls to something that fails repeatedly.
 *
 *   closed ──failuresToOpen failures in a row──▶ open ──pause over──▶ half ──probe succeeded──▶ closed
 *                                                 ▲                    └──probe failed──▶ open, for longer
 *   any ──the other side requests a pause──▶ open until then
 *
 * While the circuit is half open, `admit` allows one probe at a time.
 */
export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { failuresToOpen, backoff, longestRequestedMs = 0 } = options;
  let failures = 0;
  let openUntilMs = 0;
  let probingUntilMs = 0;
  return {
    get failures() {
      return failures;
    },
    get openUntilMs() {
      return openUntilMs;
    },
    state(nowMs) {
      if (nowMs < openUntilMs) return 'open';
      return failures < failuresToOpen ? 'closed' : 'half';
    },
    admit(nowMs) {
      if (nowMs < openUntilMs) return { retryAtMs: openUntilMs };
      if (failures < failuresToOpen) return true;
      if (nowMs < probingUntilMs) return { retryAtMs: nowMs + whileProbingMs };
      probingUntilMs = nowMs + probeMs;
      return true;
    },
    succeeded() {
      failures = 0;
      openUntilMs = 0;
      probingUntilMs = 0;
    },
    failed(nowMs, requestedMs = 0) {
      failures += 1;
      probingUntilMs = 0;
      const pauseMs = failures < failuresToOpen ? 0 : backoffMs(backoff, failures - failuresToOpen + 1);
      openUntilMs = Math.max(openUntilMs, nowMs + Math.max(pauseMs, Math.min(requestedMs, longestRequestedMs)));
    },
  };
}
