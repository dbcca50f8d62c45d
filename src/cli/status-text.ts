// The report of `status` as text: a few sections with one line per part. A running process may be of another version, so a part
// that is missing or has another shape is left out.
import { counted } from '#src/base/number-text.ts';
import { z } from 'zod';
import type { StatusReport } from '#src/app/read-status.ts';
import { timeText } from '#src/base/time.ts';
import { healthCheck, verdictOf, type HealthCheck } from '#src/read/health/health-check.ts';
import { listedOf } from '#src/read/health/process-health.ts';
import { isMissing, machineOf } from '#src/store/process-reports.ts';
import { alignColumns } from './terminal.ts';

const part = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).optional().catch(undefined);
const partsByName = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.record(z.string(), z.object(shape)).optional().catch(undefined);

const lastRun = part({
  finished_at: z.string(),
  read: z.number(),
  drift: z.record(z.string(), z.record(z.string(), z.number())),
});

const report = z.object({
  health: z.array(healthCheck).optional().catch(undefined),
  queue: part({
    engine: z.string(),
    state: z.string().optional(),
    waiting: z.number().optional(),
    active: z.number().optional(),
    delayed: z.number().optional(),
    failed: z.number().optional(),
  }),
  disk_log: part({ waiting: z.number(), batches: z.number(), losses: z.number(), is_full: z.boolean() }),
  store: z
    .union([
      z.object({ state: z.string() }),
      z.object({
        engine: z.string(),
        last_seq: z.number(),
        last_received_at: z.string().nullable(),
        quarantined: z.number(),
        unhandled: z.number(),
        unknown_kinds: z.array(z.string()).default([]),
        rows: z.record(z.string(), z.number()),
        deleted: z.record(z.string(), z.number()).default({}),
      }),
    ])
    .optional()
    .catch(undefined),
  reconcile: part({ recent: lastRun, full: lastRun }),
  retention: part({ finished_at: z.string(), before: z.string(), pruned: z.number(), pruned_ever: z.number() }),
  alerts: part({
    pending: z.number(),
    sent: z.number(),
    retracting: z.number(),
    retracted: z.number(),
    failed: z.number(),
  }),
  alert_channels: partsByName({ state: z.string(), failures: z.number(), until: z.string().nullable() }),
  sinks: partsByName({
    position: z.number().nullable(),
    behind: z.number(),
    sent: z.number(),
    failing: z.number(),
    last_error: z.string().nullable(),
  }),
});
type Report = z.output<typeof report>;
type ProcessReport = Pick<StatusReport, 'running' | 'processes'>;

type Line = readonly [label: string, value: string];

export function statusText(status: ProcessReport & Readonly<Record<string, unknown>>, nowMs: number): string {
  const read = report.parse(status);
  const sections: Readonly<Record<string, readonly Line[]>> = {
    Deliveries: [...subscriptionLines(read.health), ...queueLines(read), ...logLines(read.store)],
    Tables: [...rowLines(read.store), ...reconcileLines(read.reconcile), ...retentionLines(read.retention)],
    Alerts: alertLines(read),
    'Feed delivery': sinkLines(read.sinks),
  };
  return [
    ...healthLines(read.health),
    ...processLines(status, read.store, nowMs),
    ...Object.entries(sections).flatMap(([title, lines]) => (lines.length > 0 ? [title, ...aligned(lines)] : [])),
  ].join('\n');
}

const aligned = (rows: readonly (readonly string[])[]): readonly string[] =>
  alignColumns(rows).map((line) => `  ${line}`);

const engineNames: Readonly<Record<string, string>> = {
  embedded: 'embedded',
  redis: 'Redis',
  postgres: 'PostgreSQL',
  sqlite: 'SQLite',
};
const engineName = (engine: string): string => engineNames[engine] ?? engine;

const marks = { ok: '✓', warning: '!', problem: '✗' } as const;

/** One check as `doctor` and `status` print it. */
export const checkText = ({ id, state, sentence, fix }: HealthCheck): string =>
  `${marks[state]} ${id}: ${sentence}${fix === undefined ? '' : `\n  → ${fix}`}`;

function healthLines(health: readonly HealthCheck[] = []): readonly string[] {
  if (health.length === 0) return [];
  const known = [
    ...health.filter(({ state }) => state === 'problem'),
    ...health.filter(({ state }) => state === 'warning'),
  ];
  return [verdictOf(health).sentence, ...known.map(checkText)];
}

function processLines({ running, processes }: ProcessReport, store: Report['store'], nowMs: number): readonly string[] {
  const isStoreDown = store !== undefined && 'state' in store && store.state === 'not answering';
  const rows = listedOf({ processes, nowMs }).map((process) => {
    const { role, host, pid, version, started_at: since, seen_at: seen, queue, last_batch_at: batch } = process;
    const { disks, refuses } = machineOf(process);
    const withoutStore = isStoreDown && role !== 'receive' ? 'the database does not answer' : 'running';
    const withoutQueue = queue === 'not answering' ? 'the queue does not answer' : withoutStore;
    const state = refuses ? 'refuses deliveries' : withoutQueue;
    const freeMb = Math.min(...disks.map(({ free_mb: free }) => free));
    return [
      role,
      `${host} (${pid})`,
      URL.parse(process.admin_url)?.port ?? '',
      version,
      timeText(since),
      batch ? timeText(batch) : 'none yet',
      String(process.spool_deliveries ?? ''),
      disks.length === 0 ? '' : freeMb < 10_000 ? `${freeMb} MB` : `${Math.round(freeMb / 1000)} GB`,
      isMissing(process, nowMs) ? `no report since ${timeText(seen)}` : state,
    ];
  });
  const header = ['role', 'host (pid)', 'admin', 'version', 'since', 'last batch', 'on disk', 'free disk', 'state'];
  return [
    ...(running || rows.length === 0 ? [] : ['No process runs in this data folder.']),
    ...(rows.length > 0 ? ['Processes', ...aligned([header, ...rows])] : []),
  ];
}

const subscriptionLines = (health: readonly HealthCheck[] = []): readonly Line[] =>
  health.flatMap(({ id, sentence }) =>
    id === 'subscriptions' || id === 'polling' ? [[id === 'polling' ? 'Changes' : 'Subscriptions', sentence]] : [],
  );

function queueLines({ queue, disk_log: diskLog }: Report): readonly Line[] {
  const { waiting = 0, active = 0, delayed = 0, failed = 0 } = queue ?? {};
  const counts = `${counted(waiting, 'batch', 'batches')} waiting, ${active} in progress, ${delayed} waiting for a retry, ${failed} failed`;
  const lines: Line[] = [];
  if (queue) lines.push(['Queue', `${engineName(queue.engine)}: ${queue.state ?? counts}`]);
  if (diskLog) {
    const { batches, waiting, is_full: isFull, losses } = diskLog;
    const some = `${counted(batches, 'batch', 'batches')}; ${counted(waiting, 'delivery waits', 'deliveries wait')} for the queue`;
    const full = isFull ? '; full: it takes no deliveries' : '';
    const lost = losses > 0 ? `; the queue lost jobs ${losses} times` : '';
    lines.push(['Disk log', `${batches === 0 ? 'empty' : some}${full}${lost}`]);
  }
  return lines;
}

function logLines(store: Report['store']): readonly Line[] {
  if (store === undefined) return [];
  if ('state' in store)
    return [['Log', store.state === 'not answering' ? 'the database does not answer' : store.state]];
  const { last_seq: seq, last_received_at: receivedAt, quarantined, unhandled, unknown_kinds: kinds } = store;
  const last = receivedAt === null ? 'no entry yet' : `last entry #${seq}, received ${timeText(receivedAt)}`;
  return [
    [
      'Log',
      `${engineName(store.engine)}: ${last}; ${quarantined} quarantined, ${unhandled} of unknown kinds${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}`,
    ],
  ];
}

function rowLines(store: Report['store']): readonly Line[] {
  if (store === undefined || 'state' in store) return [];
  const { rows, deleted } = store;
  const filled = Object.entries(rows).filter(([table, count]) => count > 0 || (deleted[table] ?? 0) > 0);
  const texts = filled.map(([table, count]) => `${table} ${count}${deletedText(deleted[table])}`);
  return [['Rows', texts.join(', ') || 'none yet']];
}

const deletedText = (count = 0): string => (count === 0 ? '' : ` (${count} deleted)`);

function reconcileLines(reconcile: Report['reconcile']): readonly Line[] {
  if (reconcile === undefined) return [];
  const runs = { 'Recent changes': reconcile.recent, Everything: reconcile.full };
  return Object.entries(runs).map(([label, run]): Line => {
    if (run === undefined) return [label, 'not compared with the service yet'];
    const differences = Object.values(run.drift).flatMap((counts) => Object.values(counts));
    const total = differences.reduce((sum, count) => sum + count, 0);
    return [
      label,
      `compared ${timeText(run.finished_at)}: ${counted(run.read, 'record')}, ${counted(total, 'difference')} repaired`,
    ];
  });
}

function retentionLines(retention: Report['retention']): readonly Line[] {
  if (retention === undefined) return [];
  const { finished_at: at, before, pruned, pruned_ever: ever } = retention;
  const removed = `content of ${pruned} entries from before ${timeText(before)} removed, ${ever} in total`;
  return [['Retention', `${timeText(at)}: ${removed}`]];
}

function alertLines({ alerts, alert_channels: channels = {} }: Report): readonly Line[] {
  if (alerts === undefined) return [];
  const { pending, sent, retracting, retracted, failed } = alerts;
  return [
    ['Messages', `${pending + retracting} pending, ${sent} sent, ${retracted} retracted, ${failed} failed`],
    ...Object.entries(channels).map(([name, { state, failures, until }]): Line => {
      const working = failures === 0 ? 'working' : `working, last ${failures} attempts failed`;
      const isPaused = state === 'open';
      return [
        `Channel ${name}`,
        isPaused ? `paused after ${failures} failures until ${timeText(until ?? '')}` : working,
      ];
    }),
  ];
}

function sinkLines(sinks: Report['sinks'] = {}): readonly Line[] {
  return Object.entries(sinks).map(([name, { position, behind, sent, failing, last_error: error }]): Line => {
    const progress = position === null ? 'not started' : `at #${position}, ${behind} behind, ${sent} sent`;
    const trouble = failing > 0 ? `, ${counted(failing, 'subject')} failing (${error ?? 'unknown error'})` : '';
    return [name, `${progress}${trouble}`];
  });
}
