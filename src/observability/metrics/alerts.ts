// How many alerts there are by channel and state, and which channels are left alone, in Prometheus form. All from closed sets.
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

export type ChannelStandings = Readonly<Record<string, { readonly state: 'closed' | 'open' | 'half' }>>;

export function watchChannels(registry: Registry, ask: () => Promise<ChannelStandings | undefined>): void {
  const gauge: Gauge = new Gauge({
    name: 'slotstream_alert_channel_open',
    help: '1 while this process leaves a failing alert channel alone, by channel.',
    labelNames: ['channel'],
    registers: [registry],
    collect: async () => {
      const standings = Object.entries((await ask()) ?? {});
      gauge.reset();
      for (const [channel, { state }] of standings) gauge.set({ channel }, state === 'closed' ? 0 : 1);
    },
  });
}
