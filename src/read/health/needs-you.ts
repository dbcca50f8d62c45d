// What waits for a person: deliveries in quarantine, alerts that failed, lost subscriptions, sinks that refuse the feed, meetings
// without evidence that the invitee came, and forms without a booking.
import { z } from 'zod';
import { slotstream } from '#src/base/command.ts';
import { counted } from '#src/base/number-text.ts';
import { dayMs, instantOf, minuteMs } from '#src/base/time.ts';
import { countAlerts } from '#src/store/alerts/alert-queries.ts';
import type { Store } from '#src/store/contract.ts';
import { countUnbooked, countUnconfirmed } from '#src/read/bookings/needs-attention.ts';

export const needRecord = z.strictObject({
  id: z.enum(['quarantine', 'subscriptions', 'failed_alerts', 'sinks', 'unconfirmed', 'unbooked']),
  kind: z.enum(['fault', 'work']).describe('`fault`: something is broken. `work`: a list that people go through.'),
  count: z.int().min(0),
  sentence: z.string(),
  fix: z.string().optional(),
  link: z.string().describe('The page that lists them.'),
});
export type AttentionItem = z.output<typeof needRecord>;

const shownDays = 7;

export interface NeedsInput {
  readonly nowMs: number;
  readonly quarantined: number;
  /** Webhook subscriptions that deliver nothing. */
  readonly downSubscriptions: number;
  readonly refusing: readonly RefusingSink[];
}

interface RefusingSink {
  readonly name: string;
  readonly host: string | null;
  readonly last_error: string | null;
  readonly behind: number;
}

const sinkSentence = ({ name, host, last_error: error, behind }: RefusingSink): string =>
  `The sink ${name}${host === null ? '' : ` at ${host}`} does not accept the feed (${error ?? 'unknown error'}). ${counted(behind, 'entry waits', 'entries wait')}.`;

export async function readNeeds(
  store: Store,
  { nowMs, quarantined, downSubscriptions, refusing }: NeedsInput,
): Promise<readonly AttentionItem[]> {
  const failed = (await countAlerts(store)).filter(({ state, count }) => state === 'failed' && count > 0);
  const failedAlerts = failed.reduce((sum, { count }) => sum + count, 0);
  const channels = failed.map(({ channel }) => channel).join(', ');
  const { sinceMs, unconfirmed, unbooked } = await readWork(store, nowMs);
  const needs: readonly AttentionItem[] = [
    {
      id: 'quarantine',
      kind: 'fault',
      count: quarantined,
      sentence: `${counted(quarantined, 'delivery', 'deliveries')} could not be applied.`,
      fix: `Look at the reasons; after a fix or an upgrade: ${slotstream} replay --quarantined. Dismiss what nothing will ever apply.`,
      link: '/deliveries?outcome=quarantined',
    },
    {
      id: 'subscriptions',
      kind: 'fault',
      count: downSubscriptions,
      sentence: `${counted(downSubscriptions, 'webhook subscription delivers', 'webhook subscriptions deliver')} nothing.`,
      fix: `${slotstream} bootstrap, then: ${slotstream} reconcile --repair`,
      link: '/mirror/subscriptions',
    },
    {
      id: 'failed_alerts',
      kind: 'fault',
      count: failedAlerts,
      sentence: `${counted(failedAlerts, 'alert')} could not be sent to ${channels}.`,
      fix: `${slotstream} alerts test --channel ${failed[0]?.channel ?? 'log'}; when that works: ${slotstream} alerts resend --failed`,
      link: '/mirror/alerts?state=failed',
    },
    {
      id: 'sinks',
      kind: 'fault',
      count: refusing.length,
      sentence: refusing.map(sinkSentence).join(' '),
      fix: `Check that it runs, and its FEED_ settings: ${slotstream} doctor`,
      link: '/mirror/feed',
    },
    {
      id: 'unconfirmed',
      kind: 'work',
      count: unconfirmed,
      sentence: `${counted(unconfirmed, 'meeting')} in the last ${shownDays} days: did the invitee come?`,
      link: '/bookings?unconfirmed=true',
    },
    {
      id: 'unbooked',
      kind: 'work',
      count: unbooked,
      sentence: `${counted(unbooked, 'form')} in the last ${shownDays} days did not lead to a booking.`,
      link: `/routing?booked=false&result_type=event_type&from=${instantOf(sinceMs)}`,
    },
  ];
  return needs.filter(({ count }) => count > 0);
}

interface Work {
  readonly sinceMs: number;
  readonly unconfirmed: number;
  readonly unbooked: number;
}

/** These two join a week of meetings, and change slowly. */
const countEveryMs = 2 * minuteMs;
const works = new WeakMap<Store, { readonly atMs: number; readonly work: Promise<Work> }>();

/** Counted at most every two minutes: the lists behind them are longer only by what ended since. */
async function readWork(store: Store, nowMs: number): Promise<Work> {
  const known = works.get(store);
  if (known !== undefined && Math.abs(nowMs - known.atMs) < countEveryMs) return known.work;
  const sinceMs = nowMs - shownDays * dayMs;
  const count = async (): Promise<Work> => ({
    sinceMs,
    unconfirmed: await countUnconfirmed(store, sinceMs),
    unbooked: await countUnbooked(store, sinceMs),
  });
  const work = count();
  works.set(store, { atMs: nowMs, work });
  work.catch(() => works.delete(store));
  return work;
}
