// The list of checks that says whether all is well: a sentence each, and what fixes it when it is not.
import { slotstream } from '#src/base/command.ts';
import { counted } from '#src/base/number-text.ts';
import { instantOf, timeText } from '#src/base/time.ts';
import type { AlertBacklog } from '#src/store/alerts/alert-queries.ts';
import type { KnownSubscription } from '#src/store/subscription-rows.ts';
import type { UnprojectedCounts } from '#src/read/deliveries/unprojected-counts.ts';
import type { LateJob } from '#src/store/jobs/lease.ts';
import { clockCheck } from './delivery-health.ts';
import { driftHealth, type ComparisonState } from './drift-health.ts';
import { ageText, type HealthCheck } from './health-check.ts';
import { aliveOf, processHealth, type ProcessInput } from './process-health.ts';
import { aheadCheck, wentBackCheck, type PositionsAhead } from './log-health.ts';
import { pollingCheck, type PollingState } from './polling-health.ts';
import type { ClockSkew, LostSubscription, WentBack } from './recorded-inputs.ts';

export interface HealthInput extends ProcessInput {
  /** As the subscription watch last saw them. */
  readonly subscriptions: readonly Pick<KnownSubscription, 'uri' | 'state' | 'retry_started_at'>[];
  /** Subscriptions that the watch found disabled or deleted within the last hour, replaced or not. */
  readonly lostSubscriptions: readonly LostSubscription[];
  readonly unprojected: UnprojectedCounts;
  readonly comparison: ComparisonState;
  /** Undefined where the database has all that was committed, as far as it is known. */
  readonly wentBack?: WentBack | undefined;
  /** Undefined when the service was not called lately. */
  readonly clock: ClockSkew | undefined;
  readonly hasApi: boolean;
  /** Undefined where webhooks are received. */
  readonly polling?: PollingState | undefined;
  readonly lateJobs: readonly LateJob[];
  readonly alerts: readonly AlertBacklog[];
  /** Sinks that do not accept the feed, as far as this process pushes it. */
  readonly refusingSinks: readonly RefusingSink[];
  readonly ahead?: PositionsAhead;
}

interface RefusingSink {
  readonly name: string;
  readonly host: string | null;
  readonly last_error: string | null;
  readonly behind: number;
}

export function mirrorHealth(input: HealthInput): readonly HealthCheck[] {
  return [
    input.polling ? pollingCheck(input.polling, input.nowMs) : subscriptionCheck(input),
    ...processHealth(input),
    wentBackCheck(input),
    driftHealth(input),
    jobCheck(input.lateJobs),
    quarantineCheck(input.unprojected),
    clockCheck(aliveOf(input), input.clock),
    alertCheck(input),
    ...sinkCheck(input.refusingSinks),
    ...aheadCheck(input.ahead),
  ];
}

export function subscriptionCheck({
  subscriptions: known,
  lostSubscriptions: lost,
  hasApi,
  nowMs,
}: Pick<HealthInput, 'subscriptions' | 'lostSubscriptions' | 'hasApi' | 'nowMs'>): HealthCheck {
  const item = { id: 'subscriptions', page: '/mirror/subscriptions' };
  const repair = `${slotstream} bootstrap, then: ${slotstream} reconcile --repair`;
  const down = lost.filter(({ isReplaced }) => !isReplaced);
  const disabled = new Set(
    [...known.filter(({ state }) => state === 'disabled'), ...down.filter(({ how }) => how === 'disabled')].map(
      ({ uri }) => uri,
    ),
  ).size;
  if (disabled > 0)
    return {
      ...item,
      state: 'problem',
      sentence: `The service disabled ${counted(disabled, 'webhook subscription')}, which delivers nothing now.`,
      fix: repair,
    };
  const missing = down.filter(({ how }) => how === 'missing').length;
  if (missing > 0)
    return {
      ...item,
      state: 'problem',
      sentence: `${counted(missing, 'webhook subscription was', 'webhook subscriptions were')} deleted in the service.`,
      fix: repair,
    };
  const [failingSince] = known.flatMap(({ retry_started_at: since }) => since ?? []).toSorted();
  if (failingSince !== undefined)
    return {
      ...item,
      state: 'problem',
      sentence: `Deliveries have failed for ${ageText(failingSince, nowMs)} and are retried; after a day the service gives up.`,
      fix: `Find out why PUBLIC_URL does not answer, or which receiver refuses them: ${slotstream} doctor; then: ${slotstream} reconcile --repair`,
    };
  if (lost.length > 0)
    return {
      ...item,
      state: 'warning',
      sentence: `${counted(lost.length, 'webhook subscription was', 'webhook subscriptions were')} lost within the last hour and created again. What was missed is being repaired.`,
    };
  // A process without these settings, such as `mcp`, can read what the workers have found.
  if (known.length > 0)
    return {
      ...item,
      state: 'ok',
      sentence: `${counted(known.length, 'webhook subscription is', 'webhook subscriptions are')} active.`,
    };
  if (!hasApi)
    return {
      ...item,
      state: 'ok',
      sentence: 'Webhook subscriptions are not watched: the API of the service is not set up.',
    };
  return {
    ...item,
    state: 'warning',
    sentence: 'No webhook subscription is registered, so the service delivers nothing.',
    fix: `${slotstream} bootstrap`,
  };
}

export function quarantineCheck({ quarantined, quarantinedLastHour, unhandled }: UnprojectedCounts): HealthCheck {
  const item = { id: 'quarantine', page: '/deliveries?outcome=quarantined' };
  const some = quarantinedLastHour > 0 ? `, ${quarantinedLastHour} of them within the last hour` : '';
  const lately = quarantinedLastHour === quarantined ? ' within the last hour' : some;
  const unknown = `${counted(unhandled, 'delivery is of a kind', 'deliveries are of kinds')} that this version does not know.`;
  if (quarantined > 0)
    return {
      ...item,
      state: 'problem',
      sentence: `${counted(quarantined, 'delivery', 'deliveries')} could not be applied${lately}.${unhandled > 0 ? ` ${unknown}` : ''}`,
      fix: `${slotstream} replay --quarantined --dry-run shows whether this version can apply them. What nothing will ever apply: ${slotstream} replay --quarantined --dismiss`,
    };
  if (unhandled > 0)
    return {
      ...item,
      page: '/deliveries?outcome=unhandled',
      state: 'warning',
      sentence: unknown,
      fix: `Upgrade, then: ${slotstream} replay --quarantined`,
    };
  return { ...item, state: 'ok', sentence: 'Nothing is in quarantine.' };
}

export function jobCheck([late]: readonly LateJob[]): HealthCheck {
  const id = 'jobs';
  if (late === undefined) return { id, state: 'ok', sentence: 'Scheduled jobs run on time.' };
  const { job, ranMs, failures } = late;
  const last = ranMs === undefined ? 'it never ended well' : `its last run is from ${timeText(instantOf(ranMs))}`;
  const failed = failures > 0 ? `, and it failed ${counted(failures, 'time')} since` : '';
  return {
    id,
    state: 'problem',
    sentence: `The scheduled job ${job} does not run on time: ${last}${failed}.`,
    fix: 'Look for "a scheduled job failed" in the logs of the workers, and check their clocks.',
  };
}

/** A channel is paused after so many failures. */
const manyFailures = 5;

export function alertCheck({ alerts, nowMs }: Pick<HealthInput, 'alerts' | 'nowMs'>): HealthCheck {
  const item = { id: 'alerts', page: '/mirror/alerts' };
  const late = alerts.filter(({ overdue, failures }) => overdue > 0 || failures >= manyFailures);
  const givenUp = alerts.filter(({ failed }) => failed > 0);
  const [first] = [...late, ...givenUp];
  if (first === undefined) return { ...item, state: 'ok', sentence: 'No alert is overdue.' };
  const texts = [
    ...late.map(({ channel, overdue, failingSince, lastError }) =>
      failingSince === undefined
        ? `${counted(overdue, 'alert', 'alerts')} to ${channel} ${overdue === 1 ? 'is' : 'are'} overdue.`
        : `${channel} has not accepted a message for ${ageText(failingSince, nowMs)} (${lastError ?? 'unknown error'}); ${counted(overdue, 'alert is', 'alerts are')} overdue.`,
    ),
    ...givenUp.map(({ channel, failed }) => `${counted(failed, 'alert')} could not be sent to ${channel}.`),
  ];
  const test = `${slotstream} alerts test --channel ${first.channel}`;
  const fix = givenUp.length > 0 ? `${test}; when that works: ${slotstream} alerts resend --failed` : test;
  return { ...item, state: 'problem', sentence: texts.join(' '), fix };
}

const sinkCheck = (refusing: readonly RefusingSink[]): readonly HealthCheck[] =>
  refusing.map(({ name, host, last_error: error, behind }) => ({
    id: 'feed',
    page: '/mirror/feed',
    state: 'problem',
    sentence: `The sink ${name}${host === null ? '' : ` at ${host}`} does not accept the feed (${error ?? 'unknown error'}). ${counted(behind, 'entry waits', 'entries wait')}.`,
    fix: `Check that it runs, and its FEED_ settings: ${slotstream} doctor`,
  }));
