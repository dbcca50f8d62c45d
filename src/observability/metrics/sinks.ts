// Metrics of the sinks of the feed. The names of sinks are ours, so there are few labels.
import { Gauge, type Registry } from 'prom-client';

const helpTexts = {
  behind: 'Log entries between the offset of a sink and the end of the log, by sink.',
  sent: 'Entries that this process sent to a sink since it started, by sink.',
  failures: 'Failed sends of this process to a sink since it started, by sink.',
  failing: 'Subjects whose next entry a sink rejects, by sink.',
} as const;

type SinkValue = keyof typeof helpTexts;

/** The values of each sink, by name. */
export type SinkValues = Readonly<Record<string, Readonly<Record<SinkValue, number>>>>;

export function watchSinks(registry: Registry, read: () => Promise<SinkValues | undefined>): void {
  // Read once for all gauges, whichever is collected first.
  let reading: Promise<SinkValues | undefined> | undefined;
  const readOnce = (): Promise<SinkValues | undefined> => (reading ??= read().finally(() => (reading = undefined)));
  const addGauge = (name: SinkValue): void => {
    const gauge: Gauge = new Gauge({
      name: `slotstream_sink_${name}`,
      help: helpTexts[name],
      labelNames: ['sink'],
      registers: [registry],
      collect: async () => {
        const sinks = Object.entries((await readOnce()) ?? {});
        gauge.reset();
        for (const [sink, values] of sinks) gauge.set({ sink }, values[name]);
      },
    });
  };
  addGauge('behind');
  addGauge('sent');
  addGauge('failures');
  addGauge('failing');
}
