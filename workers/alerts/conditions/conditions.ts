// Every condition: rules about the mirror itself, or about many bookings together.
import { slotstream } from '#src/base/command.ts';
import { z } from 'zod';
import { counted } from '#src/base/number-text.ts';
import { dayMs, timeText } from '#src/base/time.ts';
import { duration } from '#src/config/readers.ts';
import { lowDisksText, sumOf } from '#src/store/process-reports.ts';
import { durationText } from '#src/base/zoned-time.ts';
import type { MirrorHealth } from '#src/read/health/mirror-health.ts';
import { defineCondition, type ConditionKind, type Problem } from './condition.ts';

/** An unusual share of no-shows hints at a wrong invitation or a wrong clock. */
const noShowSpike = defineCondition({
  when: 'no_show_spike',
  title: 'Many no-shows',
  about: 'An unusually large share of bookings are no-shows.',
  page: '/no-shows',
  isGrouped: true,
  options: {
    /** Each event type or each host is counted separately. */
    by: z.enum(['event_type', 'host']).default('event_type'),
    /** The share of bookings that were no-shows. */
    above: z.number().min(0).max(1).default(0.3),
    of_at_least: z.int().min(1).default(5),
    within: duration('7d'),
  },
  async find({ by, above, of_at_least: least, within }, health) {
    const rates = await health.noShowRates(by, within);
    return rates
      .filter(({ ended, noShows }) => ended >= least && noShows / ended > above)
      .map(({ uri, ended, noShows }) => ({
        subject: uri,
        // A host is a person: only the URI is stored, and the message begins with the name when it is sent.
        message: `${noShows} of ${ended} missed in ${daysText(within)}, ${shareText(noShows / ended, above)}`,
      }));
  },
});

const daysText = (ms: number): string =>
  ms % dayMs === 0 ? `${ms / dayMs} ${ms === dayMs ? 'day' : 'days'}` : durationText(ms);

/** `14 %, limit 10 %`; with decimals where the two would look the same. */
function shareText(share: number, limit: number): string {
  const texts = (digits: number) => [share, limit].map((one) => String(Number((one * 100).toFixed(digits))));
  const [shown, shownLimit] = [0, 1, 2].map(texts).find(([a, b], digits) => a !== b || digits === 2) ?? [];
  return `${shown} %, limit ${shownLimit} %`;
}

/** The service has trouble delivering, or has given up. */
const subscription = defineCondition({
  when: 'subscription',
  title: 'A webhook subscription has a problem',
  about: 'A webhook subscription is failing or disabled.',
  page: '/mirror/subscriptions',
  options: {},
  find(_options, { lostSubscriptions: lost, subscriptions }) {
    // A recorded loss says more than the last known state of the same subscription.
    const others = subscriptions.filter(({ uri }) => !lost.some((one) => one.uri === uri));
    return [...lost.map(lossProblem), ...others.flatMap(deliveryProblem)];
  },
});

function lossProblem({ uri, how, isReplaced }: MirrorHealth['lostSubscriptions'][number]): Problem {
  const what =
    how === 'disabled' ? 'The service disabled a webhook subscription' : 'A webhook subscription was deleted';
  const next = isReplaced
    ? 'It was replaced; what was missed meanwhile is being repaired.'
    : `It delivers nothing. Check: ${slotstream} doctor`;
  return { subject: uri, message: `${what}. ${next}` };
}

function deliveryProblem({
  uri,
  state,
  retry_started_at: since,
}: MirrorHealth['subscriptions'][number]): readonly Problem[] {
  if (state === 'disabled') return [lossProblem({ uri, how: 'disabled', isReplaced: false })];
  if (since == null) return [];
  const message = `Deliveries of a webhook subscription have failed since ${timeText(since)}; after a day the service gives up. Check: ${slotstream} doctor`;
  return [{ subject: uri, message }];
}

const quarantine = defineCondition({
  when: 'quarantine',
  title: 'The quarantine is growing',
  about: 'The quarantine is growing.',
  page: '/deliveries?outcome=quarantined',
  options: {
    /** Deliveries of the last hour. */
    above: z.int().min(0).default(0),
  },
  find: ({ above }, { quarantinedLastHour, quarantined }) =>
    quarantinedLastHour > above
      ? aboutMirror(
          `${quarantinedLastHour} of ${quarantined} quarantined deliveries arrived within the last hour. Check: ${slotstream} replay --quarantined --dry-run`,
        )
      : [],
});

const lag = defineCondition({
  when: 'lag',
  title: 'Deliveries are late',
  about: 'Deliveries become rows late.',
  page: '/queues',
  options: { above: duration('5m') },
  find({ above }, { delaySeconds }) {
    // The median: a single late retry is no lag.
    const median = delaySeconds.toSorted((a, b) => a - b)[Math.floor((delaySeconds.length - 1) / 2)] ?? 0;
    return median * 1000 > above
      ? aboutMirror(`Deliveries become rows ${Math.round(median)} s after their event.`)
      : [];
  },
});

const drift = defineCondition({
  when: 'drift',
  title: 'The mirror and the service differed',
  about: 'A comparison with the service found wrong rows.',
  page: '/mirror/sync',
  options: {
    /** Rows that were missing, extra or different. Deletes that wait for confirmation alert whatever their number. */
    above: z.int().min(0).default(10),
  },
  find: ({ above }, { comparisons }) =>
    comparisons
      .filter(({ rows, heldBack }) => rows > above || heldBack > 0)
      .map(({ part, rows, heldBack, finishedAt }) => ({
        subject: `mirror ${part}`,
        message: [
          `The comparison of ${part === 'full' ? 'everything' : 'recent changes'} at ${timeText(finishedAt)} found ${counted(rows, 'row')} missing, extra or different, and repaired them.`,
          ...(heldBack > 0
            ? [
                `${heldBack} more were deleted in the service and wait for: ${slotstream} reconcile --repair --allow-deletes`,
              ]
            : []),
        ].join(' '),
      })),
});

/** With a wrong clock, signatures look stale and correctly signed deliveries are rejected. */
const clockSkew = defineCondition({
  when: 'clock_skew',
  title: 'The clocks disagree',
  about: 'The clocks of this machine and of the service disagree.',
  page: '/',
  options: { above: duration('60s') },
  find({ above }, { clockSkewSeconds: skew, processes }) {
    const rejected = sumOf(processes, 'refused_stale');
    if (rejected > 0)
      return aboutMirror(
        `${counted(rejected, 'correctly signed delivery was', 'correctly signed deliveries were')} rejected as too old within the last minutes. Check the clock of the receivers (or raise SIGNATURE_TOLERANCE_SECONDS).`,
      );
    if (skew === undefined) return undefined;
    if (Math.abs(skew) * 1000 <= above) return [];
    const off = `${Math.abs(Math.round(skew))} s ${skew > 0 ? 'ahead of' : 'behind'}`;
    return aboutMirror(`The clock of this machine is ${off} the service's. Set it by NTP.`);
  },
});

const spool = defineCondition({
  when: 'spool',
  title: 'Deliveries wait on disk',
  about: 'Deliveries wait on disk because the queue is down.',
  page: '/queues',
  options: {},
  find(_options, { processes }) {
    const spooled = sumOf(processes, 'spool_deliveries');
    return spooled > 0
      ? aboutMirror(`${counted(spooled, 'delivery waits', 'deliveries wait')} on disk for the queue.`)
      : [];
  },
});

const journal = defineCondition({
  when: 'journal',
  title: 'The queue lost jobs, or the journal is full',
  about: 'Redis lost accepted deliveries, or the journal of a receiver is full.',
  page: '/queues',
  options: {},
  find(_options, { processes }) {
    const losses = sumOf(processes, 'queue_losses');
    const problems: Problem[] = [];
    if (losses > 0)
      problems.push({
        subject: 'mirror queue',
        message: `${lossText(losses)} They are enqueued again from the journal.`,
      });
    if (processes.some(({ journal_full: isFull }) => isFull))
      problems.push({
        subject: 'mirror journal',
        message: 'The journal is full, so deliveries are rejected. Run more workers, or raise JOURNAL_MAX_MB.',
      });
    return problems;
  },
});

const disk = defineCondition({
  when: 'disk',
  title: 'A disk is getting full',
  about: 'A disk that the queue, the journal, the spool or the SQLite file is on is getting full.',
  page: '/',
  options: {},
  find(_options, { processes }) {
    const low = lowDisksText(processes);
    if (low === '') return [];
    const message = `Little free disk space: ${low}. Below MIN_FREE_DISK_MB they accept nothing more.`;
    return [{ subject: 'mirror disk', message }];
  },
});

const lossText = (losses: number): string =>
  `The queue lost jobs ${losses === 1 ? 'once' : `${losses} times`} within the last minutes.`;

const aboutMirror = (message: string): readonly Problem[] => [{ subject: 'mirror', message }];

export const conditionKinds: readonly ConditionKind[] = [
  noShowSpike,
  subscription,
  quarantine,
  lag,
  drift,
  clockSkew,
  spool,
  journal,
  disk,
];
