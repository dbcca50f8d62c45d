// Metrics that every request changes: they count in plain numbers, and become Prometheus format only when they are read.
import { minuteMs } from '#src/base/time.ts';
import { Counter, type Registry } from 'prom-client';

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

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

/** What happened within this time is recent. */
export const recentMs = 10 * minuteMs;

const remembered = 2_048;

/** The latest values, at most a few thousand, and percentiles of those that are recent. */
export function recentValues(nowMs: () => number = Date.now) {
  const [values, times] = [new Float64Array(remembered), new Float64Array(remembered)];
  let added = 0;
  return {
    add(value: number): void {
      values[added % remembered] = value;
      times[added % remembered] = nowMs();
      added += 1;
    },
    percentiles(): Percentiles | undefined {
      const sinceMs = nowMs() - recentMs;
      const recent = values
        .subarray(0, added)
        .filter((_, at) => (times[at] ?? 0) >= sinceMs)
        .sort();
      const at = (share: number): number => recent[Math.ceil(recent.length * share) - 1] ?? 0;
      return recent.length === 0 ? undefined : { p50: at(0.5), p99: at(0.99) };
    },
  };
}

/** Turns counts since the start of the process into recent ones. */
export function recentCounts(nowMs: () => number = Date.now) {
  type Counts = Readonly<Record<'accepted' | 'refused' | 'stale' | 'losses', number>>;
  let samples: readonly { readonly atMs: number; readonly counts: Counts }[] = [
    { atMs: nowMs(), counts: { accepted: 0, refused: 0, stale: 0, losses: 0 } },
  ];
  return {
    remember(counts: Counts): void {
      const sinceMs = nowMs() - recentMs;
      // The last sample from before that time is where the counts begin.
      const from = samples.findLastIndex(({ atMs }) => atMs <= sinceMs);
      samples = [...samples.slice(Math.max(0, from)), { atMs: nowMs(), counts }];
    },
    of(now: Counts): Counts {
      const { accepted = 0, refused = 0, stale = 0, losses = 0 } = samples[0]?.counts ?? {};
      return {
        accepted: now.accepted - accepted,
        refused: now.refused - refused,
        stale: now.stale - stale,
        losses: now.losses - losses,
      };
    },
  };
}
