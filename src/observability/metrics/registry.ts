// The metrics, in Prometheus format. Every label is from a closed set, so that no sender can grow it, and no label contains personal
// data or a secret. One registry per app: two apps in one process do not share numbers.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { isEventKind } from '#schemas/events.ts';
import type { RateLimitStatus } from '#src/base/retry-after.ts';
import { version } from '#src/base/version.ts';
import type { SignatureRefusal } from '#src/signing/signature.ts';
import { recentValues, tally, tallyBuckets, type Percentiles } from './tallies.ts';
import { watchedGauges, type WatchedSources } from './watched.ts';

export type ReceivedOutcome = 'queued' | 'on_disk' | 'unavailable';
/** `aborted`: the sender disconnected before the end of its body. */
export type RefusalCause = SignatureRefusal | 'method' | 'encoding' | 'too_large' | 'aborted';

/** Why the receiver gave up a body or closed a connection, so that others get through. */
export type EvictionReason = 'body_budget' | 'slow_body' | 'idle_connection' | 'slow_connection' | 'connection_limit';

export type SubscriptionState = 'retrying' | 'disabled' | 'missing' | 'recreated' | 'refused';

export interface Metrics {
  received(outcome: ReceivedOutcome): void;
  refused(cause: RefusalCause): void;
  /** Verified and refused signatures since the start of the process; `stale`: correct, but too old. */
  signatures(): { readonly accepted: number; readonly refused: number; readonly stale: number };
  evicted(reason: EvictionReason): void;
  /** Which key of the key ring matched: shows when an old key can be removed. */
  keyMatched(keyId: string): void;
  acknowledged(seconds: number): void;
  batched(deliveries: number): void;
  projected(event: string, outcome: string, count?: number): void;
  /** From the event to its row; depends on the service's clock and ours. */
  visible(seconds: number): void;
  /** Seconds from the event to its row, of the deliveries of the last minutes; undefined when there were none. */
  lag(): Percentiles | undefined;
  /** From the complete body to the commit, by our own clocks. */
  committed(seconds: number): void;
  /** A request to the API, by the template of its path. */
  requested(method: string, route: string, status: number): void;
  /** What calls to the service report. */
  readonly upstream: {
    onCall(endpoint: string, status: number | undefined): void;
    onRateLimit(status: RateLimitStatus): void;
  };
  requeued(): void;
  /** The queue was found to have lost what it had accepted. */
  queueLost(times: number): void;
  unsignedAllowed(allowed: boolean): void;
  adminRefused(cause: string): void;
  /** Sources that are read when the metrics are read; a source that fails leaves only its own gauge without a value. */
  watch(sources: WatchedSources): void;
  /** The states of our subscriptions at the last check. */
  subscriptions(counts: Readonly<Record<SubscriptionState, number>>): void;
  read(): Promise<{ readonly contentType: string; readonly text: string }>;
}

const signatureRefusals = ['missing', 'malformed', 'wrong', 'stale', 'stale_signed'] as const;
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
const outcomes = new Set(['applied', 'unchanged', 'superseded', 'tombstoned', 'quarantined', 'unhandled', 'duplicate']);
const shortSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const longSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 3600];

/** Delays of the event loop are measured by a timer with this period: with 10 ms it was most of what an idle process did. */
const lagResolutionMs = 100;

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagResolutionMs });
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `slotstream_${name}`, help, buckets, registers });
  const gauge = (name: string, help: string) => new Gauge({ name: `slotstream_${name}`, help, registers });
  const counter = (name: string, help: string) => new Counter({ name: `slotstream_${name}`, help, registers });

  const received = tally({
    registry,
    name: 'deliveries_received_total',
    help: 'Verified deliveries by destination.',
    label: 'outcome',
  });
  const refused = tally({
    registry,
    name: 'deliveries_refused_total',
    help: 'Rejected requests to the webhook, by cause.',
    label: 'cause',
  });
  const evicted = tally({
    registry,
    name: 'evictions_total',
    help: 'Bodies given up and connections closed or refused in favour of others, by reason.',
    label: 'reason',
  });
  const keys = tally({
    registry,
    name: 'signature_key_total',
    help: 'Verified deliveries by signing key.',
    label: 'key_id',
  });
  const adminRefused = tally({
    registry,
    name: 'admin_refused_total',
    help: 'Rejected requests to the admin listener, by cause.',
    label: 'cause',
  });
  const projected = new Counter({
    name: 'slotstream_projected_total',
    help: 'Processed deliveries, by kind and outcome.',
    labelNames: ['event', 'outcome'],
    registers,
  });
  const ack = tallyBuckets({
    name: 'ack_seconds',
    help: 'Time from the complete body to the response.',
    bounds: shortSeconds,
  });
  const visible = histogram('visible_seconds', 'Time from the event to its row.', longSeconds);
  const committed = histogram('commit_seconds', 'Time from the complete body to the commit.', longSeconds);
  const counterOf = (name: string, help: string, label: string) =>
    new Counter({ name: `slotstream_${name}`, help, labelNames: [label, 'status'], registers });
  const requests = counterOf('api_requests_total', 'Requests to the API, by route and status.', 'route');
  const calls = counterOf('service_calls_total', 'Calls to the service, by endpoint and status.', 'endpoint');
  const rateLimited = rateLimitGauges(registry);
  const lately = recentValues();
  const batch = histogram('batch_deliveries', 'Deliveries per job.', [1, 2, 4, 8, 16, 32, 64, 128, 256]);
  const requeued = counter('disk_log_requeued_total', 'Batches enqueued from the disk log.');
  const queueLosses = counter('queue_losses_total', 'How often the queue had lost what it had accepted.');
  const unsigned = gauge('unsigned_allowed', '1 while unsigned deliveries are accepted.');
  const subscriptions = new Gauge({
    name: 'slotstream_subscriptions',
    help: 'Our webhook subscriptions with a problem at the last check, by state.',
    labelNames: ['state'],
    registers,
  });
  new Gauge({
    name: 'slotstream_build_info',
    help: 'Always 1; the version of this process, with its commit.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  measureLoopLag(registry);

  return {
    received: received.count,
    refused: refused.count,
    signatures: () => ({
      accepted: received.total('queued') + received.total('on_disk'),
      refused: signatureRefusals.reduce((sum, cause) => sum + refused.total(cause), 0),
      stale: refused.total('stale_signed'),
    }),
    evicted: evicted.count,
    adminRefused: adminRefused.count,
    keyMatched: keys.count,
    acknowledged: ack.observe,
    batched: (deliveries) => batch.observe(deliveries),
    projected: (event, outcome, count = 1) =>
      projected.inc(
        { event: isEventKind(event) ? event : 'unknown', outcome: outcomes.has(outcome) ? outcome : 'unknown' },
        count,
      ),
    visible: (seconds) => {
      visible.observe(Math.max(0, seconds));
      lately.add(Math.max(0, seconds));
    },
    lag: lately.percentiles,
    committed: (seconds) => committed.observe(Math.max(0, seconds)),
    requested: (method, route, status) =>
      requests.inc({ route: `${methods.has(method) ? method : 'other'} ${route}`, status: String(status) }),
    upstream: {
      onCall: (endpoint, status) => calls.inc({ endpoint, status: status === undefined ? 'none' : String(status) }),
      onRateLimit: rateLimited,
    },
    requeued: () => requeued.inc(),
    queueLost: (times) => queueLosses.inc(times),
    subscriptions: (counts) => {
      for (const [state, count] of Object.entries(counts)) subscriptions.set({ state }, count);
    },
    unsignedAllowed: (allowed) => unsigned.set(allowed ? 1 : 0),
    watch: watchedGauges(registry),
    read: async () => ({ contentType: registry.contentType, text: `${await registry.metrics()}\n${ack.text()}` }),
  };
}

/** What the last response of the service said; after the end of its window, all calls of the limit are left. */
function rateLimitGauges(registry: Registry): (status: RateLimitStatus) => void {
  let window: { readonly limit: number; readonly remaining: number; readonly endsMs: number } | undefined;
  const read = {
    limit: () => window?.limit,
    remaining: () => window && (Date.now() < window.endsMs ? window.remaining : window.limit),
  };
  for (const [name, value] of Object.entries(read)) {
    const gauge: Gauge = new Gauge({
      name: `slotstream_service_rate_limit_${name}`,
      help: `Calls per window that the service allows its user: ${name}.`,
      registers: [registry],
      collect() {
        const now = value();
        if (now !== undefined) gauge.set(now);
      },
    });
    // Without a value until the first answer.
    gauge.remove();
  }
  return ({ limit, remaining, resetMs }) => {
    if (limit !== undefined && remaining !== undefined && resetMs !== undefined)
      window = { limit, remaining, endsMs: Date.now() + resetMs };
  };
}

/** The longest delay since the last reading: a blocked event loop is the first thing to rule out when responses are slow. */
function measureLoopLag(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: lagResolutionMs });
  delays.enable();
  const lag = new Gauge({
    name: 'slotstream_event_loop_lag_seconds',
    help: 'Longest event loop delay since the last reading.',
    registers: [registry],
    collect: () => {
      // What is measured is the time between two firings of a timer, which includes its period.
      lag.set(Math.max(0, delays.max / 1e9 - lagResolutionMs / 1000));
      delays.reset();
    },
  });
}
