// How long a change takes from the request to the committed row, at the highest rate of the faster sync engine. Its engines
// answer after the commit, so their response says it; we answer before it, so the row itself is watched.
import { setTimeout as wait } from 'node:timers/promises';
import { median, percentile, type Figure } from '../measure.ts';
import { hotChange, hotRows } from './modes.ts';
import type { Rounds } from './report.ts';
import { drive, type Subject } from './subjects.ts';

const seconds = 20;
/** Rows that are read every few milliseconds, few because reading them takes processor time; each changes once in `hotRows` requests. */
const watched = 12;

export interface Latency {
  readonly perSecond: number;
  readonly p99Ms: { readonly ours: number; readonly supabase: number; readonly stripe: number };
  readonly samples: number;
}

export async function latencies(ours: Subject, hot: Rounds): Promise<Latency> {
  const of = (name: 'supabase' | 'stripe', figure: 'committedPerSecond' | 'p99Ms') =>
    median(hot.driven[name].map((each) => each[figure]));
  const perSecond = Math.max(of('supabase', 'committedPerSecond'), of('stripe', 'committedPerSecond'));
  const delays = await watchRows(ours, perSecond);
  return {
    perSecond,
    samples: delays.length,
    p99Ms: { ours: percentile(delays, 0.99), supabase: of('supabase', 'p99Ms'), stripe: of('stripe', 'p99Ms') },
  };
}

async function watchRows(ours: Subject, perSecond: number): Promise<readonly number[]> {
  const changes = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => hotChange('paced', from + at, 1_200));
  await drive(ours, changes(0, hotRows), { connections: 32 });
  const batch = changes(hotRows, Math.ceil((perSecond * seconds) / hotRows) * hotRows);
  const rows = batch.slice(0, watched).map(({ row }) => row);
  const shown = new Map<string, number>();
  const seenAt: { readonly index: number; readonly at: number }[] = [];
  let isSending = true;
  const watching = (async () => {
    for (; isSending; await wait(3)) {
      const names = await ours.names(rows);
      const at = performance.timeOrigin + performance.now();
      for (const [place, row] of rows.entries()) {
        const turn = Number(names.get(row)?.split(' ').at(-1) ?? 0);
        // What a later change has replaced is visible with it.
        for (let next = (shown.get(row) ?? 0) + 1; next <= turn; next += 1)
          seenAt.push({ index: (next - 1) * hotRows + place, at });
        shown.set(row, turn);
      }
    }
  })();
  const { dueAt } = await drive(ours, batch, { connections: 64, perSecond });
  // The last rows are committed; one more look sees them.
  await wait(20);
  isSending = false;
  await watching;
  // The first second warms the code up.
  return seenAt.filter(({ index }) => index >= perSecond).map(({ index, at }) => at - (dueAt[index] ?? Number.NaN));
}

export function latencyFigures({ perSecond, p99Ms }: Latency): readonly Figure[] {
  return [
    { name: 'peers.p99.at_per_second', value: perSecond },
    ...Object.entries(p99Ms).map(([name, value]) => ({ name: `peers.p99.${name}_ms`, value })),
    { name: 'peers.p99.ratio', value: p99Ms.ours / Math.min(p99Ms.supabase, p99Ms.stripe), limit: ['<=', 1] },
  ];
}
