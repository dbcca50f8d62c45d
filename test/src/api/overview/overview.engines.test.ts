// The overview on every store: a new installation, one that is at work, and one that needs a person.
import { describe, expect, it } from 'vitest';
import type { EventKind } from '#schemas/events.ts';
import { readOverview } from '#src/api/overview/overview.ts';
import type { Installation } from '#src/read/health/read-health.ts';
import { dayMs, hourMs, instantOf } from '#src/base/time.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import { keyValue, writeValue } from '#src/store/key-value.ts';
import type { Store } from '#src/store/contract.ts';
import { refillBookings } from '#src/store/bookings/booking-follower.ts';
import { writeRows } from '#src/store/rows.ts';
import { writeSubscriptions, type KnownSubscription } from '#src/store/subscription-rows.ts';
import { recordLostSubscriptions } from '#src/read/health/recorded-inputs.ts';
import { mirrorIdentity } from '#workers/pipeline/organization.ts';
import { endLease, takeLease } from '#workers/scheduling/lease.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { z } from 'zod';
import { processRow } from '../../../harness/data/process-row.ts';
import { ingest } from '../../../harness/ingest.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { testProcess } from '../../../harness/mirror/test-process.ts';
import { oneEngine, storeEngines } from '../../../harness/stores.ts';

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

async function setUp(store: Store, atMs = nowMs): Promise<void> {
  await writeSubscriptions(store, { seen: [subscription], deleted: [] });
  const identity = { origin: 'https://api.example.test', organization: 'o', filled: true, filled_at: instantOf(atMs) };
  await store.transaction((unit) => writeValue(unit, mirrorIdentity, identity));
}

const week = 7 * dayMs;

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the overview on ${engine.name}`, () => {
    const open = (given: Partial<Installation> = {}) =>
      openReadApi(engine.fresh, { clock: () => nowMs, installation: { ...installation, ...given } });
    const read = ({ context }: Awaited<ReturnType<typeof open>>) => readOverview(context);

    it('of one at work has the flow, the counts of today and of a week ago, and the newest deliveries', async () => {
      await using api = await open();
      await setUp(api.store);
      await receive(api.store, [
        [week + dayMs, 'contact.created'],
        [week + 2 * hourMs, 'invitee.created'],
        [week - hourMs, 'contact.created'],
        [hourMs, 'invitee.created'],
        [60_000, 'invitee_no_show.created'],
        [0, 'invitee.canceled'],
      ]);
      const { verdict, health, flow, today, hours, latest, firstRun: first } = await read(api);
      expect(verdict).toMatchObject({ state: 'ok', sentence: expect.stringContaining('Everything works.') });
      expect(health.map(({ state }) => state)).toEqual(Array.from({ length: 15 }, () => 'ok'));
      expect(flow).toEqual({
        receivers: 1,
        accepted: 3,
        queueEngine: 'embedded',
        workers: 1,
        lag: { p50Ms: 40, p99Ms: 900 },
        storeEngine: engine.name,
        lastSeq: 6,
        onDisk: { count: 0, since: undefined },
        waiting: { count: 2, since: instantOf(nowMs - 4_000) },
        active: { count: 0, since: undefined },
      });
      expect(today).toEqual({
        since: '2026-01-01T00:00:00.000000Z',
        timezone: 'UTC',
        counts: { deliveries: 3, bookings: 1, cancellations: 1, no_shows: 1 },
        lastWeek: { deliveries: 1, bookings: 1, cancellations: 0, no_shows: 0 },
      });
      expect(hours.slice(-2)).toEqual([
        { hour: '2026-01-01T11:00:00.000000Z', deliveries: 1 },
        { hour: '2026-01-01T12:00:00.000000Z', deliveries: 2 },
      ]);
      expect(latest.map(({ seq, event }) => [seq, event])).toEqual([
        [6, 'invitee.canceled'],
        [5, 'invitee_no_show.created'],
        [4, 'invitee.created'],
        [3, 'contact.created'],
        [2, 'invitee.created'],
        [1, 'contact.created'],
      ]);
      expect(latest[0]?.sentence).toMatch(/ canceled /);
      expect(first).toMatchObject({ done: true, empty: false });
    });

    it('lists what needs a person: quarantine, a disabled subscription, failed alerts, meetings and forms', async () => {
      await using api = await openReadApi(engine.fresh, {
        installation: { ...installation, processes: async () => [processRow({ seen_at: instantOf(Date.now()) })] },
      });
      await setUp(api.store, Date.now());
      await writeSubscriptions(api.store, { seen: [{ ...subscription, state: 'disabled' }], deleted: [] });
      const delivery = { body: 'no JSON', receivedAt: instantOf(Date.now()) };
      await ingest({ store: api.store, screen }, { v: 1, deliveries: [delivery] }, instantOf(Date.now()));
      const ago = (ms: number): string => instantOf(Date.now() - ms);
      const uri = (kind: string): string => `https://api.example.test/${kind}/1`;
      await api.store.transaction(async (unit) => {
        const [times, none] = [{ start_time: ago(2 * dayMs), end_time: ago(dayMs) }, {}];
        await writeRows(unit, 'scheduled_events', [{ uri: uri('events'), status: 'active', ...times }]);
        await writeRows(unit, 'invitees', [
          { uri: uri('invitees'), event_uri: uri('events'), status: 'active', ...none },
        ]);
        await writeRows(unit, 'routing_form_submissions', [
          { uri: uri('submissions'), created_at: ago(dayMs), result_type: 'event_type' },
          // Mostly on the day on which the seven days begin, and before them.
          { uri: uri('earlier_submissions'), created_at: ago(7 * dayMs + 1), result_type: 'event_type' },
        ]);
        await refillBookings(unit);
        const at = { occurred_at: ago(1), due_at: ago(1), next_at: ago(1), created_at: ago(1), updated_at: ago(1) };
        await writeRows(unit, 'alerts', [
          {
            id: 'a',
            rule: 'r',
            subject_uri: 's',
            state: 'failed',
            channel: 'slack',
            attempts: 9,
            fact: 'f',
            episode: 0,
            ...at,
          },
        ]);
      });
      const { needs, verdict, health, latest } = await read(api);
      expect(needs.map(({ id, count, page }) => [id, count, page])).toEqual([
        ['unconfirmed', 1, '/bookings?unconfirmed=true'],
        [
          'unbooked',
          1,
          expect.stringMatching(/^\/routing\?booked=false&result_type=event_type&from=20..-..-..T.{15}Z$/),
        ],
      ]);
      const [, unbooked] = /\?(.*)/.exec(needs.at(-1)?.page ?? '') ?? [];
      expect((await api.get(`/api/routing/submissions?${unbooked}`)).body.collection).toHaveLength(1);
      expect(needs.map(({ sentence }) => sentence)).toEqual([
        '1 meeting in the last 7 days: did the invitee come?',
        '1 form in the last 7 days did not lead to a booking.',
      ]);
      expect(verdict).toEqual({ state: 'problem', sentence: '3 things need you.' });
      expect((await api.get('/api/health')).body).toEqual({ verdict, health, needs_you: needs });
      expect(health.filter(({ state }) => state === 'problem').map(({ id }) => id)).toEqual([
        'subscriptions',
        'quarantine',
        'alerts',
      ]);
      expect(latest).toMatchObject([{ event: null, sentence: 'A delivery that could not be parsed' }]);
    });

    it('names a channel that does not accept messages, by alerts that are overdue and not by those of quiet hours', async () => {
      await using api = await open();
      await setUp(api.store);
      const at = (ms: number): string => instantOf(nowMs + ms);
      const alert = (id: string, row: object) => ({
        id,
        rule: 'r',
        subject_uri: id,
        state: 'pending',
        channel: 'slack',
        attempts: 0,
        fact: 'f',
        episode: 0,
        occurred_at: at(-hourMs),
        due_at: at(-240_000),
        next_at: at(0),
        created_at: at(-hourMs),
        updated_at: at(0),
        ...row,
      });
      const write = (rows: readonly ReturnType<typeof alert>[]) =>
        api.store.transaction((unit) => writeRows(unit, 'alerts', rows));
      const found = async () => (await read(api)).health.find(({ id }) => id === 'alerts');
      await write([alert('quiet', { next_at: at(8 * hourMs) }), alert('due', {})]);
      expect(await found()).toMatchObject({ state: 'ok' });
      await write([alert('tried', { attempts: 3, last_error: '503', next_at: at(60_000) })]);
      expect(await found()).toMatchObject({
        state: 'problem',
        sentence: 'slack has not accepted a message for 4 min (503); 2 alerts are overdue.',
      });
      await write([alert('tried', { state: 'sent' }), alert('due', { next_at: at(-120_000) })]);
      expect((await found())?.sentence).toBe('1 alert to slack is overdue.');
    });

    // The others read what these read, or compare settings with the clock.
    if (!oneEngine.some(({ name }) => name === engine.name)) return;

    it('of a new installation says what to run next', async () => {
      await using api = await open();
      const { firstRun: first, verdict, latest, today, hours } = await read(api);
      expect(first).toMatchObject({ done: false, empty: true });
      expect(first.steps.map(({ id, done }) => [id, done])).toEqual([
        ['settings', true],
        ['bootstrap', false],
        ['backfill', false],
        ['delivery', false],
      ]);
      expect(first.steps.map(({ command }) => command ?? '')).toEqual([
        '',
        expect.stringMatching(/slotstream bootstrap$/),
        expect.stringMatching(/slotstream backfill$/),
        expect.stringMatching(/slotstream trigger invitee.created$/),
      ]);
      expect(verdict).toEqual({ state: 'warning', sentence: '2 things need you.' });
      expect([latest, today.lastWeek, hours.length]).toEqual([[], null, 24]);
    });

    it('names the settings that are missing', async () => {
      await using api = await open({ missingSettings: ['API_TOKEN', 'PUBLIC_URL'] });
      const { firstRun: first, verdict } = await read(api);
      expect(first.steps[0]).toMatchObject({
        done: false,
        sentence: 'Set API_TOKEN and PUBLIC_URL in .env, and start again.',
      });
      expect(verdict.sentence).toBe('Everything works.');
    });

    it('begins the day in the requested time zone', async () => {
      await using api = await open();
      expect((await readOverview(api.context, 'America/Los_Angeles')).today.since).toBe('2026-01-01T08:00:00.000000Z');
      await expect(readOverview(api.context, 'Nowhere')).rejects.toMatchObject({ status: 400 });
    });

    it('says that everything works while people only have lists to go through, or nothing to do', async () => {
      await using api = await openReadApi(engine.fresh, {
        installation: { ...installation, processes: async () => [processRow({ seen_at: instantOf(Date.now()) })] },
      });
      await setUp(api.store, Date.now());
      const submission = {
        uri: 'https://api.example.test/s/1',
        created_at: instantOf(Date.now() - dayMs),
        result_type: 'event_type',
      };
      await api.store.transaction((unit) => writeRows(unit, 'routing_form_submissions', [submission]));
      expect((await read(api)).verdict).toEqual({
        state: 'ok',
        sentence: 'Everything works. 1 to-do list has entries.',
      });
      const lost = { uri: 'https://api.example.test/w/1', how: 'missing', isReplaced: true } as const;
      await recordLostSubscriptions(api.store, [lost], Date.now());
      expect((await read(api)).verdict).toEqual({
        state: 'ok',
        sentence: 'Everything works. 1 notice. 1 to-do list has entries.',
      });
      const state = keyValue('gap', z.object({ since: z.string(), notes: z.number() }));
      await api.store.transaction((unit) => writeValue(unit, state, { since: instantOf(Date.now()), notes: 1 }));
      expect((await read(api)).verdict).toEqual({ state: 'warning', sentence: '1 thing needs you.' });
    });

    it('names a scheduled job that did not run for three periods, or ran in the future', async () => {
      await using api = await open({ jobPeriods: { watch: 10_000 } });
      await setUp(api.store);
      const needs = { store: api.store, nowMs: () => nowMs, holder: 'one' };
      const ran = async (ms: number) => {
        await takeLease({ ...needs, nowMs: () => ms }, { job: 'watch', everyMs: 0 });
        await endLease(needs, 'watch', ms);
        return (await read(api)).health.find(({ id }) => id === 'jobs');
      };
      expect(await ran(nowMs - hourMs)).toMatchObject({
        state: 'problem',
        sentence: 'The scheduled job watch does not run on time: its last run is from 2026-01-01 11:20:00 UTC.',
      });
      expect(await ran(nowMs + dayMs)).toMatchObject({
        state: 'problem',
        sentence: expect.stringContaining('2026-01-02'),
      });
      expect(await ran(nowMs - 5_000)).toEqual({ id: 'jobs', state: 'ok', sentence: 'Scheduled jobs run on time.' });
    });

    it('names a sink that refuses the feed', async () => {
      await using api = await openReadApi(engine.fresh, { process: testProcess() });
      expect((await read(api)).health.at(-1)).toMatchObject({
        id: 'feed',
        state: 'problem',
        sentence: 'The sink webhook at push.example.com does not accept the feed (ECONNREFUSED). 2 entries wait.',
        page: '/mirror/feed',
      });
    });
  });
