// What the last complete reconciles found, in Prometheus form.
import { Gauge, type Registry } from 'prom-client';

/** What the last complete runs found, by part: `recent` and `full`. */
export interface Reconciled {
  readonly recent?: ReconcileFindings | undefined;
  readonly full?: ReconcileFindings | undefined;
}

export interface ReconcileFindings {
  readonly finished_at: string;
  /** By kind and how. */
  readonly drift: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly held_back: Readonly<Record<string, number>>;
}

/** As the store has it: the same whoever ran it, and after a restart too. */
export function watchDrift(registry: Registry, ask: () => Promise<Reconciled | undefined>): void {
  const told = (
    name: string,
    { help, labelNames }: { readonly help: string; readonly labelNames: string[] },
    tell: (gauge: Gauge, part: string, run: ReconcileFindings) => void,
  ): void => {
    const gauge: Gauge = new Gauge({
      name: `slotstream_${name}`,
      help,
      labelNames,
      registers: [registry],
      collect: async () => {
        const runs = Object.entries<ReconcileFindings | undefined>({ ...(await ask()) });
        gauge.reset();
        for (const [part, run] of runs) if (run !== undefined) tell(gauge, part, run);
      },
    });
  };
  told(
    'reconcile_last_complete_seconds',
    { help: 'When the last complete reconcile ended (Unix time), by part.', labelNames: ['part'] },
    (gauge, part, { finished_at }) => gauge.set({ part }, Date.parse(finished_at) / 1000),
  );
  told(
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
  told(
    'mirror_deletes_held_back',
    { help: 'Rows gone from the service that wait for `reconcile --allow-deletes`.', labelNames: ['part', 'kind'] },
    (gauge, part, { held_back }) => {
      for (const [kind, count] of Object.entries(held_back)) gauge.set({ part, kind }, count);
    },
  );
}
