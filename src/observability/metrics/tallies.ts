// Metrics that every request changes: they count in plain numbers, and become Prometheus format only when they are read.
import { Counter, type Registry } from 'prom-client';

/** A counter with one label. */
export function tally(counter: { registry: Registry; name: string; help: string; label: string }) {
  const { registry, name, help, label } = counter;
  const counts = new Map<string, number>();
  const exposed = new Counter({
    name: `slotstream_${name}`,
    help,
    labelNames: [label],
    registers: [registry],
    collect: () => {
      exposed.reset();
      for (const [value, count] of counts) exposed.inc({ [label]: value }, count);
    },
  });
  return {
    count: (value: string): void => void counts.set(value, (counts.get(value) ?? 0) + 1),
    total: (value: string): number => counts.get(value) ?? 0,
  };
}

/** A histogram without labels, which formats itself. */
export function tallyBuckets(histogram: { name: string; help: string; bounds: readonly number[] }) {
  const { help, bounds } = histogram;
  const name = `slotstream_${histogram.name}`;
  /** How many values each bound is the first to hold; the last is for those above all bounds. */
  const counts = [...bounds, Infinity].map(() => 0);
  let sum = 0;

  function observe(value: number): void {
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
    counts[at] = (counts[at] ?? 0) + 1;
    sum += value;
  }

  function text(): string {
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    let total = 0;
    counts.forEach((count, at) => {
      total += count;
      lines.push(`${name}_bucket{le="${bounds[at] ?? '+Inf'}"} ${total}`);
    });
    lines.push(`${name}_sum ${sum}`, `${name}_count ${total}`, '');
    return lines.join('\n');
  }

  return { observe, text };
}
