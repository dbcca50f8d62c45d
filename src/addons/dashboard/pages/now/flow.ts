// A picture of the way of a delivery: receiver, queue, worker, store, and what waits between them.
import { html } from 'hono/html';
import type { Overview } from '#src/api/overview/overview.ts';
import { counted, duration, number } from '#src/base/number-text.ts';
import { type Markup } from '#src/addons/dashboard/components/markup.ts';

const engines: Readonly<Record<string, string>> = {
  embedded: 'Embedded',
  redis: 'Redis',
  postgres: 'PostgreSQL',
  sqlite: 'SQLite',
};

export function flowView({ flow, health }: Pick<Overview, 'flow' | 'health'>, nowMs: number): Markup {
  const isQueueAway = health.some(({ id, state }) => id === 'queue' && state === 'problem');
  const inQueue = isQueueAway ? 'not known' : undefined;
  const lag = flow.lag
    ? `Delay ${duration(flow.lag.p50Ms)}, 99\u00a0% within ${duration(flow.lag.p99Ms)}`
    : 'No delivery in 10 minutes';
  return html`<section id="flow">
    <h2>Flow</h2>
    <ol class="plain flow">
      ${stage('Receiver', processes(flow.receivers), `${number(flow.accepted)} accepted in 10 minutes`)}
      ${arrow(flow.onDisk, nowMs, { units: ['delivery', 'deliveries'], where: 'on disk' })}
      ${stage('Queue', engines[flow.queueEngine] ?? flow.queueEngine)}
      ${arrow(flow.waiting, nowMs, { units: ['batch', 'batches'], where: 'waiting', none: inQueue })}
      ${stage('Worker', processes(flow.workers), lag)}
      ${arrow(flow.active, nowMs, { units: ['batch', 'batches'], where: 'in progress', none: inQueue })}
      ${stage('Store', engines[flow.storeEngine] ?? '', `Entry #${number(flow.lastSeq)}`)}
    </ol>
  </section>`;
}

const processes = (count: number): string => (count === 0 ? 'None reports' : counted(count, 'process', 'processes'));

const stage = (name: string, ...lines: readonly string[]): Markup =>
  html`<li class="stage"><strong>${name}</strong>${lines.map((line) => html`<span>${line}</span>`)}</li>`;

function arrow(
  { count, since }: Overview['flow']['waiting'],
  nowMs: number,
  texts: { readonly units: readonly [string, string]; readonly where: string; readonly none?: string | undefined },
): Markup {
  const { units, where, none = `nothing ${where}` } = texts;
  const age = since === undefined ? '' : `oldest ${duration(Math.max(0, nowMs - Date.parse(since)))}`;
  return html`<li class="arrow${count > 0 ? ' busy' : ''}">
    <span>${count === 0 ? none : `${counted(count, ...units)} ${where}`}</span>
    <svg viewBox="0 0 60 10" width="60" height="10" aria-hidden="true"><path d="M0 5h56M51 1l5 4-5 4" /></svg>
    <span>${age}</span>
  </li>`;
}
