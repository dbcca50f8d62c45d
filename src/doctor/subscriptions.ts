// Checks the webhook subscriptions: those that are needed exist, and when a delivery last arrived.
import { canCallService } from '#src/app/background.ts';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { inspectFromConfig } from '#src/app/subscription-watch.ts';
import { timeText } from '#src/base/time.ts';
import { newestDeliveries } from '#src/read/deliveries/delivery-tail.ts';
import { isOurs } from '#src/subscriptions/callback.ts';
import { subscriptionCheck } from '#src/read/health/health.ts';
import { describeFamilies, describeStep } from '#src/subscriptions/describe.ts';
import { isPending } from '#src/subscriptions/plan.ts';
import { isOtherOrganization } from '#workers/sync/mirror-identity.ts';
import { callOptions, openIfAny, type Check } from './check.ts';

const name = 'subscriptions';

const isRefused = (error: unknown): boolean => error instanceof SlotstreamError && error.code === 'refused';

export const checkSubscriptions: Check = async ({ config, now, mirror }, report) => {
  if (!canCallService(config) || config.publicUrl === undefined) return;
  const store = await openIfAny(mirror);
  if (store === undefined) return;
  const inspection = await inspectFromConfig({ config, store, now, upstream: callOptions }).catch((error: unknown) => {
    // The check of the service reports it.
    if (!isOtherOrganization(error) && !isRefused(error)) throw error;
  });
  if (inspection === undefined) return;
  const { input, steps, unlisted } = inspection;
  const ours = input.existing.filter((one) => isOurs(input.callback, one));
  // As the service says it now; the list that others show has it from the last look of a worker.
  const seen = { subscriptions: ours, lostSubscriptions: [], hasApi: true, nowMs: now().getTime() };
  const current = subscriptionCheck(seen);
  if (current.state === 'problem') report.findings.push(current);
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
