// Gauges that are read from their source when the metrics are read: engines, queue, disk log, quarantine, drift, sinks and alerts. A source that fails
// or takes too long leaves its gauges without values. All labels are from closed sets.
import { Gauge, type Registry } from 'prom-client';
import { withTimeout } from '#src/base/timeout.ts';

interface ReconcileFindings {
  readonly finished_at: string;
  /** Counts by kind and difference. */
  readonly drift: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly held_back: Readonly<Record<string, number>>;
}

const sinkValues = ['behind', 'sent', 'failures', 'failing'] as const;
type SinkValue = (typeof sinkValues)[number];

type SinkStates = Readonly<Record<string, Readonly<Record<SinkValue, number>>>>;

export interface WatchedSources {
  /** What `/readyz` reports, which has a time limit of its own: it says what is down also where the other sources have no value. */
  readonly engines?: () => Promise<Readonly<Record<string, 'up' | 'down'>>>;
  readonly queueDepth?: () => Promise<Readonly<Record<'waiting' | 'active' | 'delayed' | 'failed', number>>>;
  /** Where this process receives. */
  readonly diskLog?: () => Readonly<Record<'waiting' | 'batches' | 'bytes', number>>;
  readonly quarantine?: () => Promise<number>;
  readonly disks?: () => Promise<readonly { readonly part: string; readonly freeBytes: number }[]>;
  /** The last complete runs. Read from the store, so the values are the same in every process and after a restart. */
  readonly reconciled?: () => Promise<Readonly<Partial<Record<'recent' | 'full', ReconcileFindings | undefined>>>>;
  /** By the name of the sink. The names are ours, so there are few. */
  readonly sinks?: () => Promise<SinkStates>;
  /** How many entries each named consumer of the feed is behind. */
  readonly consumers?: () => Promise<readonly { readonly name: string; readonly behind: number }[]>;
  readonly alerts?: () => Promise<
    readonly { readonly channel: string; readonly state: string; readonly count: number }[]
  >;
  readonly alertChannels?: () => Promise<Readonly<Record<string, { readonly state: 'closed' | 'open' | 'half' }>>>;
}

const timeoutMs = 2_000;
/** Callers with a token name them. */
const mostConsumers = 100;

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** Registers the gauges. Returns the function that adds their sources. */
export function watchedGauges(registry: Registry): (added: WatchedSources) => void {
  let sources: WatchedSources = {};
  const addGauge = (
    name: string,
    { help, labels }: { readonly help: string; readonly labels: string[] },
    samples: () => Promise<readonly Sample[]>,
  ): void => {
    const gauge: Gauge = new Gauge({
      name: `slotstream_${name}`,
      help,
      labelNames: labels,
      registers: [registry],
      async collect() {
        const current = await samples();
        gauge.reset();
        for (const [values, value] of current) gauge.set(values, value);
      },
    });
  };

  addGauge('engine_up', { help: '1 while an engine of this process works, by engine.', labels: ['engine'] }, async () =>
    Object.entries((await sources.engines?.()) ?? {}).map(([engine, state]) => [{ engine }, state === 'up' ? 1 : 0]),
  );
  addGauge('queue_depth', { help: 'Jobs in the queue, by state.', labels: ['state'] }, async () =>
    Object.entries((await valueOf(sources.queueDepth)) ?? {}).map(([state, jobs]) => [{ state }, jobs]),
  );
  const onDisk = (value: 'waiting' | 'batches' | 'bytes') => async (): Promise<readonly Sample[]> =>
    sources.diskLog ? [[{}, sources.diskLog()[value]]] : [];
  const waitingHelp = 'Deliveries in the disk log that wait for the queue.';
  addGauge('disk_log_waiting_deliveries', { help: waitingHelp, labels: [] }, onDisk('waiting'));
  const batchesHelp = 'Batches in the disk log: not queued, or not finished.';
  addGauge('disk_log_batches', { help: batchesHelp, labels: [] }, onDisk('batches'));
  addGauge('disk_log_bytes', { help: 'Size of the disk log.', labels: [] }, onDisk('bytes'));
  addGauge('quarantine', { help: 'Deliveries in quarantine.', labels: [] }, async () => [
    [{}, (await valueOf(sources.quarantine)) ?? NaN],
  ]);
  addGauge(
    'disk_free_bytes',
    { help: 'Free space of the disks, by what writes to them.', labels: ['part'] },
    async () => ((await valueOf(sources.disks)) ?? []).map(({ part, freeBytes }) => [{ part }, freeBytes]),
  );
  addGauge(
    'feed_consumer_behind',
    { help: 'Log entries between the offset of a consumer and the end of the log, by consumer.', labels: ['consumer'] },
    async () => {
      const consumers = (await valueOf(sources.consumers)) ?? [];
      return consumers.slice(0, mostConsumers).map(({ name, behind }) => [{ consumer: name }, behind]);
    },
  );
  addGauge('alerts', { help: 'Alerts in the outbox, by channel and state.', labels: ['channel', 'state'] }, async () =>
    ((await valueOf(sources.alerts)) ?? []).map(({ count, ...labels }) => [labels, count]),
  );
  addGauge(
    'alert_channel_open',
    {
      help: '1 while the circuit breaker of an alert channel is open in this process, by channel.',
      labels: ['channel'],
    },
    async () =>
      Object.entries((await valueOf(sources.alertChannels)) ?? {}).map(([channel, { state }]) => [
        { channel },
        state === 'closed' ? 0 : 1,
      ]),
  );

  const runs = async () =>
    Object.entries({ ...(await valueOf(sources.reconciled)) }).flatMap(([part, run]) =>
      run ? [{ part, ...run }] : [],
    );
  addGauge(
    'reconcile_last_complete_seconds',
    { help: 'When the last complete reconcile ended (Unix time), by part.', labels: ['part'] },
    async () => (await runs()).map(({ part, finished_at }) => [{ part }, Date.parse(finished_at) / 1000]),
  );
  addGauge(
    'mirror_drift',
    {
      help: 'Rows that the last complete reconcile found missing, extra or different, by kind.',
      labels: ['part', 'kind', 'how'],
    },
    async () =>
      (await runs()).flatMap(({ part, drift }) =>
        Object.entries(drift).flatMap(([kind, hows]) =>
          Object.entries(hows).map(([how, count]): Sample => [{ part, kind, how }, count]),
        ),
      ),
  );
  addGauge(
    'mirror_deletes_held_back',
    {
      help: 'Rows deleted at the service that wait for `reconcile --allow-deletes`, by kind.',
      labels: ['part', 'kind'],
    },
    async () =>
      (await runs()).flatMap(({ part, held_back }) =>
        Object.entries(held_back).map(([kind, count]): Sample => [{ part, kind }, count]),
      ),
  );

  // Read once for all gauges of sinks, whichever is collected first.
  let reading: Promise<SinkStates | undefined> | undefined;
  const sinks = () => (reading ??= valueOf(sources.sinks).finally(() => (reading = undefined)));
  for (const value of sinkValues)
    addGauge(`sink_${value}`, { help: sinkHelp[value], labels: ['sink'] }, async () =>
      Object.entries((await sinks()) ?? {}).map(([sink, values]) => [{ sink }, values[value]]),
    );
  return (added) => {
    sources = { ...sources, ...added };
  };
}

const sinkHelp: Readonly<Record<SinkValue, string>> = {
  behind: 'Log entries between the offset of a sink and the end of the log, by sink.',
  sent: 'Entries that this process sent to a sink since it started, by sink.',
  failures: 'Failed sends of this process to a sink since it started, by sink.',
  failing: 'Subjects whose next entry a sink rejects, by sink.',
};

async function valueOf<Value>(source: (() => Promise<Value>) | undefined): Promise<Value | undefined> {
  try {
    return source && (await withTimeout(source(), timeoutMs));
  } catch {
    return undefined;
  }
}
