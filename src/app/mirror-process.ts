// What pages show of this process: settings, schedule, queue, sinks, subscriptions.
import type { MirrorProcess } from '#src/api/mirror/mirror-process.ts';
import type { Config } from '#src/config/load.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import type { Store } from '#src/store/contract.ts';
import { canCallService } from './background.ts';
import type { Sinks } from './sink-pumps.ts';

interface MirrorProcessNeeds {
  readonly config: Config;
  readonly queue: DeliveryQueue;
  readonly store: Store;
  readonly sinks: Sinks['list'];
}

export function mirrorProcess({ config, queue, store, sinks }: MirrorProcessNeeds): MirrorProcess {
  const needs = { config, store, now: () => new Date() };
  // One at a time: each takes calls from the rate limit of the service, also when its page was closed.
  let planning: ReturnType<MirrorProcess['planSubscriptions']> | undefined;
  return {
    settings: config.settings,
    schedule: {
      canCompare: canCallService(config),
      reconcileEveryMs: config.reconcileEveryMs,
      sweepEveryMs: config.sweepEveryMs,
    },
    sinks,
    queue,
    planSubscriptions: () =>
      (planning ??= plan(needs).finally(() => {
        planning = undefined;
      })),
  };
}

/** Loaded only here, with the client of the service. */
async function plan(needs: { readonly config: Config; readonly store: Store; readonly now: () => Date }) {
  const { planSubscriptions } = await import('./subscription-plan.ts');
  return planSubscriptions(needs);
}
