// A picture of the way of a delivery: receiver, queue, worker, store, and what waits between them.
import { html } from 'hono/html';
import type { Overview } from '#src/api/overview/overview.ts';
import { counted, duration, number } from '#src/base/number-text.ts';
import { type Markup } from '#src/dashboard/components/markup.ts';

type Flow = Overview['flow'];

const engines: Readonly<Record<string, string>> = {
  embedded: 'Embedded',
  redis: 'Redis',
  postgres: 'PostgreSQL',
  sqlite: 'SQLite',
};

export function flowView({ flow, health }: Pick<Overview, 'flow' | 'health'>, nowMs: number): Markup {
  const isQueueAway = health.some(({ id, state }) => id === 'queue' && state === 'problem');
  const [spooled, waiting, active] = flow.arrows.map((arrow) => arrowView(arrow, { nowMs, isQueueAway }));
  const lag =
    flow.lag_p50_ms === null
      ? 'No delivery in 10 minutes'
      : `Delay ${duration(flow.lag_p50_ms)}, 99\u00a0% within ${duration(flow.lag_p99_ms ?? 0)}`;
  return html`<section id="flow">
    <h2>Flow</h2>
    <ol class="flow">
      ${stage('Receiver', processes(flow.receivers), `${number(flow.accepted)} accepted in 10 minutes`)} ${spooled}
      ${stage('Queue', engines[flow.queue_engine] ?? flow.queue_engine)} ${waiting}
      ${stage('Worker', processes(flow.workers), lag)} ${active}
      ${stage('Store', engines[flow.store_engine] ?? '', `Entry #${number(flow.last_seq)}`)}
    </ol>
  </section>`;
}

const processes = (count: number): string => (count === 0 ? 'None reports' : counted(count, 'process', 'processes'));

const stage = (name: string, ...lines: readonly string[]): Markup =>
  html`<li class="stage"><strong>${name}</strong>${lines.map((line) => html`<span>${line}</span>`)}</li>`;

/** What waits: on the receiver's disk, in the queue, in the workers. */
const waitsWhere = { receiver: 'on disk', queue: 'waiting', worker: 'in progress' } as const;

interface Seen {
  readonly nowMs: number;
  readonly isQueueAway: boolean;
}

function arrowView({ from, depth, unit, oldest_at: oldest }: Flow['arrows'][number], seen: Seen): Markup {
  const { nowMs, isQueueAway } = seen;
  const none = isQueueAway && from !== 'receiver' ? 'not known' : `nothing ${waitsWhere[from]}`;
  const one = unit === 'batches' ? 'batch' : 'delivery';
  const age = oldest === null ? '' : `oldest ${duration(Math.max(0, nowMs - Date.parse(oldest)))}`;
  return html`<li class="arrow${depth > 0 ? ' busy' : ''}">
    <span>${depth === 0 ? none : `${counted(depth, one, unit)} ${waitsWhere[from]}`}</span>
    <svg viewBox="0 0 60 10" width="60" height="10" aria-hidden="true"><path d="M0 5h56M51 1l5 4-5 4" /></svg>
    <span>${age}</span>
  </li>`;
}
