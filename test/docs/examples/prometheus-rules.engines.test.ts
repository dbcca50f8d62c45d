// Every rule of docs/examples/prometheus-rules.yml fires in Prometheus on the series that its fault makes, with the words that a person reads.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';

const file = join(import.meta.dirname, '../../../docs/examples/prometheus-rules.yml');

interface Rule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: { readonly summary: string; readonly description?: string };
}

interface Case {
  readonly rule: string;
  /** One value a minute, in the notation of promtool: `0x5` is six times 0, `0+2x5` counts up by 2, `_x5` is absent. */
  readonly series: Readonly<Record<string, string>>;
  /** The minute at which the rule is asked. */
  readonly at: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** Absent where the rule must be silent. */
  readonly summary?: string;
}

const one = 'instance="10.0.0.1:8081"';
const other = 'instance="10.0.0.2:8081"';
/** Half an hour in which the value cannot be read. */
const down = 'NaN '.repeat(30);
const instance = '10.0.0.1:8081';

const cases: readonly Case[] = [
  {
    rule: 'SlotstreamDown',
    series: { [`up{job="slotstream",${one}}`]: '0x5', [`up{job="slotstream",${other}}`]: '1x5' },
    at: 3,
    labels: { job: 'slotstream', instance },
    summary: 'Slotstream on 10.0.0.1:8081 does not answer.',
  },
  {
    rule: 'SlotstreamEngineDown',
    series: {
      [`slotstream_engine_up{engine="store",${one}}`]: '1 0x5',
      [`slotstream_engine_up{engine="queue",${one}}`]: '1x5',
    },
    at: 2,
    labels: { engine: 'store', instance },
    summary: 'The store of 10.0.0.1:8081 is down.',
  },
  {
    rule: 'SlotstreamDeliveriesRefused',
    series: { [`slotstream_deliveries_received_total{outcome="unavailable",${one}}`]: '0+6x10' },
    at: 5,
    summary: 'Genuine deliveries are answered with 503.',
  },
  {
    rule: 'SlotstreamWaitingOnDisk',
    series: {
      [`slotstream_disk_log_waiting_deliveries{${one}}`]: '7x10',
      [`slotstream_disk_log_waiting_deliveries{${other}}`]: '0x10',
    },
    at: 6,
    labels: { instance },
    summary: '7 deliveries wait on the disk of 10.0.0.1:8081.',
  },
  {
    rule: 'SlotstreamSignaturesRefused',
    series: {
      [`slotstream_deliveries_refused_total{cause="wrong",${one}}`]: '0+1x15',
      [`slotstream_deliveries_refused_total{cause="missing",${one}}`]: '0+9x15',
    },
    at: 15,
    labels: { cause: 'wrong' },
    summary: 'Deliveries are refused: wrong.',
  },
  {
    // The database is down: every batch waits for another attempt. Both processes report the same queue.
    rule: 'SlotstreamQueueBacklog',
    series: {
      [`slotstream_queue_depth{state="waiting",${one}}`]: '1x15',
      [`slotstream_queue_depth{state="delayed",${one}}`]: '1000x15',
      [`slotstream_queue_depth{state="waiting",${other}}`]: '1x15',
      [`slotstream_queue_depth{state="delayed",${other}}`]: '1000x15',
    },
    at: 11,
    summary: '1001 batches wait in the queue.',
  },
  {
    rule: 'SlotstreamRowsLate',
    series: {
      [`slotstream_visible_seconds_bucket{le="300",${one}}`]: '0x30',
      [`slotstream_visible_seconds_bucket{le="3600",${one}}`]: '0+60x30',
      [`slotstream_visible_seconds_bucket{le="+Inf",${one}}`]: '0+60x30',
    },
    at: 20,
    summary: 'Half of the deliveries become rows after more than 32m 30s.',
  },
  {
    // In the first hour of this Prometheus.
    rule: 'SlotstreamQuarantine',
    series: { [`slotstream_quarantine{${one}}`]: '0x5 2x5' },
    at: 7,
    summary: 'Deliveries went into quarantine within the last hour.',
  },
  {
    // An hour before, the database was down.
    rule: 'SlotstreamQuarantine',
    series: { [`slotstream_quarantine{${one}}`]: `${down}3x30 4x20` },
    at: 75,
    summary: 'Deliveries went into quarantine within the last hour.',
  },
  { rule: 'SlotstreamQuarantine', series: { [`slotstream_quarantine{${one}}`]: `3x10 ${down}3x70` }, at: 85 },
  {
    rule: 'SlotstreamBookingsBehind',
    series: {
      [`slotstream_bookings_behind_seconds{${one}}`]: '0+60x15',
      [`slotstream_bookings_behind_seconds{${other}}`]: '0x15',
    },
    at: 10,
    summary: 'Lists, numbers and views of bookings are 10m 0s behind the log.',
  },
  {
    rule: 'SlotstreamQueueLostJobs',
    series: { [`slotstream_queue_losses_total{${one}}`]: '0x5 1x5' },
    at: 8,
    summary: 'Redis lost deliveries that it had accepted.',
  },
  {
    rule: 'SlotstreamDiskLogFilling',
    series: { [`slotstream_disk_log_bytes{${one}}`]: '900000000x10', [`slotstream_disk_log_bytes{${other}}`]: '9x10' },
    at: 6,
    labels: { instance },
    summary: 'The disk log of 10.0.0.1:8081 is almost full; then deliveries are refused.',
  },
  {
    rule: 'SlotstreamDiskFilling',
    series: {
      [`slotstream_disk_free_bytes{part="disk_log",${one}}`]: '104857600x10',
      [`slotstream_disk_free_bytes{part="store",${one}}`]: '10737418240x10',
    },
    at: 6,
    labels: { instance, part: 'disk_log' },
    summary: '100MiB are free for the disk_log on 10.0.0.1:8081.',
  },
  {
    rule: 'SlotstreamSubscription',
    series: {
      [`slotstream_subscriptions{state="disabled",${one}}`]: '1x15',
      [`slotstream_subscriptions{state="recreated",${one}}`]: '1x15',
    },
    at: 11,
    labels: { state: 'disabled' },
    summary: 'Webhook subscriptions are disabled.',
  },
  {
    rule: 'SlotstreamDrift',
    series: {
      [`slotstream_mirror_drift{part="recent",kind="contact",how="missing",${one}}`]: '6x5',
      [`slotstream_mirror_drift{part="recent",kind="contact",how="missing",${other}}`]: '6x5',
      [`slotstream_mirror_drift{part="recent",kind="contact",how="different",${one}}`]: '5x5',
    },
    at: 1,
    summary: 'The last comparison with the service found 11 rows that differed.',
  },
  {
    rule: 'SlotstreamReconcileOverdue',
    series: {
      [`slotstream_reconcile_last_complete_seconds{part="recent",${one}}`]: '0x300',
      [`slotstream_reconcile_last_complete_seconds{part="full",${one}}`]: '10800x300',
    },
    at: 200,
    summary: 'No comparison of recent changes was completed for 3h 20m 0s.',
  },
  {
    rule: 'SlotstreamNeverCompared',
    series: { [`slotstream_engine_up{engine="store",${one}}`]: '1x300' },
    at: 181,
    labels: { part: 'recent' },
    summary: 'The mirror was never compared with the service.',
  },
  {
    rule: 'SlotstreamNeverCompared',
    series: { [`slotstream_reconcile_last_complete_seconds{part="recent",${one}}`]: '_x100 6000x200' },
    at: 200,
  },
  {
    rule: 'SlotstreamDeletesHeldBack',
    series: { [`slotstream_mirror_deletes_held_back{part="full",kind="contact",${one}}`]: '40x5' },
    at: 1,
    summary: '40 rows were deleted at the service and wait for your decision.',
  },
  {
    rule: 'SlotstreamAlertsFailed',
    series: {
      [`slotstream_alerts{channel="slack",state="failed",${one}}`]: '2x5',
      [`slotstream_alerts{channel="email",state="sent",${one}}`]: '9x5',
    },
    at: 1,
    labels: { channel: 'slack' },
    summary: '2 alerts could not be sent to slack.',
  },
  {
    rule: 'SlotstreamAlertChannelPaused',
    series: { [`slotstream_alert_channel_open{channel="slack",${one}}`]: '1x20' },
    at: 16,
    labels: { channel: 'slack' },
    summary: 'The alert channel slack fails repeatedly and is paused.',
  },
  {
    rule: 'SlotstreamSinkBehind',
    series: { [`slotstream_sink_behind{sink="nats",${one}}`]: '20000x20' },
    at: 16,
    labels: { sink: 'nats' },
    summary: 'The sink nats is 20000 entries behind the feed.',
  },
  {
    rule: 'SlotstreamSinkRejects',
    series: { [`slotstream_sink_failing{sink="nats",${one}}`]: '3x20' },
    at: 16,
    labels: { sink: 'nats' },
    summary: 'The sink nats rejects entries of 3 subjects.',
  },
  {
    rule: 'SlotstreamEvictions',
    series: { [`slotstream_evictions_total{reason="slow_body",${one}}`]: '0+10x20' },
    at: 15,
    labels: { reason: 'slow_body' },
    summary: 'The receiver gives up connections or bodies: slow_body.',
  },
  {
    rule: 'SlotstreamEventLoopBlocked',
    series: {
      [`slotstream_event_loop_lag_seconds{${one}}`]: '2x5',
      [`slotstream_event_loop_lag_seconds{${other}}`]: '2 0 2x5',
    },
    at: 3,
    labels: { instance },
    summary: '10.0.0.1:8081 is blocked for 2 s at a time.',
  },
  {
    rule: 'SlotstreamUnsignedAllowed',
    series: { [`slotstream_unsigned_allowed{${one}}`]: '1x70' },
    at: 61,
    summary: 'Unsigned deliveries are accepted: anyone who reaches the webhook can write into the tables.',
  },
  {
    rule: 'SlotstreamAdminRejections',
    series: { [`slotstream_admin_refused_total{cause="wrong",${one}}`]: '0+20x10' },
    at: 6,
    labels: { instance, cause: 'wrong' },
    summary: 'The admin listener of 10.0.0.1:8081 rejects many requests: wrong.',
  },
  {
    rule: 'SlotstreamServiceRefuses',
    series: {
      [`slotstream_service_calls_total{endpoint="GET /contacts",status="401",${one}}`]: '0+1x60',
      [`slotstream_service_calls_total{endpoint="GET /contacts",status="200",${one}}`]: '0+9x60',
    },
    at: 60,
    labels: { status: '401' },
    summary: 'The service answers 401: the token has ended, or lacks a scope.',
  },
  {
    rule: 'SlotstreamServiceFails',
    series: {
      [`slotstream_service_calls_total{endpoint="GET /contacts",status="none",${one}}`]: '0+30x60',
      [`slotstream_service_calls_total{endpoint="GET /users/me",status="503",${one}}`]: '0+30x60',
      [`slotstream_service_calls_total{endpoint="GET /users/me",status="200",${one}}`]: '0+59x60',
    },
    at: 40,
    summary: '1.00 calls to the service per second fail: more than half.',
  },
  {
    rule: 'SlotstreamServiceFails',
    series: {
      [`slotstream_service_calls_total{endpoint="GET /users/me",status="503",${one}}`]: '0+30x60',
      [`slotstream_service_calls_total{endpoint="GET /users/me",status="200",${one}}`]: '0+31x60',
    },
    at: 40,
  },
  {
    rule: 'SlotstreamQuotaUsedUp',
    series: {
      [`slotstream_service_rate_limit_remaining{${one}}`]: '40x30',
      [`slotstream_service_rate_limit_limit{${one}}`]: '500x30',
    },
    at: 16,
    summary: '8% of the rate limit of the service are left.',
  },
  {
    rule: 'SlotstreamFeedConsumerBehind',
    series: {
      [`slotstream_feed_consumer_behind{consumer="warehouse",${one}}`]: '20000x20',
      [`slotstream_feed_consumer_behind{consumer="crm",${one}}`]: '3x20',
    },
    at: 16,
    labels: { consumer: 'warehouse' },
    summary: 'The consumer warehouse is 20000 entries behind the feed.',
  },
  {
    rule: 'SlotstreamCommitsLate',
    series: {
      [`slotstream_commit_seconds_bucket{le="60",${one}}`]: '0x30',
      [`slotstream_commit_seconds_bucket{le="300",${one}}`]: '0+60x30',
      [`slotstream_commit_seconds_bucket{le="+Inf",${one}}`]: '0+60x30',
    },
    at: 20,
    summary: 'One of a hundred deliveries is committed later than 4m 57s after its receipt.',
  },
  {
    rule: 'SlotstreamApiFails',
    series: {
      [`slotstream_api_requests_total{route="GET /api/contacts",status="503",${one}}`]: '0+1x20',
      [`slotstream_api_requests_total{route="GET /api/feed",status="404",${one}}`]: '0+9x20',
    },
    at: 15,
    labels: { route: 'GET /api/contacts' },
    summary: 'GET /api/contacts fails.',
  },
  {
    rule: 'SlotstreamVersionsDiffer',
    series: {
      [`slotstream_build_info{version="0.1.0",${one}}`]: '1x70',
      [`slotstream_build_info{version="0.2.0",${other}}`]: '1x70',
    },
    at: 62,
    summary: '2 versions of Slotstream run at once.',
  },
];

const { groups } = parse(readFileSync(file, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = new Map(groups.flatMap((group) => group.rules).map((rule) => [rule.alert, rule]));

/** A test of promtool. It compares every label and every text of the alerts that fire. */
function promtoolTest({ rule: alertname, series, at, labels, summary }: Case) {
  const rule = rules.get(alertname);
  const alert = {
    exp_labels: { ...rule?.labels, ...labels },
    exp_annotations: { ...rule?.annotations, summary },
  };
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: `${at}m`, alertname, exp_alerts: summary === undefined ? [] : [alert] }],
  };
}

describe('the rules of Prometheus', () => {
  it('have a case each in which they fire', () => {
    const firing = cases.flatMap(({ rule, summary }) => (summary === undefined ? [] : [rule]));
    expect(new Set(firing)).toEqual(new Set(rules.keys()));
  });

  it.runIf(inject('promtoolPath'))('fire on the fault that they are for, and say what happened', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slotstream-rules-'));
    try {
      const tests = join(folder, 'tests.yml');
      const content = { rule_files: [file], evaluation_interval: '1m', tests: cases.map(promtoolTest) };
      await writeFile(tests, JSON.stringify(content));
      expect(promtool('test', 'rules', tests)).toContain('SUCCESS');
      expect(promtool('check', 'rules', file)).toContain(`SUCCESS: ${rules.size} rules found`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** What it printed: the exit code alone does not say which alert is missing. */
function promtool(...args: readonly string[]): string {
  try {
    return execFileSync(inject('promtoolPath'), args, { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    return error instanceof Error && 'stderr' in error && 'stdout' in error ? `${error.stdout}${error.stderr}` : '';
  }
}
