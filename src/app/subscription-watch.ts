// Compares the webhook subscriptions of the service with the configuration, and restores those that were lost.
import { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import { instantOf } from '#src/base/time.ts';
import type { Config } from '#src/config/load.ts';
import { openKeyRing } from '#src/signing/key-ring.ts';
import type { Store } from '#src/store/contract.ts';
import { keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import { readSubscriptions, writeSubscriptions } from '#src/store/subscription-rows.ts';
import { inspectSubscriptions, type BootstrapNeeds, type Inspection } from '#src/subscriptions/bootstrap.ts';
import { callersOf, chooseKeys, inputOf } from '#src/subscriptions/from-config.ts';
import type { Callers } from '#src/subscriptions/list-existing.ts';
import { watchSubscriptions, type WatchInput, type WatchReport } from '#src/subscriptions/watch.ts';
import type { UpstreamNeeds, UpstreamOptions } from '#src/upstream/clients.ts';
import { requireSameOrganization } from '#workers/sync/mirror-identity.ts';
import { noteGap } from '#src/store/jobs/missed-window.ts';

export interface SubscriptionWatchNeeds {
  readonly config: Config;
  readonly store: Store;
  readonly now: () => Date;
  readonly signal?: AbortSignal | undefined;
  readonly upstream?: UpstreamOptions;
  /** Replaces parts of the API client's surroundings: its clock, its network. */
  readonly world?: UpstreamNeeds;
}

/** Whether lost subscriptions can be created again from here: that takes the receivers' signing key. */
export function hasSigningKey({ signing: { keys }, dataDir }: Config): boolean {
  return openKeyRing({ keys, dataDir, generate: false, allowUnsigned: true }).keysAt(0).length > 0;
}

/** Reports existing and desired subscriptions; changes nothing. */
export function inspectFromConfig(needs: SubscriptionWatchNeeds): Promise<Inspection> {
  const { bootstrapNeeds, input } = prepare(needs);
  return inspectSubscriptions(bootstrapNeeds, input);
}

/** Creates lost subscriptions again; the time since they were lost is recorded as a gap to repair. */
export async function restoreSubscriptions(
  needs: SubscriptionWatchNeeds & Pick<WatchInput, 'onFound'>,
): Promise<WatchReport> {
  const { bootstrapNeeds, input, signingKey, isKeyMissing } = prepare(needs);
  if (isKeyMissing)
    throw new SlotstreamError(
      'config',
      'There is no signing key here, so lost subscriptions cannot be created again.',
      { hint: 'Set SIGNING_KEYS to the key of the receivers, as for `receive`.' },
    );
  return watchSubscriptions(bootstrapNeeds, { ...input, signingKey, onFound: needs.onFound });
}

export function prepare({ config, store, now, signal, upstream = {}, world = {} }: SubscriptionWatchNeeds) {
  const callers = callersOf(config, world, { ...upstream, signal });
  // A dry run generates no key: a new one would not be that of the receivers.
  const keys = chooseKeys(config, { callers, rotates: false, isDry: true });
  const bootstrapNeeds = bootstrapNeedsOf({ store, now, signal }, callers);
  return {
    bootstrapNeeds,
    input: inputOf(config, keys, { prune: false, events: store.settings.events }),
    keys,
    signingKey: keys.keys[0],
    isKeyMissing: keys.isNew,
  };
}

const refusedSubscriptions = keyValue('refused_subscriptions', z.array(z.string()));

/** What bootstrap works with: the subscriptions last seen and the gaps, and what the service refused, are in the store. */
export function bootstrapNeedsOf(
  { store, now, signal }: Pick<SubscriptionWatchNeeds, 'store' | 'now' | 'signal'>,
  callers: Callers,
): BootstrapNeeds {
  return {
    callers,
    lastSeen: {
      read: () => readSubscriptions(store),
      update: ({ seen, deleted }) => writeSubscriptions(store, { seen, deleted }),
    },
    recordGap: (since) => noteGap(store, since),
    refusals: {
      read: async () => (await readValue(store, refusedSubscriptions)) ?? [],
      write: (ids) => store.transaction((unit) => writeValue(unit, refusedSubscriptions, [...ids])),
    },
    requireOrganization: (organization) =>
      requireSameOrganization(store, { origin: callers.main.origin, organization }, { claims: false }),
    now: () => instantOf(now()),
    signal,
  };
}
