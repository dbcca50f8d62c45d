// How long the client bears with trouble, by who waits for the result.

/** How long one kind of trouble may go on, from the first attempt that met it in a row, before it is told; in turns, both together. */
export interface Patience {
  /** While the service fails or cannot be reached. */
  readonly failuresMs: number;
  /** While the service asks to be called less often. */
  readonly limitsMs: number;
}

export const patiences = {
  /** Somebody waits for the result. */
  short: { failuresMs: 5_000, limitsMs: 5_000 },
  ordinary: { failuresMs: 60_000, limitsMs: 300_000 },
  /** Long work: an outage of the service of some minutes is sat out, and a rate limit never ends it. */
  long: { failuresMs: 1_800_000, limitsMs: Infinity },
} as const satisfies Record<string, Patience>;
