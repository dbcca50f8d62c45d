// The page of a process that only receives: what it knows of itself, and which process has the tables.
import { html } from 'hono/html';
import { processHealth } from '#src/api/overview/process-health.ts';
import { getStatus } from '#src/api/process.ts';
import { facts } from '#src/dashboard/components/list.ts';
import { counted, externalLink, number, time, type Markup } from '#src/dashboard/components/markup.ts';
import type { PageCall, View } from '#src/dashboard/page.ts';
import { healthView } from './health.ts';

export async function receiverView({ ask, nowMs }: Pick<PageCall, 'ask' | 'nowMs'>): Promise<View> {
  const { processes = [], queue, spool, journal, started_at, pid } = await ask(getStatus);
  const workers = processes.filter(({ role }) => role !== 'receive');
  const own = processes.filter((each) => each.pid === pid && each.role === 'receive');
  // It sees other workers only where all processes report to one PostgreSQL.
  const health = processHealth({ nowMs, processes: workers.length > 0 ? processes : own }).filter(
    ({ id }) => workers.length > 0 || id !== 'processes',
  );
  const ill = health.filter(({ state }) => state !== 'ok');
  const state = ill.some((item) => item.state === 'problem') ? 'problem' : ill.length > 0 ? 'attention' : 'ok';
  const sentence =
    ill.length === 0 ? 'This receiver is well.' : `${counted(ill.length, 'thing needs', 'things need')} you.`;
  const waiting = queue.state ?? counted(queue.waiting ?? 0, 'batch', 'batches');
  return {
    title: 'Receiver',
    content: html`${healthView({ verdict: { state, sentence }, health: [...health] })}
      <p class="lead">This process receives deliveries and puts them into the queue. It has no tables.</p>
      ${whereTables(workers)}
      <h2>This process</h2>
      ${facts({
        Started: time(started_at),
        'Accepted in 10 minutes': number(own[0]?.accepted ?? 0),
        'Refused in 10 minutes': number(own[0]?.refused ?? 0),
        'Waiting in the queue': waiting,
        'Waiting on disk': spool && counted(spool.deliveries, 'delivery', 'deliveries'),
        Journal: journal && counted(journal.batches, 'batch', 'batches'),
      })}`,
  };
}

interface Worker {
  readonly id: string;
  readonly role: string;
  readonly host: string;
  readonly admin_url: string;
}

const whereTables = (workers: readonly Worker[]): Markup =>
  workers.length === 0
    ? html`<p class="notice">The tables are with a worker. Open its address: the worker on the same data folder prints it when it starts.</p>`
    : html`<h2>Where the tables are</h2>
        <ul>
          ${workers.map(({ role, host, admin_url: url }) => html`<li>${role} on <bdi>${host}</bdi>: ${externalLink(url)} (from that machine)</li>`)}
        </ul>`;
