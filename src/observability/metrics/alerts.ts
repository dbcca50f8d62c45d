// Metrics of alerts: their number by channel and state, and the circuit breakers of the channels. All labels are from closed sets.
import { Gauge, type Registry } from 'prom-client';

/** Alerts by channel and state. */
export type AlertCounts = readonly { readonly channel: string; readonly state: string; readonly count: number }[];

export function watchAlerts(registry: Registry, read: () => Promise<AlertCounts | undefined>): void {
  const gauge: Gauge = new Gauge({
    name: 'slotstream_alerts',
    help: 'Alerts in the outbox, by channel and state.',
    labelNames: ['channel', 'state'],
    registers: [registry],
    collect: async () => {
      const counts = (await read()) ?? [];
      gauge.reset();
      for (const { channel, state, count } of counts) gauge.set({ channel, state }, count);
    },
  });
}

/** The circuit breaker of each channel. */
export type ChannelStates = Readonly<Record<string, { readonly state: 'closed' | 'open' | 'half' }>>;

export function watchChannels(registry: Registry, read: () => Promise<ChannelStates | undefined>): void {
  const gauge: Gauge = new Gauge({
    name: 'slotstream_alert_channel_open',
    help: '1 while the circuit breaker of an alert channel is open in this process, by channel.',
    labelNames: ['channel'],
    registers: [registry],
    collect: async () => {
      const channels = Object.entries((await read()) ?? {});
      gauge.reset();
      for (const [channel, { state }] of channels) gauge.set({ channel }, state === 'closed' ? 0 : 1);
    },
  });
}
