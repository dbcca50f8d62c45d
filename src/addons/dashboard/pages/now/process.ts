// The page of a process without tables: one that only receives, or one whose database does not answer. It shows what the process knows of
// itself, and which process has the tables.
import { html } from 'hono/html';
import type { z } from 'zod';
import { verdictOf } from '#src/read/health/health-check.ts';
import { aliveOf, rowOf } from '#src/read/health/process-health.ts';
import { statusRecord } from '#src/api/process.ts';
import { counted, number } from '#src/base/number-text.ts';
import { facts } from '#src/addons/dashboard/components/list.ts';
import { externalLink, time, type Markup } from '#src/addons/dashboard/components/markup.ts';
import type { PageCall, View } from '#src/addons/dashboard/page.ts';
import { healthView } from './health.ts';

export async function processView({ status, nowMs }: Pick<PageCall, 'status' | 'nowMs'>): Promise<View> {
  const { processes = [], health = [], ...self } = statusRecord.parse(await status());
  const { roles, queue, disk_log: diskLog, started_at } = self;
  const workers = aliveOf({ processes, nowMs }).filter(({ role }) => role !== 'receive');
  const own = rowOf(processes, self);
  return {
    title: roles.works ? 'Now' : 'Receiver',
    ...(roles.works && { status: 503 }),
    content: html`${healthView({ verdict: verdictOf(health), health })}
      ${roles.works ? '' : html`<p class="lead">This process receives deliveries and puts them into the queue. It has no tables.</p>${whereTables(workers)}`}
      <h2>This process</h2>
      ${facts({
        Started: time(started_at),
        'Accepted in 10 minutes': own && own.accepted !== null ? number(own.accepted) : undefined,
        'Refused in 10 minutes': own && own.refused !== null ? number(own.refused) : undefined,
        'Waiting in the queue': queue.state ?? counted((queue.waiting ?? 0) + (queue.delayed ?? 0), 'batch', 'batches'),
        'Waiting on disk': diskLog && counted(diskLog.waiting, 'delivery', 'deliveries'),
        'Disk log': diskLog && counted(diskLog.batches, 'batch', 'batches'),
      })}`,
  };
}

const whereTables = (workers: NonNullable<z.output<typeof statusRecord>['processes']>): Markup =>
  workers.length === 0
    ? html`<p class="notice">A worker has the tables. It prints its address when it starts.</p>`
    : html`<h2>Where the tables are</h2>
        <ul>
          ${workers.map(({ role, host, admin_url: url }) => html`<li>${role} on <bdi>${host}</bdi>: ${externalLink(url)} (from that machine)</li>`)}
        </ul>`;
