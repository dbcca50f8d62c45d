// Operational alerts on each engine: one alert per episode of a problem, retracted when the problem is over.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refillBookings } from '#src/store/bookings/booking-follower.ts';
import { markSent } from '#src/store/alerts/send-results.ts';
import { readAlerts } from '#src/store/alerts/alert-rows.ts';
import { type StoredRow, writeRows } from '#src/store/rows.ts';
import { listProcesses, writeProcess, type ProcessRow } from '#src/store/processes.ts';
import { writeSubscriptions, type KnownSubscription } from '#src/store/subscription-rows.ts';
import type { TableName } from '#src/store/tables.ts';
import { evaluateConditions } from '#workers/alerts/conditions/evaluate-conditions.ts';
import { recordClockSkew, recordLostSubscriptions } from '#src/read/health/recorded-inputs.ts';
import { loadRules, type ConditionRule } from '#workers/alerts/rules/ruleset.ts';
import { recordRun } from '#workers/sync/reconcile/reconcile-state.ts';
import { lowDisk, machineRow, processRow } from '../../../harness/data/process-row.ts';
import { ingestBodies, receivedAt, rowsOf, storeEngines, type TestStore } from '../../../harness/stores.ts';

const minute = 60_000;
const startMs = Date.parse(receivedAt) + minute;
const timeAt = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z');

async function rulesOf(...rules: readonly object[]): Promise<readonly ConditionRule[]> {
  const dir = await mkdtemp(join(tmpdir(), 'slotstream-rules-'));
  try {
    const file = join(dir, 'alerts.json');
    await writeFile(file, JSON.stringify({ rules }));
    return (await loadRules({ file, graceMs: 0, configured: ['slack'] })).conditions;
  } finally {
    await rm(dir, { recursive: true });
  }
}

/** One that is always well. */
const worker = (nowMs: number) => processRow({ id: 'w', role: 'start', host: 'well', seen_at: timeAt(nowMs) });
const quietInstallation = {
  queueEngine: 'redis',
  missingSettings: [],
  recentEveryMs: Infinity,
  fullEveryMs: Infinity,
  jobPeriods: {},
};

const usual = async () => (await loadRules({ file: undefined, graceMs: 0, configured: ['slack'] })).conditions;

for (const { name, available, fresh } of storeEngines) {
  describe.runIf(available)(`conditions on ${name}`, () => {
    let made: TestStore;
    let nowMs: number;
    let wakes: number;
    beforeEach(async () => {
      made = await fresh();
      nowMs = startMs;
      wakes = 0;
    });
    afterEach(() => made[Symbol.asyncDispose]());

    /** A minute apart, or at one moment, while the reports of processes are new. */
    async function rounds(
      rules: readonly ConditionRule[],
      count: number,
      store = made.store,
      stepMs = minute,
    ): Promise<void> {
      for (let n = 0; n < count; n += 1) {
        const processes = async () => [worker(nowMs), ...(await listProcesses(store, nowMs))];
        const installation = { ...quietInstallation, processes };
        const needs = { store, nowMs: () => nowMs, installation, onOutboxChanged: () => void (wakes += 1) };
        await evaluateConditions(needs, { rules, maxAgeMs: 86_400_000 });
        nowMs += stepMs;
      }
    }
    const alerted = async () =>
      (await rowsOf(made.store, 'alerts'))
        .map(({ rule, subject_uri, state }) => [rule, subject_uri, state])
        .toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
    const details = async () => (await rowsOf(made.store, 'alerts')).map(({ detail }) => detail);
    const write = (table: TableName, rows: readonly StoredRow[]) =>
      made.store.transaction((unit) => writeRows(unit, table, rows));
    const report = (row: Partial<ProcessRow>) =>
      writeProcess(made.store, processRow({ role: 'receive', seen_at: timeAt(nowMs), ...row }));
    async function sendAll(): Promise<void> {
      const waiting = (await rowsOf(made.store, 'alerts')).filter(
        ({ state }) => state === 'pending' || state === 'retracting',
      );
      const ids = waiting.map(({ id }) => String(id));
      const alerts = await readAlerts(made.store, ids);
      await made.store.transaction((unit) => markSent(unit, alerts, timeAt(nowMs)));
    }

    it('report nothing about a healthy mirror', async () => {
      await rounds(await usual(), 3);
      expect([await alerted(), wakes]).toEqual([[], 0]);
    });

    it('report a growing quarantine once, whichever process evaluates, and retract it when it is over', async () => {
      await ingestBodies(made.store, ['no JSON', 'nor this']);
      await rounds(await usual(), 1);
      expect(await alerted()).toEqual([]);
      await rounds(await usual(), 1, await made.openAnother());
      expect(await alerted()).toEqual([['quarantine', 'mirror', 'pending']]);
      expect((await details())[0]).toContain('2 deliveries could not be applied within the last hour.');
      await sendAll();
      await rounds(await usual(), 5);
      expect(await alerted()).toEqual([['quarantine', 'mirror', 'sent']]);
      nowMs += 60 * minute;
      await rounds(await usual(), 3);
      expect(await alerted()).toEqual([['quarantine', 'mirror', 'retracting']]);
      expect(wakes).toBe(2);
    });

    it('create another alert for another episode', async () => {
      const rules = await rulesOf({ name: 'skew', when: 'clock_skew' });
      for (const ahead of [90, 0, -90]) {
        await recordClockSkew(made.store, { aheadSeconds: ahead, by: 'vm (pid 3)' }, nowMs);
        await rounds(rules, 2);
        await sendAll();
      }
      expect(await alerted()).toEqual([
        ['skew', 'mirror', 'retracted'],
        ['skew', 'mirror', 'sent'],
      ]);
      expect((await details()).toSorted()).toEqual([
        "The clock of vm (pid 3) is 90 s ahead of the service's. Set the clock of that machine by NTP.",
        "The clock of vm (pid 3) is 90 s behind the service's. Set the clock of that machine by NTP.",
      ]);
    });

    it('do not report a problem that was over before it was sent', async () => {
      const rules = await rulesOf({ name: 'waits', when: 'disk_log' });
      await report({ spool_deliveries: 3 });
      await rounds(rules, 2, undefined, 0);
      expect(await alerted()).toEqual([['waits', 'mirror', 'pending']]);
      await report({ spool_deliveries: 0 });
      await rounds(rules, 2);
      expect(await alerted()).toEqual([['waits', 'mirror', 'retracted']]);
    });

    it('add up the reports of several processes, and ignore those of killed ones', async () => {
      const rules = await rulesOf({ name: 'waits', when: 'disk_log' });
      await report({ id: 'killed', spool_deliveries: 100, seen_at: timeAt(nowMs - 10 * minute) });
      await report({ spool_deliveries: 3 });
      await report({ id: 'b', spool_deliveries: 4 });
      await rounds(rules, 2, undefined, 0);
      expect(await details()).toEqual([
        '7 deliveries wait on the disk of receive on one (pid 7), receive on one (pid 7) for the queue. They are sent to the queue as soon as it answers.',
      ]);
    });

    it('report that the queue lost jobs, and that a disk log is full', async () => {
      const rules = await rulesOf({ name: 'lost', when: 'disk_log' });
      await report({ queue_losses: 2 });
      await rounds(rules, 2, undefined, 0);
      expect((await details())[0]).toMatch(/^The queue lost jobs 2 times within the last 10 minutes;/);
      await report({ journal_full: true });
      await rounds(await rulesOf({ name: 'full', when: 'disk_log' }), 2, undefined, 0);
      expect(await details()).toContainEqual(
        expect.stringMatching(/^The disk log of receive on one \(pid 7\) is full and takes no deliveries\./),
      );
    });

    it('report a disk that is getting full, and that it has room again', async () => {
      const rules = await rulesOf({ name: 'disk', when: 'disk' });
      await report(machineRow({ disks: [lowDisk('queue', 300), lowDisk('disk_log', 300)] }));
      await report({ id: 'b', role: 'work', host: 'two', ...machineRow({ disks: [lowDisk('store', 60)] }) });
      await rounds(rules, 2, undefined, 0);
      expect(await alerted()).toEqual([['disk', 'mirror disk', 'pending']]);
      expect((await details())[0]).toContain(
        'Little free disk space: receive on one (pid 7): queue 300 MB in /data/queue, disk log 300 MB in /data/disk_log; work on two (pid 7): store 60 MB in /data/store.',
      );
      await report({});
      await report({ id: 'b' });
      await rounds(rules, 2, undefined, 0);
      expect(await alerted()).toEqual([['disk', 'mirror disk', 'retracted']]);
    });

    it('report a process that was killed, and one that refuses deliveries', async () => {
      await report({ host: 'two', seen_at: timeAt(nowMs - minute) });
      await rounds(await usual(), 2);
      expect(await alerted()).toEqual([['process', 'mirror processes', 'pending']]);
      expect((await details())[0]).toMatch(/^receive on two \(pid 7\) has not reported since/);
      const rules = await rulesOf({ name: 'refuses', when: 'process' });
      await report({ host: 'two', ...machineRow({ refuses: true, down: ['disk'] }) });
      await rounds(rules, 2, undefined, 0);
      expect(await details()).toContainEqual(
        expect.stringMatching(/^receive on two \(pid 7\) refuses deliveries: its disk is almost full\./),
      );
    });

    it('report correctly signed deliveries that are rejected as too old as clock skew', async () => {
      await report({ refused_stale: 12 });
      await rounds(await usual(), 2, undefined, 0);
      expect(await alerted()).toEqual([['clock_skew', 'mirror', 'pending']]);
    });

    it('conclude nothing from an old measurement of the clock', async () => {
      await recordClockSkew(made.store, { aheadSeconds: 90, by: 'vm (pid 3)' }, nowMs - 4 * 60 * minute);
      await rounds(await usual(), 3);
      expect(await alerted()).toEqual([]);
    });

    const subscription = (id: number, more: Partial<KnownSubscription>): KnownSubscription => ({
      uri: `https://service.example.com/webhook_subscriptions/${id}`,
      callback_url: 'https://hooks.example.com/webhooks',
      state: 'active',
      events: ['contact.created'],
      scope: 'organization',
      organization: 'https://service.example.com/organizations/1',
      created_at: timeAt(startMs),
      checked_at: timeAt(startMs),
      ...more,
    });

    it('report subscriptions that fail, that are disabled, and that were lost and replaced', async () => {
      const seen = [
        subscription(1, {}),
        subscription(2, { retry_started_at: timeAt(startMs - 5 * minute) }),
        subscription(3, { state: 'disabled' }),
      ];
      await writeSubscriptions(made.store, { seen, deleted: [] });
      const lost = 'https://service.example.com/webhook_subscriptions/4';
      await recordLostSubscriptions(made.store, [{ uri: lost, how: 'missing', isReplaced: true }], nowMs);
      await rounds(await usual(), 2);
      const alerts = await rowsOf(made.store, 'alerts');
      const by = new Map(alerts.map(({ subject_uri, detail }) => [String(subject_uri).at(-1), String(detail)]));
      expect([...by.keys()].toSorted()).toEqual(['2', '3', '4']);
      expect(by.get('2')).toContain('Deliveries have failed for 6 min');
      expect(by.get('3')).toContain('which delivers nothing now.');
      expect(by.get('4')).toContain('created again');
    });

    const run = (drift: Record<string, Record<string, number>>, held: Record<string, number>) => ({
      started_at: timeAt(startMs),
      finished_at: timeAt(startMs),
      read: 100,
      quarantined: 0,
      drift,
      unreadable: [],
      held_back: held,
      not_compared: 0,
      meeting_dates: 0,
    });

    it('report drift above the limit and deletes that wait, separately for each comparison', async () => {
      await recordRun(made.store, 'recent', { run: run({ contact: { missing: 9, different: 1 } }, {}) });
      await recordRun(made.store, 'full', { run: run({}, { contact: 40 }) });
      await rounds(await usual(), 2);
      expect(await alerted()).toEqual([['drift', 'mirror full', 'pending']]);
      await recordRun(made.store, 'recent', { run: run({ contact: { missing: 11 } }, {}) });
      await rounds(await usual(), 2);
      expect((await alerted()).map(([, subject]) => subject)).toEqual(['mirror full', 'mirror recent']);
    });

    it('report lag by the median of the slowest worker, and not a single late retry', async () => {
      const rules = await rulesOf({ name: 'lag', when: 'lag', above: '10m' });
      await report({ role: 'work', lag_p50_ms: 400_000, lag_p99_ms: 9_000_000 });
      await rounds(rules, 2, undefined, 0);
      expect(await alerted()).toEqual([]);
      await report({ role: 'work', lag_p50_ms: 660_000, lag_p99_ms: 9_000_000 });
      await rounds(rules, 2, undefined, 0);
      expect(await details()).toEqual([expect.stringContaining('Deliveries become rows 11 min after their event.')]);
      await report({ role: 'work' });
      await rounds(rules, 2, undefined, 0);
      expect(await alerted()).toEqual([['lag', 'mirror', 'retracted']]);
    });

    it('report a spike of no-shows by event type and by host among bookings that ended and were not canceled', async () => {
      const host = (n: number) => ({
        user: `https://service.example.com/users/${n}`,
        user_name: 'Ada',
        user_email: 'ada@example.com',
      });
      const meeting = (n: number, more: StoredRow): StoredRow => ({
        uri: `https://service.example.com/scheduled_events/${n}`,
        event_type: `https://service.example.com/event_types/${(n % 2) + 1}`,
        status: 'active',
        hosts: [host(1), host(1), host(n + 10)],
        start_time: timeAt(startMs - 2 * 60 * minute),
        end_time: timeAt(startMs - 60 * minute),
        ...more,
      });
      const invitee = (n: number, more: StoredRow): StoredRow => ({
        uri: `https://service.example.com/scheduled_events/${n}/invitees/${n}`,
        event_uri: `https://service.example.com/scheduled_events/${n}`,
        status: 'active',
        ...more,
      });
      const mark = (n: number) => ({
        no_show_uri: `https://service.example.com/invitee_no_shows/${n}`,
        no_show_at: timeAt(startMs),
      });
      // Even ones are of event type 1: five ended, three of them missed. Odd ones: five ended, one missed.
      await write('scheduled_events', [
        ...Array.from({ length: 10 }, (_, n) => meeting(n, {})),
        meeting(10, { status: 'canceled' }),
        meeting(12, { end_time: timeAt(startMs + 600 * minute) }),
        meeting(14, { start_time: timeAt(startMs - 20_000 * minute), end_time: timeAt(startMs - 19_000 * minute) }),
      ]);
      const missed = [0, 1, 2, 4, 10, 12, 14];
      await write('invitees', [
        ...Array.from({ length: 15 }, (_, n) => invitee(n, missed.includes(n) ? mark(n) : {})),
        {
          ...invitee(6, mark(99)),
          uri: 'https://service.example.com/scheduled_events/6/invitees/x',
          status: 'canceled',
        },
      ]);
      await made.store.transaction(refillBookings);
      const rules = await rulesOf(
        { name: 'types', when: 'no_show_spike', above: 0.599, within: '36h' },
        { name: 'hosts', when: 'no_show_spike', by: 'host', of_at_least: 10, above: 0.39 },
        { name: 'few', when: 'no_show_spike', of_at_least: 6, above: 0.3 },
      );
      await rounds(rules, 2);
      const alerts = (await rowsOf(made.store, 'alerts')).map(({ rule, subject_uri, detail }) => [
        rule,
        subject_uri,
        detail,
      ]);
      expect(alerts.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual([
        ['hosts', 'https://service.example.com/users/1', '4 of 10 missed in 7 days, 40 %, limit 39 %'],
        ['types', 'https://service.example.com/event_types/1', '3 of 5 missed in 1 d 12 h, 60 %, limit 59.9 %'],
      ]);
    });
  });
}
