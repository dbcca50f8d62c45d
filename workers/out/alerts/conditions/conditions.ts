// Every condition: checks of the health with options of their own, and rules about many bookings together.
import { z } from 'zod';
import { dayMs } from '#src/base/time.ts';
import { durationText } from '#src/base/zoned-time.ts';
import { duration } from '#src/config/readers.ts';
import {
  clockCheck,
  diskCheck,
  fullDiskLogs,
  lagCheck,
  lossCheck,
  staleCheck,
  waitingOnDisk,
} from '#src/read/health/delivery-health.ts';
import { findingsIn } from '#src/read/health/drift-health.ts';
import type { Finding } from '#src/read/health/health-check.ts';
import { alertCheck, jobCheck, quarantineCheck, subscriptionCheck } from '#src/read/health/health.ts';
import { wentBackCheck } from '#src/read/health/log-health.ts';
import { aliveOf, processHealth } from '#src/read/health/process-health.ts';
import { defineCondition, type ConditionKind, type Problem } from './condition.ts';

/** What is not ok, as the first page and `doctor` say it. */
function problemOf({ state, sentence, fix }: Finding, subject = 'mirror'): readonly Problem[] {
  return state === 'ok' ? [] : [{ subject, message: fix === undefined ? sentence : `${sentence} ${fix}` }];
}

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
    const groups = await health.endedWithin(by, within);
    return groups
      .filter(({ ended, no_shows: noShows }) => ended >= least && noShows / ended > above)
      .map(({ key: uri, ended, no_shows: noShows }) => ({
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
  find(_options, { lostSubscriptions: lost, subscriptions: known, ...health }) {
    const uris = new Set([...lost, ...known].map(({ uri }) => uri));
    return [...uris].flatMap((uri) => {
      const lostSubscriptions = lost.filter((one) => one.uri === uri);
      // A recorded loss says more than the last known state of the same subscription.
      const subscriptions = lostSubscriptions.length > 0 ? [] : known.filter((one) => one.uri === uri);
      return problemOf(subscriptionCheck({ ...health, lostSubscriptions, subscriptions }), uri);
    });
  },
});

const quarantine = defineCondition({
  when: 'quarantine',
  title: 'The quarantine is growing',
  about: 'The quarantine is growing.',
  page: '/deliveries?outcome=quarantined',
  options: {
    /** Deliveries of the last hour. */
    above: z.int().min(0).default(0),
  },
  find: ({ above }, { unprojected }) =>
    unprojected.quarantinedLastHour > above ? problemOf(quarantineCheck(unprojected)) : [],
});

const lag = defineCondition({
  when: 'lag',
  title: 'Deliveries are late',
  about: 'Deliveries become rows late.',
  page: '/queues',
  options: { above: duration('5m') },
  find({ above }, health) {
    const check = lagCheck(aliveOf(health), above);
    // A single late retry is no lag.
    return check.state === 'problem' ? problemOf(check) : [];
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
  find: ({ above }, { comparison }) =>
    (['recent', 'full'] as const).flatMap((part) => {
      const run = comparison[part];
      const [first, ...more] = run === undefined ? [] : findingsIn({ ...run, unreadable: [] }, part, above);
      return first === undefined
        ? []
        : problemOf(more.find(({ state }) => state === 'problem') ?? first, `mirror ${part}`);
    }),
});

const database = defineCondition({
  when: 'database',
  title: 'The database went back',
  about:
    'Entries that were committed are not in the log any more: the database was restored, or a replica took over that was behind.',
  page: '/mirror/sync',
  options: {},
  find: (_options, health) => problemOf(wentBackCheck(health), 'mirror database'),
});

const clockSkew = defineCondition({
  when: 'clock_skew',
  title: 'The clocks disagree',
  about: 'The clocks of a process, of the database and of the service disagree.',
  page: '/',
  options: { above: duration('60s') },
  find({ above }, health) {
    const alive = aliveOf(health);
    const check = staleCheck(alive) ?? clockCheck(alive, health.clock, above);
    return check.state === 'ok' && health.clock === undefined ? undefined : problemOf(check);
  },
});

const diskLog = defineCondition({
  when: 'disk_log',
  title: 'Deliveries wait on disk, or the queue lost jobs',
  about: 'Deliveries wait on disk because the queue is down, the disk log of a receiver is full, or Redis lost jobs.',
  page: '/queues',
  options: {},
  find: (_options, health) => [
    ...problemOf(waitingOnDisk(aliveOf(health))),
    ...problemOf(fullDiskLogs(aliveOf(health)), 'mirror disk log'),
    ...problemOf(lossCheck(aliveOf(health)), 'mirror queue'),
  ],
});

const disk = defineCondition({
  when: 'disk',
  title: 'A disk is getting full',
  about: 'A disk that the queue, the disk log or the SQLite file is on is getting full.',
  page: '/',
  options: {},
  find: (_options, health) => problemOf(diskCheck(aliveOf(health)), 'mirror disk'),
});

const process = defineCondition({
  when: 'process',
  title: 'A process is missing, or does not do its work',
  about:
    'No receiver runs, a process has stopped without a word, or one is not ready; or the queue is away or its batches wait.',
  page: '/mirror',
  options: {},
  find: (_options, health) =>
    processHealth(health)
      .filter(({ id }) => ['processes', 'readiness', 'queue'].includes(id))
      .flatMap((check) => problemOf(check, `mirror ${check.id}`)),
});

const job = defineCondition({
  when: 'job',
  title: 'A scheduled job does not run',
  about: 'A scheduled job did not run on time.',
  page: '/mirror/sync',
  options: {},
  find: (_options, { lateJobs }) => problemOf(jobCheck(lateJobs), 'mirror jobs'),
});

const alerts = defineCondition({
  when: 'alerts',
  title: 'Alerts are overdue',
  about: 'A channel does not accept messages; another channel can report it.',
  page: '/mirror/alerts',
  options: {},
  find: (_options, health) => problemOf(alertCheck(health), 'mirror alerts'),
});

export const conditionKinds: readonly ConditionKind[] = [
  noShowSpike,
  subscription,
  quarantine,
  lag,
  drift,
  database,
  clockSkew,
  diskLog,
  disk,
  process,
  job,
  alerts,
];
