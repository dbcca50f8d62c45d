// How many alerts there are by channel and state, in Prometheus form. Both are from closed sets.
import { Gauge, type Registry } from 'prom-client';

export interface AlertCount {
  readonly channel: string;
  readonly state: string;
  readonly count: number;
}

export function watchAlerts(registry: Registry, ask: () => Promise<readonly AlertCount[] | undefined>): void {
  const gauge: Gauge = new Gauge({
    name: 'slotstream_alerts',
    help: 'Alerts in the outbox, by channel and state.',
    labelNames: ['channel', 'state'],
    registers: [registry],
    collect: async () => {
      const counts = (await ask()) ?? [];
      gauge.reset();
      for (const { channel, state, count } of counts) gauge.set({ channel, state }, count);
    },
  });
}
