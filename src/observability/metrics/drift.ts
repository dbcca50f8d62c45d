// Metrics of drift: what the last complete reconciles found.
import { Gauge, type Registry } from 'prom-client';

/** The results of the last complete runs, by part: `recent` and `full`. */
export interface Reconciled {
  readonly recent?: ReconcileFindings | undefined;
  readonly full?: ReconcileFindings | undefined;
}

export interface ReconcileFindings {
  readonly finished_at: string;
  /** Counts by kind and difference. */
  readonly drift: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly held_back: Readonly<Record<string, number>>;
}

/** Reads from the store, so the values are the same in every process and after a restart. */
export function watchDrift(registry: Registry, read: () => Promise<Reconciled | undefined>): void {
  const addGauge = (
    name: string,
    { help, labelNames }: { readonly help: string; readonly labelNames: string[] },
    setValues: (gauge: Gauge, part: string, run: ReconcileFindings) => void,
  ): void => {
    const gauge: Gauge = new Gauge({
      name: `slotstream_${name}`,
      help,
      labelNames,
      registers: [registry],
      collect: async () => {
        const runs = Object.entries<ReconcileFindings | undefined>({ ...(await read()) });
        gauge.reset();
        for (const [part, run] of runs) if (run !== undefined) setValues(gauge, part, run);
      },
    });
  };
  addGauge(
    'reconcile_last_complete_seconds',
    { help: 'When the last complete reconcile ended (Unix time), by part.', labelNames: ['part'] },
    (gauge, part, { finished_at }) => gauge.set({ part }, Date.parse(finished_at) / 1000),
  );
  addGauge(
    'mirror_drift',
    {
      help: 'Rows that the last complete reconcile found missing, extra or different, by kind.',
      labelNames: ['part', 'kind', 'how'],
    },
    (gauge, part, { drift }) => {
      for (const [kind, hows] of Object.entries(drift))
        for (const [how, count] of Object.entries(hows)) gauge.set({ part, kind, how }, count);
    },
  );
  addGauge(
    'mirror_deletes_held_back',
    {
      help: 'Rows deleted at the service that wait for `reconcile --allow-deletes`, by kind.',
      labelNames: ['part', 'kind'],
    },
    (gauge, part, { held_back }) => {
      for (const [kind, count] of Object.entries(held_back)) gauge.set({ part, kind }, count);
    },
  );
}
