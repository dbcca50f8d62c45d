// The health of the mirror, item by item: a sentence each, and what fixes it when it is not well. The words and limits are those of
// `doctor` and of the alert conditions.
import { slotstream } from '#src/base/command.ts';
import { counted, duration } from '#src/base/number-text.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import type { LateJob } from '#workers/scheduling/lease.ts';
import type { MirrorHealth } from './mirror-health.ts';
import { driftHealth, type ComparisonState } from './drift-health.ts';
import { jobHealth } from './late-jobs.ts';
import { ageText, processHealth, type HealthItem } from './process-health.ts';

export interface HealthInput {
  readonly nowMs: number;
  /** Every process that reports, this one included. */
  readonly processes: readonly ProcessRow[];
  readonly mirror: Omit<MirrorHealth, 'noShowRates' | 'processes'>;
  /** Deliveries of unknown kinds. */
  readonly unhandled: number;
  /** Whether the service can be called. */
  readonly hasApi: boolean;
  readonly comparison: ComparisonState;
  readonly lateJobs: readonly LateJob[];
}

export function mirrorHealth(input: HealthInput): readonly HealthItem[] {
  const { mirror, unhandled, hasApi, nowMs } = input;
  return [
    subscriptions(mirror, { hasApi, nowMs }),
    ...processHealth(input),
    ...driftHealth(input),
    jobHealth(input.lateJobs),
    quarantine(mirror, unhandled),
    clock(mirror, hasApi),
  ];
}

/** How many subscriptions deliver nothing, and were not replaced. */
export function downSubscriptions({
  subscriptions: known,
  lostSubscriptions: lost,
}: Pick<HealthInput['mirror'], 'subscriptions' | 'lostSubscriptions'>) {
  const down = lost.filter(({ isReplaced }) => !isReplaced);
  const disabled = [
    ...known.filter(({ state }) => state === 'disabled'),
    ...down.filter(({ how }) => how === 'disabled'),
  ];
  const missing = down.filter(({ how }) => how === 'missing').length;
  return { disabled: new Set(disabled.map(({ uri }) => uri)).size, missing };
}

function subscriptions(
  { subscriptions: known, lostSubscriptions: lost }: HealthInput['mirror'],
  { hasApi, nowMs }: Pick<HealthInput, 'hasApi' | 'nowMs'>,
): HealthItem {
  const item = { id: 'subscriptions', link: '/mirror/subscriptions' };
  const repair = `${slotstream} bootstrap, then: ${slotstream} reconcile --repair`;
  const { disabled, missing } = downSubscriptions({ subscriptions: known, lostSubscriptions: lost });
  if (disabled > 0)
    return {
      ...item,
      state: 'problem',
      sentence: `The service disabled ${counted(disabled, 'webhook subscription')}, which delivers nothing now.`,
      fix: repair,
    };
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
      fix: `Find out why PUBLIC_URL does not answer: ${slotstream} doctor; then: ${slotstream} reconcile --repair`,
    };
  if (lost.length > 0)
    return {
      ...item,
      state: 'attention',
      sentence: `${counted(lost.length, 'webhook subscription was', 'webhook subscriptions were')} lost within the last hour and created again. What was missed is being repaired.`,
    };
  if (!hasApi)
    return {
      ...item,
      state: 'ok',
      sentence: 'Webhook subscriptions are not watched: the API of the service is not set up.',
    };
  if (known.length > 0)
    return {
      ...item,
      state: 'ok',
      sentence: `${counted(known.length, 'webhook subscription is', 'webhook subscriptions are')} active.`,
    };
  return {
    ...item,
    state: 'attention',
    sentence: 'No webhook subscription is registered, so the service delivers nothing.',
    fix: `${slotstream} bootstrap`,
  };
}

function quarantine({ quarantined, quarantinedLastHour }: HealthInput['mirror'], unhandled: number): HealthItem {
  const item = { id: 'quarantine', link: '/deliveries?outcome=quarantined' };
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
      link: '/deliveries?outcome=unhandled',
      state: 'attention',
      sentence: unknown,
      fix: `Upgrade, then: ${slotstream} replay --quarantined`,
    };
  return { ...item, state: 'ok', sentence: 'Nothing is in quarantine.' };
}

/** As of the alert condition `clock_skew`. */
const maxSkewSeconds = 60;

function clock({ clockSkewSeconds: skew }: HealthInput['mirror'], hasApi: boolean): HealthItem {
  const id = 'clock';
  if (skew === undefined || !hasApi)
    return { id, state: 'ok', sentence: 'The clock was not compared with the service lately.' };
  if (Math.abs(skew) <= maxSkewSeconds) return { id, state: 'ok', sentence: 'The clock agrees with the service.' };
  const off = `${duration(Math.abs(skew) * 1000)} ${skew > 0 ? 'ahead of' : 'behind'}`;
  return {
    id,
    state: 'attention',
    sentence: `The clock of a worker is ${off} the service's.`,
    fix: 'Set the clocks of the workers by NTP.',
  };
}
