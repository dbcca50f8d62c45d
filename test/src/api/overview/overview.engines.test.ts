// The overview on every store: a new installation, one that is at work, and those that need a person, in golden files.
import { describe, expect, it } from 'vitest';
import type { EventKind } from '#schemas/events.ts';
import { readOverview } from '#src/api/overview/overview.ts';
import type { Installation } from '#src/read/health/read-health.ts';
import { dayMs, hourMs, instantOf } from '#src/base/time.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import { keyValue, writeValue } from '#src/store/key-value.ts';
import type { NewRow } from '#src/store/schema/tables.ts';
import type { Store } from '#src/store/contract.ts';
import { writeRows } from '#src/store/rows.ts';
import { writeSubscriptions, type KnownSubscription } from '#src/store/subscription-rows.ts';
import { recordLostSubscriptions } from '#src/read/health/recorded-inputs.ts';
import { requireSameOrganization } from '#workers/sync/mirror-identity.ts';
import { recordFilled } from '#src/store/jobs/filled.ts';
import { endLease, takeLease } from '#src/store/jobs/lease.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { z } from 'zod';
import { processRow } from '../../../harness/data/process-row.ts';
import { ingest, storeEngines } from '../../../harness/stores.ts';
import { expectGolden, yamlOf } from '../../../harness/golden.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { testProcess } from '../../../harness/mirror/test-process.ts';

/** A Thursday. */
const nowMs = Date.parse('2026-01-01T12:20:00Z');
const sample = createSampler(1);
const screen = privacyScreen({ eraseOnDelete: true });

const installation: Installation = {
  processes: async () => [
    processRow({
      seen_at: instantOf(nowMs),
      accepted: 3,
      queue_waiting: 2,
      queue_oldest_at: instantOf(nowMs - 4_000),
      lag_p50_ms: 40,
      lag_p99_ms: 900,
    }),
  ],
  queueEngine: 'embedded',
  missingSettings: [],
  recentEveryMs: hourMs,
  fullEveryMs: dayMs,
  jobPeriods: {},
};

const subscription = {
  uri: 'https://api.example.test/webhook_subscriptions/1',
  callback_url: 'https://mirror.example.test/webhooks',
  state: 'active',
  scope: 'organization',
  events: ['invitee.created'],
  checked_at: instantOf(nowMs),
} as unknown as KnownSubscription;

/** Samples of these kinds, each received so long ago, the oldest first. */
async function receive(store: Store, samples: readonly (readonly [agoMs: number, kind: EventKind])[]): Promise<void> {
  const deliveries = samples.map(([agoMs, kind], index) => {
    const body = JSON.stringify(sample(kind, { index, now: new Date(nowMs - agoMs) }));
    return { body, receivedAt: instantOf(nowMs - agoMs) };
  });
  await ingest({ store, screen }, { v: 1, deliveries }, instantOf(nowMs));
}

async function setUp(store: Store): Promise<void> {
  await writeSubscriptions(store, { seen: [subscription], deleted: [] });
  const account = { origin: 'https://api.example.test', organization: 'o' };
  await requireSameOrganization(store, account, { claims: true });
  await recordFilled(store, instantOf(nowMs));
}

const ago = (ms: number): string => instantOf(nowMs - ms);
const uri = (kind: string): string => `https://api.example.test/${kind}/1`;

const submission = (kind: string, agoMs: number) => ({
  uri: uri(kind),
  created_at: ago(agoMs),
  result_type: 'event_type',
});

const alert = (id: string, more: object): NewRow<'alerts'> => ({
  id,
  rule: 'r',
  subject_uri: id,
  state: 'pending',
  channel: 'slack',
  attempts: 0,
  fact: 'f',
  episode: 0,
  occurred_at: ago(hourMs),
  due_at: ago(240_000),
  next_at: ago(0),
  created_at: ago(hourMs),
  updated_at: ago(0),
  ...more,
});
const addAlerts = (store: Store, alerts: readonly ReturnType<typeof alert>[]) =>
  store.transaction((unit) => writeRows(unit, 'alerts', alerts));

/** A job that last ran at that time. */
async function ran(store: Store, atMs: number): Promise<void> {
  const needs = { store, nowMs: () => atMs, holder: 'one' };
  await takeLease(needs, { job: 'watch', everyMs: 0 });
  await endLease(needs, 'watch', atMs);
}

interface Case {
  readonly given?: Partial<Installation>;
  readonly fill?: (store: Store) => Promise<unknown>;
}
const cases: Readonly<Record<string, Case>> = {
  new: {},
  unset: { given: { missingSettings: ['API_TOKEN', 'PUBLIC_URL'] } },
  'at-work': {
    async fill(store) {
      await setUp(store);
      await receive(store, [
        [8 * dayMs, 'contact.created'],
        [7 * dayMs + 2 * hourMs, 'invitee.created'],
        [7 * dayMs - hourMs, 'contact.created'],
        [hourMs, 'invitee.created'],
        [60_000, 'invitee_no_show.created'],
        [0, 'invitee.canceled'],
      ]);
    },
  },
  'needing-a-person': {
    async fill(store) {
      await setUp(store);
      await writeSubscriptions(store, { seen: [{ ...subscription, state: 'disabled' }], deleted: [] });
      await ingest({ store, screen }, { v: 1, deliveries: [{ body: 'no JSON', receivedAt: ago(0) }] }, ago(0));
      await store.transaction(async (unit) => {
        const times = { start_time: ago(2 * dayMs), end_time: ago(dayMs) };
        await writeRows(unit, 'scheduled_events', [{ uri: uri('events'), status: 'active', ...times }]);
        await writeRows(unit, 'invitees', [{ uri: uri('invitees'), event_uri: uri('events'), status: 'active' }]);
        // The second is mostly of the day on which the seven days begin, and before them.
        const submissions = [submission('submissions', dayMs), submission('earlier_submissions', 7 * dayMs + 1)];
        await writeRows(unit, 'routing_form_submissions', submissions);
      });
      await addAlerts(store, [alert('a', { state: 'failed', attempts: 9 })]);
    },
  },
  'with-alerts-of-quiet-hours': {
    fill: (store) => addAlerts(store, [alert('quiet', { next_at: ago(-8 * hourMs) }), alert('due', {})]),
  },
  'with-overdue-alerts': {
    fill: (store) =>
      addAlerts(store, [
        alert('quiet', { next_at: ago(-8 * hourMs) }),
        alert('due', {}),
        alert('tried', { attempts: 3, last_error: '503', next_at: ago(-60_000) }),
      ]),
  },
  'with-to-do-lists': {
    async fill(store) {
      await setUp(store);
      await store.transaction((unit) => writeRows(unit, 'routing_form_submissions', [submission('s', dayMs)]));
    },
  },
  'with-a-notice': {
    async fill(store) {
      await setUp(store);
      const lost = { uri: uri('w'), how: 'missing', isReplaced: true } as const;
      await recordLostSubscriptions(store, [lost], nowMs);
    },
  },
  'with-a-gap': {
    async fill(store) {
      await setUp(store);
      const state = keyValue('gap', z.object({ since: z.string(), notes: z.number() }));
      await store.transaction((unit) => writeValue(unit, state, { since: ago(0), notes: 1 }));
    },
  },
  'with-a-job-that-is-late': {
    given: { jobPeriods: { watch: 10_000 } },
    fill: (store) => ran(store, nowMs - hourMs),
  },
  'with-a-job-in-the-future': { given: { jobPeriods: { watch: 10_000 } }, fill: (store) => ran(store, nowMs + dayMs) },
  'with-a-job-on-time': { given: { jobPeriods: { watch: 10_000 } }, fill: (store) => ran(store, nowMs - 5_000) },
};

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the overview on ${engine.name}`, () => {
    const open = ({ given, fill }: Case) =>
      openReadApi(
        async () => {
          const opened = await engine.fresh();
          await fill?.(opened.store);
          return opened;
        },
        { clock: () => nowMs, installation: { ...installation, ...given } },
      );

    it.each(Object.entries(cases))('of an installation %s is as in its golden file', async (name, given) => {
      await using api = await open(given);
      const { verdict, needs, health, firstRun, flow, today, hours, latest } = await readOverview(api.context);
      expect((await api.get('/api/health')).body).toEqual({ verdict, health, needs_you: needs });
      const brief = { verdict, needs, health: health.filter(({ state, id }) => state !== 'ok' || id === 'jobs') };
      const full = {
        ...brief,
        firstRun,
        flow,
        today,
        hours: hours.filter(({ deliveries }) => deliveries > 0),
        latest: latest.map(({ seq, event, sentence }) => `${seq} ${event} ${sentence}`),
      };
      const text = yamlOf(name.startsWith('with') ? brief : full).replace(
        'storeEngine: postgres',
        'storeEngine: sqlite',
      );
      await expectGolden(text, `golden/overview-${name}.txt`);
    });

    it('leads to the lists of what needs a person', async () => {
      await using api = await open(cases['needing-a-person'] ?? {});
      const { needs } = await readOverview(api.context);
      const page = new URL(needs.find(({ id }) => id === 'unbooked')?.page ?? '', 'http://localhost');
      expect([page.pathname, page.searchParams.get('booked')]).toEqual(['/routing', 'false']);
      const since = `created_at=gte.${page.searchParams.get('from')}`;
      expect((await api.get(`/api/tables/unbooked_submissions?${since}`)).body.collection).toHaveLength(1);
    });

    it('names a sink that refuses the feed', async () => {
      await using api = await openReadApi(engine.fresh, { process: testProcess() });
      expect((await readOverview(api.context)).health.at(-1)).toMatchObject({
        id: 'feed',
        state: 'problem',
        sentence: 'The sink webhook at push.example.com does not accept the feed (ECONNREFUSED). 2 entries wait.',
        page: '/mirror/feed',
      });
    });
  });
