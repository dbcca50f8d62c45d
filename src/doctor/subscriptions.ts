// Checks the webhook subscriptions: those that are needed exist, and when a delivery last arrived.
import { canCallService } from '#src/app/background.ts';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { inspectFromConfig } from '#src/app/subscription-watch.ts';
import { timeText } from '#src/base/time.ts';
import { newestDeliveries } from '#src/read/deliveries/delivery-tail.ts';
import { isOurs } from '#src/subscriptions/callback.ts';
import { describeFamilies, describeStep } from '#src/subscriptions/describe.ts';
import { isPending } from '#src/subscriptions/plan.ts';
import { isOtherOrganization } from '#workers/sync/mirror-identity.ts';
import { callOptions, openMirrorIfAny, type Check } from './check.ts';

const name = 'subscriptions';

const isRefused = (error: unknown): boolean => error instanceof SlotstreamError && error.code === 'refused';

export const checkSubscriptions: Check = async ({ config, log, now }, report) => {
  if (!canCallService(config) || config.publicUrl === undefined) return;
  await using store = await openMirrorIfAny({ config, log });
  if (store === undefined) return;
  const inspection = await inspectFromConfig({ config, store, now, upstream: callOptions }).catch((error: unknown) => {
    // The check of the service reports it.
    if (!isOtherOrganization(error) && !isRefused(error)) throw error;
  });
  if (inspection === undefined) return;
  const { input, steps, unlisted } = inspection;
  const ours = input.existing.filter((one) => isOurs(input.callback, one));
  const retried = ours.filter(({ state, retry_started_at: since }) => state === 'active' && since != null);
  for (const { retry_started_at: since } of retried)
    report.problem(
      name,
      `deliveries fail and are retried since ${timeText(since ?? '')}; after a day the service gives up.`,
      `Fix what the line about the public URL says; if that is well, look at the log of the receivers. Then repair what was missed: ${slotstream} reconcile --repair`,
    );
  const disabled = ours.filter(({ state }) => state !== 'active').length;
  if (disabled > 0)
    report.problem(
      name,
      `the service disabled ${disabled} of them.`,
      `${slotstream} bootstrap, then: ${slotstream} reconcile --repair`,
    );
  const pending = steps.filter(isPending).map((step) => describeStep(step).events);
  // What cannot be listed may exist.
  if (pending.length > 0 && unlisted.length === 0)
    report.problem(
      name,
      `${pending.length} must be created or deleted (${describeFamilies(pending.flat())}).`,
      `${slotstream} bootstrap (--plan shows the changes first)`,
    );
  for (const error of new Map(unlisted.map((each) => [each.error.message, each.error])).values())
    report.warning(name, `some cannot be listed. ${error.message}`, error.hint ?? `${slotstream} bootstrap --plan`);
  if (report.findings.length > 0) return;
  const [newest] = await newestDeliveries(store, 1);
  const arrival = newest
    ? `the newest delivery arrived at ${timeText(newest.received_at)}`
    : 'no delivery has arrived yet';
  report.ok(name, `${ours.length} are up to date; ${arrival}.`);
};
