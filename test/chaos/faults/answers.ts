// What the sender was answered during a fault, other than 2xx.
import { isAccepted, type Load } from '../load/sender.ts';

export interface Failures {
  /** How often this was the answer: a status, or the code of what broke the connection. */
  of(status: number | string): number;
  readonly total: number;
  /** For the evidence, such as `12 × 503, 3 × ECONNREFUSED`. */
  readonly text: string;
}

/** Counts the answers from now until the function is called. */
export function failuresSince(load: Pick<Load, 'offered'>): () => Failures {
  const fromMs = Date.now();
  return () => {
    const counts = new Map<number | string, number>();
    for (const { status, atMs } of load.offered.flatMap(({ answers }) => answers))
      if (atMs >= fromMs && !isAccepted(status)) counts.set(status, (counts.get(status) ?? 0) + 1);
    return {
      of: (status) => counts.get(status) ?? 0,
      total: counts.values().reduce((sum, count) => sum + count, 0),
      text:
        counts.size === 0 ? 'all answers were 2xx' : [...counts].map(([status, n]) => `${n} × ${status}`).join(', '),
    };
  };
}
