// Prometheus gauges of alerts: how many there are by channel and state, and which channels are paused. All labels are from closed sets.
import { Gauge, type Registry } from 'prom-client';

export interface AlertGaugeValue {
  readonly channel: string;
  readonly state: string;
  readonly count: number;
}

export function watchAlerts(registry: Registry, ask: () => Promise<readonly AlertGaugeValue[] | undefined>): void {
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

export type ChannelStates = Readonly<Record<string, { readonly state: 'closed' | 'open' | 'half' }>>;

export function watchChannels(registry: Registry, ask: () => Promise<ChannelStates | undefined>): void {
  const gauge: Gauge = new Gauge({
    name: 'slotstream_alert_channel_open',
    help: '1 while this process pauses a failing alert channel, by channel.',
    labelNames: ['channel'],
    registers: [registry],
    collect: async () => {
      const states = Object.entries((await ask()) ?? {});
      gauge.reset();
      for (const [channel, { state }] of states) gauge.set({ channel }, state === 'closed' ? 0 : 1);
    },
  });
}
