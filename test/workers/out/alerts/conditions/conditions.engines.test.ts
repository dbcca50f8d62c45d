// Operational alerts: one alert per episode of a problem, retracted when the problem is over. What each condition says is in a golden file.
import { describe, expect } from 'vitest';
import { instantOf, minuteMs } from '#src/base/time.ts';
import { markSent } from '#src/store/alerts/send-results.ts';
import { readAlerts } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import { writeRows } from '#src/store/rows.ts';
import { listProcesses, writeProcess, type ProcessRow } from '#src/store/processes.ts';
import { writeSubscriptions, type KnownSubscription } from '#src/store/subscription-rows.ts';
import { evaluateConditions } from '#workers/out/alerts/conditions/evaluate-conditions.ts';
import { recordClockSkew, recordLostSubscriptions, recordWentBack } from '#src/read/health/recorded-inputs.ts';
import { loadRules } from '#workers/out/alerts/rules/ruleset.ts';
import { recordRun } from '#src/store/jobs/reconcile-state.ts';
import { rulesOf } from '../../../../harness/alerts/watched-rules.ts';
import { lowDisk, machineRow, processRow } from '../../../../harness/data/process-row.ts';
import { expectGolden } from '../../../../harness/golden.ts';
import { availableEngines, ingestBodies, oneEngine, receivedAt, rowsOf, testWith } from '../../../../harness/stores.ts';

const startMs = Date.parse(receivedAt) + minuteMs;
const { conditions: usual } = await loadRules({ file: undefined, graceMs: 0, configured: ['slack'] });
const { conditions: patient } = await rulesOf({ name: 'patient', when: 'lag', above: '10m' });
const never = { recentEveryMs: Infinity, fullEveryMs: Infinity };
const quietInstallation = { queueEngine: 'redis', missingSettings: [], ...never, jobPeriods: {} };

type Mirror = ReturnType<typeof openMirror>;

/** A mirror beside a worker that is always well. */
function openMirror(store: Store) {
  let nowMs = startMs;
  let wakes = 0;
  const alerts = async () =>
    (await rowsOf(store, 'alerts')).toSorted((a, b) => (String(a['created_at']) < String(b['created_at']) ? -1 : 1));
  return {
    store,
    now: () => instantOf(nowMs),
    pass: (ms: number) => void (nowMs += ms),
    wakes: () => wakes,
    alerts,
    states: async () =>
      (await alerts()).map(({ rule, subject_uri, state }) => `${rule} ${subject_uri} ${state}`).toSorted(),
    /** Evaluates the rules; while `stepMs` is 0 the reports of processes stay new. */
    async evaluate(rules = usual, { count = 2, from = store, stepMs = 0 } = {}): Promise<void> {
      for (let n = 0; n < count; n += 1) {
        const worker = processRow({ id: 'w', role: 'start', host: 'well', seen_at: instantOf(nowMs) });
        const processes = async () => [worker, ...(await listProcesses(from, nowMs))];
        const installation = { ...quietInstallation, processes };
        const needs = { store: from, nowMs: () => nowMs, installation, onOutboxChanged: () => void (wakes += 1) };
        await evaluateConditions(needs, { rules, maxAgeMs: 86_400_000 });
        nowMs += stepMs;
      }
    },
    report: (row: Partial<ProcessRow>) =>
      writeProcess(store, processRow({ role: 'receive', seen_at: instantOf(nowMs), ...row })),
    async sendAll(): Promise<void> {
      const waiting = (await alerts()).filter(({ state }) => state === 'pending' || state === 'retracting');
      const due = await readAlerts(
        store,
        waiting.map(({ id }) => String(id)),
      );
      await store.transaction((unit) => markSent(unit, due, instantOf(nowMs)));
    },
  };
}

const subscription = (id: number, more: Partial<KnownSubscription>): KnownSubscription => ({
  uri: `https://service.example.com/webhook_subscriptions/${id}`,
  callback_url: 'https://hooks.example.com/webhooks',
  state: 'active',
  events: ['contact.created'],
  scope: 'organization',
  organization: 'https://service.example.com/organizations/1',
  created_at: instantOf(startMs),
  checked_at: instantOf(startMs),
  ...more,
});
const seen = (...subscriptions: readonly KnownSubscription[]) => ({ seen: subscriptions, deleted: [] });

const run = (drift: Record<string, Record<string, number>>, held_back: Record<string, number> = {}) => ({
  run: {
    started_at: instantOf(startMs),
    finished_at: instantOf(startMs),
    read: 100,
    quarantined: 0,
    drift,
    unreadable: [],
    held_back,
    not_compared: 0,
    meeting_dates: 0,
  },
});
const lag = (lag_p50_ms: number) => ({ role: 'work' as const, lag_p50_ms, lag_p99_ms: 9_000_000 });

/** What is written before the rules are evaluated. */
const cases: Readonly<Record<string, (mirror: Mirror) => Promise<unknown>>> = {
  'all is well': async () => undefined,
  'deliveries wait on the disks of two processes; a killed one does not count': async ({ report, now, pass }) => {
    await report({ id: 'killed', spool_deliveries: 100 });
    pass(10 * minuteMs);
    await report({ spool_deliveries: 3, seen_at: now() });
    await report({ id: 'b', spool_deliveries: 4 });
  },
  'the queue lost jobs, and the disk log is full': ({ report }) => report({ queue_losses: 2, journal_full: true }),
  'two disks are getting full': async ({ report }) => {
    await report(machineRow({ disks: [lowDisk('queue', 300), lowDisk('disk_log', 300)] }));
    await report({ id: 'b', role: 'work', host: 'two', ...machineRow({ disks: [lowDisk('store', 60)] }) });
  },
  'a process was killed': async ({ report, pass }) => {
    await report({ host: 'two' });
    pass(minuteMs);
  },
  'a process refuses deliveries': ({ report }) =>
    report({ host: 'two', ...machineRow({ refuses: true, down: ['disk'] }) }),
  'correctly signed deliveries are refused as too old': ({ report }) => report({ refused_stale: 12 }),
  'the clock was measured hours ago': ({ store }) =>
    recordClockSkew(store, { aheadSeconds: 90, by: 'vm (pid 3)' }, startMs - 240 * minuteMs),
  'subscriptions fail, are disabled, and were lost and replaced': async ({ store }) => {
    const failing = subscription(2, { retry_started_at: instantOf(startMs - 5 * minuteMs) });
    await writeSubscriptions(store, seen(subscription(1, {}), failing, subscription(3, { state: 'disabled' })));
    await recordLostSubscriptions(store, [{ uri: subscription(4, {}).uri, how: 'missing', isReplaced: true }], startMs);
  },
  'few differences in recent changes, and deletes that wait': async ({ store }) => {
    await recordRun(store, 'recent', run({ contact: { missing: 9, different: 1 } }));
    await recordRun(store, 'full', run({}, { contact: 40 }));
  },
  'many differences in recent changes': ({ store }) => recordRun(store, 'recent', run({ contact: { missing: 11 } })),
  'the database went back': ({ store }) =>
    store.transaction(async (unit) => {
      const found = { since: instantOf(startMs - 5 * minuteMs), noticedAt: instantOf(startMs) };
      await recordWentBack(unit, found, found.noticedAt);
    }),
  'a single late retry': ({ report }) => report(lag(2_000)),
  'the slowest worker is almost 7 minutes late': ({ report }) => report(lag(400_000)),
  'the slowest worker is 11 minutes late': ({ report }) => report(lag(660_000)),
};

describe.each(oneEngine)('conditions on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('say what golden/conditions.txt shows', async () => {
    const parts = [];
    for (const [title, given] of Object.entries(cases)) {
      await using made = await fresh();
      const mirror = openMirror(made.store);
      await given(mirror);
      await mirror.evaluate([...usual, ...patient]);
      const lines = (await mirror.alerts()).map(
        ({ rule: name, subject_uri, detail }) => `    ${name}, ${subject_uri}: ${detail}`,
      );
      parts.push([`${title}:`, ...(lines.length > 0 ? lines.toSorted() : ['    no alert'])].join('\n'));
    }
    await expectGolden(parts.join('\n'), 'golden/conditions.txt');
  });

  it('create another alert for another episode', async ({ store }) => {
    const mirror = openMirror(store);
    const rules = usual.filter(({ when }) => when === 'clock_skew');
    for (const ahead of [90, 0, -90]) {
      await recordClockSkew(store, { aheadSeconds: ahead, by: 'vm (pid 3)' }, Date.parse(mirror.now()));
      await mirror.evaluate(rules, { stepMs: minuteMs });
      await mirror.sendAll();
    }
    expect(await mirror.states()).toEqual(['clock_skew mirror retracted', 'clock_skew mirror sent']);
    expect((await mirror.alerts()).map(({ detail }) => detail)).toEqual([
      expect.stringContaining('90 s ahead'),
      expect.stringContaining('90 s behind'),
    ]);
  });
});

describe.each(availableEngines)('conditions about rows on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('report a growing quarantine once, whichever process evaluates, and retract it when it is over', async ({
    opened,
    store,
  }) => {
    const mirror = openMirror(store);
    const minutes = (count: number) => ({ count, stepMs: minuteMs });
    await ingestBodies(store, ['no JSON', 'nor this']);
    await mirror.evaluate(usual, minutes(1));
    expect(await mirror.states()).toEqual([]);
    await mirror.evaluate(usual, { ...minutes(1), from: await opened.openAnother() });
    expect(await mirror.states()).toEqual(['quarantine mirror pending']);
    expect((await mirror.alerts())[0]?.['detail']).toContain('2 deliveries could not be applied within the last hour.');
    await mirror.sendAll();
    await mirror.evaluate(usual, minutes(5));
    expect(await mirror.states()).toEqual(['quarantine mirror sent']);
    mirror.pass(60 * minuteMs);
    await mirror.evaluate(usual, minutes(3));
    expect(await mirror.states()).toEqual(['quarantine mirror retracting']);
    expect(mirror.wakes()).toBe(2);
  });

  it('report a spike of no-shows by event type and by host among bookings that ended and were not canceled', async ({
    store,
  }) => {
    const uri = (path: string) => `https://service.example.com/${path}`;
    const host = (n: number) => ({ user: uri(`users/${n}`), user_name: 'Ada', user_email: 'ada@example.com' });
    const hoursAgo = (hours: number) => instantOf(startMs - hours * 60 * minuteMs);
    const meeting = (n: number, more: object = {}) => ({
      uri: uri(`scheduled_events/${n}`),
      event_type: uri(`event_types/${(n % 2) + 1}`),
      status: 'active',
      hosts: [host(1), host(1), host(n + 10)],
      start_time: hoursAgo(2),
      end_time: hoursAgo(1),
      ...more,
    });
    const missed = [0, 1, 2, 4, 10, 12, 14];
    const invitee = (n: number, more: object = {}) => ({
      uri: uri(`scheduled_events/${n}/invitees/${n}`),
      event_uri: uri(`scheduled_events/${n}`),
      status: 'active',
      ...(missed.includes(n) && { no_show_uri: uri(`invitee_no_shows/${n}`), no_show_at: hoursAgo(0) }),
      ...more,
    });
    const canceled = {
      uri: uri('scheduled_events/6/invitees/x'),
      status: 'canceled',
      no_show_uri: uri('invitee_no_shows/99'),
    };
    await store.transaction(async (unit) => {
      // Even ones are of event type 1: five ended, three of them missed. Odd ones: five ended, one missed.
      await writeRows(unit, 'scheduled_events', [
        ...Array.from({ length: 10 }, (_, n) => meeting(n)),
        meeting(10, { status: 'canceled' }),
        meeting(12, { end_time: hoursAgo(-10) }),
        meeting(14, { start_time: hoursAgo(333), end_time: hoursAgo(332) }),
      ]);
      await writeRows(unit, 'invitees', [
        ...Array.from({ length: 15 }, (_, n) => invitee(n)),
        invitee(6, { ...canceled, no_show_at: hoursAgo(0) }),
      ]);
    });
    const { conditions } = await rulesOf(
      { name: 'types', when: 'no_show_spike', above: 0.599, within: '36h' },
      { name: 'hosts', when: 'no_show_spike', by: 'host', of_at_least: 10, above: 0.39 },
      { name: 'few', when: 'no_show_spike', of_at_least: 6, above: 0.3 },
    );
    const mirror = openMirror(store);
    await mirror.evaluate(conditions);
    expect(
      (await mirror.alerts()).map(({ rule, subject_uri, detail }) => `${rule} ${subject_uri}: ${detail}`).toSorted(),
    ).toEqual([
      `hosts ${uri('users/1')}: 4 of 10 missed in 7 days, 40 %, limit 39 %`,
      `types ${uri('event_types/1')}: 3 of 5 missed in 1 d 12 h, 60 %, limit 59.9 %`,
    ]);
  });
});
