// The clock of alerts: that of the database, because the clocks of the machines that share it may differ. By a clock of its own, a process
// would claim alerts for too long, and when it dies, no other process would send them.
import { minuteMs } from '#src/base/time.ts';
import type { StoreEngine } from '#src/store/contract.ts';

export interface StoreClock extends Disposable {
  readonly nowMs: () => number;
}

/** A smaller difference is the time that the question takes. */
const ignoredMs = 1_000;

/** `ownMs` is the clock of this process. While the database does not answer, the last difference stays. */
export async function openStoreClock(
  engine: Pick<StoreEngine, 'clockAheadMs'>,
  ownMs: () => number,
  askEveryMs: number = minuteMs / 6,
): Promise<StoreClock> {
  let aheadMs = 0;
  const ask = async (): Promise<void> => {
    const found = await engine.clockAheadMs();
    aheadMs = Math.abs(found) < ignoredMs ? 0 : found;
  };
  await ask();
  const timer = setInterval(() => void ask().catch(() => undefined), askEveryMs).unref();
  return { nowMs: () => ownMs() + aheadMs, [Symbol.dispose]: () => clearInterval(timer) };
}
