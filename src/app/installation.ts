// What a process or a command knows of the installation it belongs to, and the health that follows from it.
import type { Config } from '#src/config/load.ts';
import { neededSettings } from '#src/config/missing-settings.ts';
import type { HealthCheck } from '#src/read/health/health-check.ts';
import { processHealth, type ProcessInput } from '#src/read/health/process-health.ts';
import { processInput, readHealth, type Installation } from '#src/read/health/read-health.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import type { Store } from '#src/store/contract.ts';
import { jobPeriods } from './jobs.ts';

export const installationOf = (
  config: Config,
  { queue, processes }: Pick<Installation, 'processes'> & { readonly queue?: Pick<DeliveryQueue, 'engine'> },
): Installation => ({
  processes,
  queueEngine: queue?.engine ?? 'unknown',
  missingSettings: neededSettings(config),
  recentEveryMs: config.reconcileEveryMs,
  fullEveryMs: config.sweepEveryMs,
  jobPeriods: jobPeriods(config),
});

export interface HealthNeeds extends Pick<ProcessInput, 'nowMs' | 'database' | 'queue'> {
  /** Undefined in a receiver, and where the store cannot be opened. */
  readonly store: Store | undefined;
  readonly installation: Installation;
}

export async function healthOf(needs: HealthNeeds): Promise<readonly HealthCheck[]> {
  const { store, installation, nowMs, database, queue } = needs;
  if (store) return readHealth(store, { installation, nowMs, queue });
  const processes = await installation.processes();
  return processHealth({ ...processInput(installation, { nowMs, processes, database }), queue });
}
