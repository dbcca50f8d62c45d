// Whether a channel may be tried: one that fails again and again is left alone for a while, and then tried with one message.
//
//   closed ──several failures in a row──▶ open ──pause over──▶ half ──well──▶ closed
//                                          ▲                    └──failed──▶ open, for longer
//   any ──the other side asks for a pause──▶ open until then
export interface Circuit {
  /** True: send, and say how it went. Otherwise when to come back. */
  admit(nowMs: number): true | { readonly untilMs: number };
  sent(): void;
  /** `askedMs`: how long the other side wants to be left alone. */
  failed(nowMs: number, askedMs: number | undefined): void;
  standing(nowMs: number): CircuitStanding;
}

export interface CircuitStanding {
  readonly state: 'closed' | 'open' | 'half';
  /** In a row. */
  readonly failures: number;
  readonly until: string | null;
}

const failuresToOpen = 5;
const firstPauseMs = 5_000;
const longestPauseMs = 300_000;
/** A wrong header must not silence a channel for years. */
const longestAskedMs = 3_600_000;
const whileProbingMs = 1_000;
/** A probe that never came back does not keep the circuit half open for ever. */
const probeMs = 30_000;

export function createCircuit(): Circuit {
  let failures = 0;
  let openUntil = 0;
  let probingUntil = 0;
  return {
    admit(nowMs) {
      if (nowMs < openUntil) return { untilMs: openUntil };
      if (failures < failuresToOpen) return true;
      if (nowMs < probingUntil) return { untilMs: nowMs + whileProbingMs };
      probingUntil = nowMs + probeMs;
      return true;
    },
    sent() {
      failures = 0;
      openUntil = 0;
      probingUntil = 0;
    },
    failed(nowMs, askedMs = 0) {
      failures += 1;
      probingUntil = 0;
      const over = failures - failuresToOpen;
      const pauseMs = over < 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(over, 16));
      openUntil = Math.max(openUntil, nowMs + Math.max(pauseMs, Math.min(askedMs, longestAskedMs)));
    },
    standing(nowMs) {
      const isOpen = nowMs < openUntil;
      return {
        state: isOpen ? 'open' : failures < failuresToOpen ? 'closed' : 'half',
        failures,
        until: isOpen ? new Date(openUntil).toISOString() : null,
      };
    },
  };
}
