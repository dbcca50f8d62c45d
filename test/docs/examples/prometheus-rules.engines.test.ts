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

const one = 'instance="10.0.0.1:8081"';
const other = 'instance="10.0.0.2:8081"';
/** Half an hour in which the value cannot be read. */
const down = 'NaN '.repeat(30);

/**
 * The rule, the minute at which it is asked and the labels of its alert; its series, one value a minute in the notation of promtool
 * (`0x5` is six times 0, `0+2x5` counts up by 2, `_x5` is absent); and what it says, unless it must be silent.
 */
const table = `
SlotstreamDown at 3 {job="slotstream",${one}}
  up{job="slotstream",${one}} 0x5
  up{job="slotstream",${other}} 1x5
  → Slotstream on 10.0.0.1:8081 does not answer.
SlotstreamEngineDown at 2 {engine="store",${one}}
  slotstream_engine_up{engine="store",${one}} 1 0x5
  slotstream_engine_up{engine="queue",${one}} 1x5
  → The store of 10.0.0.1:8081 is down.
SlotstreamDeliveriesRefused at 5
  slotstream_deliveries_received_total{outcome="unavailable",${one}} 0+6x10
  → Genuine deliveries are answered with 503.
SlotstreamWaitingOnDisk at 6 {${one}}
  slotstream_disk_log_waiting_deliveries{${one}} 7x10
  slotstream_disk_log_waiting_deliveries{${other}} 0x10
  → 7 deliveries wait on the disk of 10.0.0.1:8081.
SlotstreamSignaturesRefused at 15 {cause="wrong"}
  slotstream_deliveries_refused_total{cause="wrong",${one}} 0+1x15
  slotstream_deliveries_refused_total{cause="missing",${one}} 0+9x15
  → Deliveries are refused: wrong.
# The database is down: every batch waits for another attempt. Both processes report the same queue.
SlotstreamQueueBacklog at 11
  slotstream_queue_depth{state="waiting",${one}} 1x15
  slotstream_queue_depth{state="delayed",${one}} 1000x15
  slotstream_queue_depth{state="waiting",${other}} 1x15
  slotstream_queue_depth{state="delayed",${other}} 1000x15
  → 1001 batches wait in the queue.
SlotstreamRowsLate at 20
  slotstream_visible_seconds_bucket{le="300",${one}} 0x30
  slotstream_visible_seconds_bucket{le="3600",${one}} 0+60x30
  slotstream_visible_seconds_bucket{le="+Inf",${one}} 0+60x30
  → Half of the deliveries become rows after more than 32m 30s.
# In the first hour of this Prometheus.
SlotstreamQuarantine at 7
  slotstream_quarantine{${one}} 0x5 2x5
  → Deliveries went into quarantine within the last hour.
# An hour before, the database was down.
SlotstreamQuarantine at 75
  slotstream_quarantine{${one}} ${down}3x30 4x20
  → Deliveries went into quarantine within the last hour.
SlotstreamQuarantine at 85
  slotstream_quarantine{${one}} 3x10 ${down}3x70
SlotstreamBookingsBehind at 10
  slotstream_bookings_behind_seconds{${one}} 0+60x15
  slotstream_bookings_behind_seconds{${other}} 0x15
  → Lists, numbers and views of bookings are 10m 0s behind the log.
SlotstreamQueueLostJobs at 8
  slotstream_queue_losses_total{${one}} 0x5 1x5
  → Redis lost deliveries that it had accepted.
SlotstreamDiskLogFilling at 6 {${one}}
  slotstream_disk_log_bytes{${one}} 900000000x10
  slotstream_disk_log_bytes{${other}} 9x10
  → The disk log of 10.0.0.1:8081 is almost full; then deliveries are refused.
SlotstreamDiskFilling at 6 {${one},part="disk_log"}
  slotstream_disk_free_bytes{part="disk_log",${one}} 104857600x10
  slotstream_disk_free_bytes{part="store",${one}} 10737418240x10
  → 100MiB are free for the disk_log on 10.0.0.1:8081.
SlotstreamSubscription at 11 {state="disabled"}
  slotstream_subscriptions{state="disabled",${one}} 1x15
  slotstream_subscriptions{state="recreated",${one}} 1x15
  → Webhook subscriptions are disabled.
SlotstreamDrift at 1
  slotstream_mirror_drift{part="recent",kind="contact",how="missing",${one}} 6x5
  slotstream_mirror_drift{part="recent",kind="contact",how="missing",${other}} 6x5
  slotstream_mirror_drift{part="recent",kind="contact",how="different",${one}} 5x5
  → The last comparison with the service found 11 rows that differed.
SlotstreamReconcileOverdue at 200
  slotstream_reconcile_last_complete_seconds{part="recent",${one}} 0x300
  slotstream_reconcile_last_complete_seconds{part="full",${one}} 10800x300
  → No comparison of recent changes was completed for 3h 20m 0s.
SlotstreamNeverCompared at 181 {part="recent"}
  slotstream_engine_up{engine="store",${one}} 1x300
  → The mirror was never compared with the service.
SlotstreamNeverCompared at 200
  slotstream_reconcile_last_complete_seconds{part="recent",${one}} _x100 6000x200
SlotstreamDeletesHeldBack at 1
  slotstream_mirror_deletes_held_back{part="full",kind="contact",${one}} 40x5
  → 40 rows were deleted at the service and wait for your decision.
SlotstreamAlertsFailed at 1 {channel="slack"}
  slotstream_alerts{channel="slack",state="failed",${one}} 2x5
  slotstream_alerts{channel="email",state="sent",${one}} 9x5
  → 2 alerts could not be sent to slack.
SlotstreamAlertChannelPaused at 16 {channel="slack"}
  slotstream_alert_channel_open{channel="slack",${one}} 1x20
  → The alert channel slack fails repeatedly and is paused.
SlotstreamSinkBehind at 16 {sink="nats"}
  slotstream_sink_behind{sink="nats",${one}} 20000x20
  → The sink nats is 20000 entries behind the feed.
SlotstreamSinkRejects at 16 {sink="nats"}
  slotstream_sink_failing{sink="nats",${one}} 3x20
  → The sink nats rejects entries of 3 subjects.
SlotstreamEvictions at 15 {reason="slow_body"}
  slotstream_evictions_total{reason="slow_body",${one}} 0+10x20
  → The receiver gives up connections or bodies: slow_body.
SlotstreamEventLoopBlocked at 3 {${one}}
  slotstream_event_loop_lag_seconds{${one}} 2x5
  slotstream_event_loop_lag_seconds{${other}} 2 0 2x5
  → 10.0.0.1:8081 is blocked for 2 s at a time.
SlotstreamUnsignedAllowed at 61
  slotstream_unsigned_allowed{${one}} 1x70
  → Unsigned deliveries are accepted: anyone who reaches the webhook can write into the tables.
SlotstreamAdminRejections at 6 {${one},cause="wrong"}
  slotstream_admin_refused_total{cause="wrong",${one}} 0+20x10
  → The admin listener of 10.0.0.1:8081 rejects many requests: wrong.
SlotstreamServiceRefuses at 60 {status="401"}
  slotstream_service_calls_total{endpoint="GET /contacts",status="401",${one}} 0+1x60
  slotstream_service_calls_total{endpoint="GET /contacts",status="200",${one}} 0+9x60
  → The service answers 401: the token has ended, or lacks a scope.
SlotstreamServiceFails at 40
  slotstream_service_calls_total{endpoint="GET /contacts",status="none",${one}} 0+30x60
  slotstream_service_calls_total{endpoint="GET /users/me",status="503",${one}} 0+30x60
  slotstream_service_calls_total{endpoint="GET /users/me",status="200",${one}} 0+59x60
  → 1.00 calls to the service per second fail: more than half.
SlotstreamServiceFails at 40
  slotstream_service_calls_total{endpoint="GET /users/me",status="503",${one}} 0+30x60
  slotstream_service_calls_total{endpoint="GET /users/me",status="200",${one}} 0+31x60
SlotstreamQuotaUsedUp at 16
  slotstream_service_rate_limit_remaining{${one}} 40x30
  slotstream_service_rate_limit_limit{${one}} 500x30
  → 8% of the rate limit of the service are left.
SlotstreamFeedConsumerBehind at 16 {consumer="warehouse"}
  slotstream_feed_consumer_behind{consumer="warehouse",${one}} 20000x20
  slotstream_feed_consumer_behind{consumer="crm",${one}} 3x20
  → The consumer warehouse is 20000 entries behind the feed.
SlotstreamCommitsLate at 20
  slotstream_commit_seconds_bucket{le="60",${one}} 0x30
  slotstream_commit_seconds_bucket{le="300",${one}} 0+60x30
  slotstream_commit_seconds_bucket{le="+Inf",${one}} 0+60x30
  → One of a hundred deliveries is committed later than 4m 57s after its receipt.
SlotstreamApiFails at 15 {route="GET /api/contacts"}
  slotstream_api_requests_total{route="GET /api/contacts",status="503",${one}} 0+1x20
  slotstream_api_requests_total{route="GET /api/feed",status="404",${one}} 0+9x20
  → GET /api/contacts fails.
SlotstreamVersionsDiffer at 62
  slotstream_build_info{version="0.1.0",${one}} 1x70
  slotstream_build_info{version="0.2.0",${other}} 1x70
  → 2 versions of Slotstream run at once.
`;

const labelsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));

const cases = table
  .split(/^(?=\w)/m)
  .slice(1)
  .map((text) => {
    const [, rule = '', at = '', labels = ''] = /^(\w+) at (\d+)(.*)$/m.exec(text) ?? [];
    const series = [...text.matchAll(/^ {2}(\w+\{.*\}) (.+)$/gm)].map(([, name, values]) => ({ series: name, values }));
    return { rule, at, labels: labelsIn(labels), series, summary: /^ {2}→ (.*)$/m.exec(text)?.[1] };
  });

const { groups } = parse(readFileSync(file, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = new Map(groups.flatMap((group) => group.rules).map((rule) => [rule.alert, rule]));

/** A test of promtool. It compares every label and every text of the alerts that fire. */
function promtoolTest({ rule: alertname, series, at, labels, summary }: (typeof cases)[number]) {
  const rule = rules.get(alertname);
  const alert = {
    exp_labels: { ...rule?.labels, ...labels },
    exp_annotations: { ...rule?.annotations, summary },
  };
  return {
    interval: '1m',
    input_series: series,
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
    // It ends before its garbage is worth collecting.
    const env = { ...process.env, GOGC: '1000', GOMAXPROCS: '1' };
    return execFileSync(inject('promtoolPath'), args, { encoding: 'utf8', stdio: 'pipe', env });
  } catch (error) {
    return error instanceof Error && 'stderr' in error && 'stdout' in error ? `${error.stdout}${error.stderr}` : '';
  }
}
