// The clock of alerts and scheduled jobs: that of the database, because the clocks of the machines that share it may differ. By a clock of
// its own, a process would claim alerts and jobs for too long, and when it dies, no other process would continue.
import { minuteMs } from '#src/base/time.ts';
import type { StoreEngine } from '#src/store/contract.ts';

export interface StoreClock extends Disposable {
  /** `ownMs`, the clock of this process, corrected. */
  following(ownMs: () => number): () => number;
}

/** A smaller difference is the time that the question takes. */
const ignoredMs = 1_000;

/** While the database does not answer, the last difference stays. */
export async function openStoreClock(
  engine: Pick<StoreEngine, 'clockAheadMs'>,
  askEveryMs: number = minuteMs / 6,
): Promise<StoreClock> {
  let aheadMs = 0;
  const ask = async (): Promise<void> => {
    const found = await engine.clockAheadMs();
    aheadMs = Math.abs(found) < ignoredMs ? 0 : found;
  };
  await ask();
  const timer = setInterval(() => void ask().catch(() => undefined), askEveryMs).unref();
  return { following: (ownMs) => () => ownMs() + aheadMs, [Symbol.dispose]: () => clearInterval(timer) };
}
