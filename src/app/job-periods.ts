// How often the jobs run that call the service.
import { dayMs, minuteMs } from '#src/base/time.ts';
import type { Config } from '#src/config/load.ts';

const slices = 200;

/** Where comparisons are rare on purpose, so is everything else that calls the service unasked. */
const atMostEvery = (maxMs: number, { reconcileEveryMs }: Config): number =>
  reconcileEveryMs > dayMs ? reconcileEveryMs : Math.min(reconcileEveryMs, maxMs);

export const jobPeriods = (config: Config) => ({
  reconcile: config.reconcileEveryMs,
  sweep: Math.min(5 * minuteMs, Math.ceil(config.sweepEveryMs / slices)),
  definitions: atMostEvery(10 * minuteMs, config),
  follow_up: atMostEvery(minuteMs, config),
  gap: Math.min(minuteMs / 4, config.watchEveryMs),
  ...(config.publicUrl !== undefined && { watch: config.watchEveryMs }),
});
