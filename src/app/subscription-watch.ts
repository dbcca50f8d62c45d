// Our subscriptions as the configuration wants them: looked at, and looked after.
import { instantOf } from '#src/base/time.ts';
import { noteGap } from '#workers/sync/reconcile/missed-window.ts';
import { inspectSubscriptions, type BootstrapNeeds, type Inspection } from '#src/subscriptions/bootstrap.ts';
import { callersOf, inputOf, chooseKeys } from '#src/subscriptions/from-config.ts';
import { openRefusalCache } from '#src/subscriptions/refusal-cache.ts';
import { watchSubscriptions, type WatchReport } from '#src/subscriptions/watch.ts';
import type { Config } from '#src/config/load.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { openKeyRing } from '#src/signing/key-ring.ts';
import type { Store } from '#src/store/contract.ts';
import { readSubscriptions, writeSubscriptions } from '#src/store/subscription-rows.ts';
import type { UpstreamNeeds, UpstreamOptions } from '#src/upstream/clients.ts';

export interface LookNeeds {
  readonly config: Config;
  readonly store: Store;
  readonly now: () => Date;
  readonly signal?: AbortSignal | undefined;
  readonly upstream?: UpstreamOptions;
  /** The world as the client sees it, where it is not the usual one. */
  readonly world?: UpstreamNeeds;
}

/** Whether what was lost can be made again from here: without the receivers' key it could not. */
export function holdsKey({ signing: { keys }, dataDir }: Config): boolean {
  return openKeyRing({ keys, dataDir, generate: false, allowUnsigned: true }).keysAt(0).length > 0;
}

/** What there is and what is wanted; changes nothing. */
export function lookAtSubscriptions(needs: LookNeeds): Promise<Inspection> {
  const { bootstrapNeeds, input } = settle(needs);
  return inspectSubscriptions(bootstrapNeeds, input);
}

/** Makes again what was lost; what was missed meanwhile is noted as a gap. */
export async function lookAfterSubscriptions(needs: LookNeeds): Promise<WatchReport> {
  const { bootstrapNeeds, input, signingKey, isImagined } = settle(needs);
  if (isImagined)
    throw new SlotstreamError('config', 'There is no signing key here, so lost subscriptions cannot be made again.', {
      hint: 'Set SIGNING_KEYS to the key of the receivers, as `receive` needs it.',
    });
  return watchSubscriptions(bootstrapNeeds, { ...input, signingKey });
}

function settle({ config, store, now, signal, upstream = {}, world = {} }: LookNeeds) {
  const callers = callersOf(config, world, { ...upstream, signal });
  // Dry: a key made here would not be that of the receivers.
  const keys = chooseKeys(config, { callers, rotates: false, isDry: true });
  const bootstrapNeeds: BootstrapNeeds = {
    callers,
    lastSeen: {
      read: () => readSubscriptions(store),
      update: ({ seen, deleted }) => writeSubscriptions(store, { seen, deleted }),
    },
    recordGap: (since) => noteGap(store, since),
    refusals: openRefusalCache(config.dataDir),
    now: () => instantOf(now()),
    signal,
  };
  return {
    bootstrapNeeds,
    input: inputOf(config, keys, { prune: false }),
    signingKey: keys.keys[0],
    isImagined: keys.isNew,
  };
}
