import { describe, expect, it } from 'vitest';
import { createMetrics } from '#src/observability/metrics/registry.ts';

async function linesOf(metrics: ReturnType<typeof createMetrics>, name: string): Promise<string[]> {
  const { text } = await metrics.read();
  return text.split('\n').filter((line) => line.startsWith(name));
}

describe('the metrics', () => {
  it('a million names of events are one label', async () => {
    const metrics = createMetrics();
    for (let index = 0; index < 1000; index += 1) metrics.projected(`made.up.${index}`, `made up ${index}`);
    metrics.projected('constructor', 'applied');
    metrics.projected('contact.created', 'applied');
    expect(await linesOf(metrics, 'slotstream_projected_total{')).toEqual([
      'slotstream_projected_total{event="unknown",outcome="unknown"} 1000',
      'slotstream_projected_total{event="unknown",outcome="applied"} 1',
      'slotstream_projected_total{event="contact.created",outcome="applied"} 1',
    ]);
  });

  it('count the same however often they are read, and apart from those of another app in the process', async () => {
    const [metrics, others] = [createMetrics(), createMetrics()];
    metrics.refused('stale_signed');
    metrics.refused('stale_signed');
    await metrics.read();
    metrics.refused('stale_signed');
    expect(await linesOf(metrics, 'slotstream_deliveries_refused_total{')).toEqual([
      'slotstream_deliveries_refused_total{cause="stale_signed"} 3',
    ]);
    expect(await linesOf(others, 'slotstream_deliveries_refused_total{')).toEqual([]);
  });

  it('ask their sources when read, and survive one that fails', async () => {
    const metrics = createMetrics();
    metrics.watch({
      engines: async () => ({ queue: 'up', store: 'down' }),
      queueDepth: async () => ({ waiting: 3, active: 1, delayed: 0, failed: 0 }),
      quarantine: async () => Promise.reject(new Error('no store')),
    });
    expect(await linesOf(metrics, 'slotstream_queue_depth{state="waiting"}')).toEqual([
      'slotstream_queue_depth{state="waiting"} 3',
    ]);
    expect(await linesOf(metrics, 'slotstream_engine_up')).toEqual([
      'slotstream_engine_up{engine="queue"} 1',
      'slotstream_engine_up{engine="store"} 0',
    ]);
    metrics.watch({ quarantine: async () => 7 });
    expect(await linesOf(metrics, 'slotstream_quarantine')).toEqual(['slotstream_quarantine 7']);
  });
});
