// The webhook subscriptions: those that are wanted exist, and deliveries to them arrive.
import { lookAtSubscriptions } from '#src/app/subscription-watch.ts';
import { isOurs } from '#src/subscriptions/callback.ts';
import { isPending } from '#src/subscriptions/plan.ts';
import { hasApi, lookingOptions, type Check } from './check.ts';
import { doubtful, ill, well, type Finding } from './finding.ts';
import { openMirrorIfAny } from './mirror.ts';

const name = 'subscriptions';

export const checkSubscriptions: Check = async ({ config, log, now }) => {
  if (!hasApi(config) || config.publicUrl === undefined) return [];
  await using store = await openMirrorIfAny({ config, log });
  if (store === undefined) return [];
  const { input, steps, unlisted } = await lookAtSubscriptions({ config, store, now, upstream: lookingOptions });
  const ours = input.existing.filter((one) => isOurs(input.callback, one));
  const found: Finding[] = ours.flatMap(({ state, retry_started_at: since }) =>
    state === 'active' && since != null
      ? [
          ill(
            name,
            `deliveries fail and are retried since ${since}; after a day the service gives up.`,
            'Mend the line about the public URL; what was missed: npx slotstream reconcile --repair',
          ),
        ]
      : [],
  );
  const disabled = ours.filter(({ state }) => state !== 'active').length;
  if (disabled > 0)
    found.push(
      ill(
        name,
        `the service disabled ${disabled} of ours.`,
        'npx slotstream bootstrap, then: npx slotstream reconcile --repair',
      ),
    );
  const pending = steps.filter(isPending).length;
  if (pending > 0) found.push(ill(name, `${pending} to make, replace or delete.`, 'npx slotstream bootstrap --plan'));
  for (const { error } of unlisted)
    found.push(
      doubtful(name, `some cannot be seen. ${error.message}`, error.hint ?? 'npx slotstream bootstrap --plan'),
    );
  return found.length > 0 ? found : [well(name, `${ours.length} up to date, and deliveries arrive.`)];
};
