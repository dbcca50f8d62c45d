// What the sender was answered during a fault, other than 2xx.
import { isAccepted } from '../../harness/mirror/sender.ts';
import type { Load } from '../load/sender.ts';

/** Counts the answers from now until the function is called. */
export function failuresSince(load: Pick<Load, 'offered'>) {
  const fromMs = Date.now();
  return () => {
    const counts = new Map<number | string, number>();
    for (const { status, atMs } of load.offered.flatMap(({ answers }) => answers))
      if (atMs >= fromMs && !isAccepted(status)) counts.set(status, (counts.get(status) ?? 0) + 1);
    return {
      /** How often this was the answer: a status, or the code of what broke the connection. */
      of: (status: number | string): number => counts.get(status) ?? 0,
      /** For the evidence, such as `12 × 503, 3 × ECONNREFUSED`. */
      text:
        counts.size === 0 ? 'all answers were 2xx' : [...counts].map(([status, n]) => `${n} × ${status}`).join(', '),
    };
  };
}
