// How the sinks of the feed stand, in Prometheus form. Their names are ours, so the labels are few.
import { Gauge, type Registry } from 'prom-client';

export interface SinkStanding {
  /** Null until it was first filled. */
  readonly position: number | null;
  /** Places in the log between it and the end. */
  readonly behind: number;
  /** By this process, since it started. */
  readonly sent: number;
  readonly failures: number;
  /** Subjects whose next entry is not taken and is being tried again, from this process. */
  readonly failing: number;
  readonly last_error: string | null;
}

export type SinkStandings = Readonly<Record<string, SinkStanding>>;

const told = {
  behind: 'Places in the log between what a sink has taken and the end, by sink.',
  sent: 'Entries that this process brought to a sink since it started, by sink.',
  failures: 'Sends of this process to a sink that failed since it started, by sink.',
  failing: 'Subjects whose next entry a sink does not take, by sink.',
} as const;

export function watchSinks(registry: Registry, ask: () => Promise<SinkStandings | undefined>): void {
  // Asked once for all of them, whichever is collected first.
  let asked: Promise<SinkStandings | undefined> | undefined;
  const standings = (): Promise<SinkStandings | undefined> => (asked ??= ask().finally(() => (asked = undefined)));
  for (const [name, help] of Object.entries(told) as [keyof typeof told, string][]) {
    const gauge: Gauge = new Gauge({
      name: `slotstream_sink_${name}`,
      help,
      labelNames: ['sink'],
      registers: [registry],
      collect: async () => {
        const found = Object.entries((await standings()) ?? {});
        gauge.reset();
        for (const [sink, standing] of found) gauge.set({ sink }, standing[name]);
      },
    });
  }
}
