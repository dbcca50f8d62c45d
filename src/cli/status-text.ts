// The report of `status` as text: sections with one line per fact. A running process may be of another version, so a part
// that is missing or has another shape is left out.
import { slotstream } from '#src/base/command.ts';
import { z } from 'zod';

const part = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).optional().catch(undefined);
const partsByName = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.record(z.string(), z.object(shape)).optional().catch(undefined);

const lastRun = part({
  finished_at: z.string(),
  read: z.number(),
  drift: z.record(z.string(), z.record(z.string(), z.number())),
});

const report = z.object({
  running: z.boolean(),
  roles: part({ receives: z.boolean(), works: z.boolean() }),
  started_at: z.string().optional().catch(undefined),
  pid: z.number().optional().catch(undefined),
  queue: part({
    engine: z.string(),
    state: z.string().optional(),
    waiting: z.number().optional(),
    active: z.number().optional(),
    delayed: z.number().optional(),
    failed: z.number().optional(),
  }),
  spool: part({ deliveries: z.number(), bytes: z.number() }),
  journal: part({ batches: z.number(), bytes: z.number(), losses: z.number(), is_full: z.boolean() }),
  store: z
    .union([
      z.object({ state: z.string() }),
      z.object({
        engine: z.string(),
        last_seq: z.number(),
        last_received_at: z.string().nullable(),
        quarantined: z.number(),
        unhandled: z.number(),
        rows: z.record(z.string(), z.number()),
      }),
    ])
    .optional()
    .catch(undefined),
  reconcile: part({ recent: lastRun, full: lastRun }),
  retention: part({ finished_at: z.string(), before: z.string(), pruned: z.number(), pruned_ever: z.number() }),
  alerts: part({ pending: z.number(), sent: z.number(), retracted: z.number(), failed: z.number() }),
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

type Line = readonly [label: string, value: string | number];

interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
}

export function statusText(status: object): string {
  const read = report.parse(status);
  const { queue, spool, journal, store, retention } = read;
  const sections: Section[] = [
    { title: 'Process', lines: processLines(read) },
    { title: `Queue${queue ? ` (${engineName(queue.engine)})` : ''}`, lines: queueLines(queue) },
    {
      title: 'Spool (deliveries on disk until the queue accepts them)',
      lines: spool
        ? [
            ['Deliveries', spool.deliveries],
            ['Bytes', spool.bytes],
          ]
        : [],
    },
    {
      title: 'Journal (copies on disk until the deliveries are processed)',
      lines: journal
        ? [
            ['Batches', journal.batches],
            ['Bytes', `${journal.bytes}${journal.is_full ? ' (full: deliveries are rejected)' : ''}`],
            ['Losses of the queue', journal.losses],
          ]
        : [],
    },
    { title: `Event log${store && 'engine' in store ? ` (${engineName(store.engine)})` : ''}`, lines: logLines(store) },
    { title: 'Rows per table', lines: store && 'rows' in store ? Object.entries(store.rows) : [] },
    { title: 'Comparison with the service', lines: reconcileLines(read.reconcile) },
    {
      title: 'Retention',
      lines: retention
        ? [
            ['Last run', retention.finished_at],
            ['Content removed', `from ${retention.pruned} entries received before ${retention.before}`],
            ['Removed in total', `from ${retention.pruned_ever} entries`],
          ]
        : [],
    },
    { title: 'Alerts', lines: alertLines(read) },
    { title: 'Feed delivery', lines: sinkLines(read.sinks) },
  ];
  return sections
    .filter(({ lines }) => lines.length > 0)
    .map(sectionText)
    .join('\n\n');
}

function sectionText({ title, lines }: Section): string {
  // Labels are plain ASCII, so their length is their width on a terminal.
  const width = Math.max(...lines.map(([label]) => label.length));
  return [title, ...lines.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`)].join('\n');
}

const engineNames: Readonly<Record<string, string>> = {
  embedded: 'embedded',
  redis: 'Redis',
  postgres: 'PostgreSQL',
  sqlite: 'SQLite',
};
const engineName = (engine: string): string => engineNames[engine] ?? engine;

function processLines({ running, roles, started_at: startedAt, pid }: Report): Line[] {
  if (!running) return [['State', `not running (start it: ${slotstream} start)`]];
  const duties = [...(roles?.receives ? ['receives deliveries'] : []), ...(roles?.works ? ['fills the tables'] : [])];
  return [
    ['State', `running since ${startedAt ?? 'an unknown time'}`],
    ...(duties.length > 0 ? [['Roles', duties.join(', ')] satisfies Line] : []),
    ...(pid === undefined ? [] : [['Process ID', pid] satisfies Line]),
  ];
}

function queueLines(queue: Report['queue']): Line[] {
  if (queue === undefined) return [];
  if (queue.state !== undefined) return [['State', queue.state]];
  return [
    ['Batches waiting', queue.waiting ?? 0],
    ['In progress', queue.active ?? 0],
    ['Waiting for a retry', queue.delayed ?? 0],
    ['Failed', queue.failed ?? 0],
  ];
}

function logLines(store: Report['store']): Line[] {
  if (store === undefined) return [];
  if ('state' in store) return [['State', store.state]];
  return [
    ['Last entry', store.last_received_at === null ? 'none' : `#${store.last_seq}, received ${store.last_received_at}`],
    ['Quarantined', store.quarantined],
    ['Unknown kind', store.unhandled],
  ];
}

function reconcileLines(reconcile: Report['reconcile']): Line[] {
  if (reconcile === undefined) return [];
  const runs = { 'Recent changes': reconcile.recent, Everything: reconcile.full };
  return Object.entries(runs).map(([label, run]): Line => {
    if (run === undefined) return [label, 'never compared'];
    const differences = Object.values(run.drift).flatMap((counts) => Object.values(counts));
    const total = differences.reduce((sum, count) => sum + count, 0);
    return [label, `${run.finished_at}: ${run.read} records compared, ${total} differences repaired`];
  });
}

function alertLines({ alerts, alert_channels: channels = {} }: Report): Line[] {
  if (alerts === undefined) return [];
  return [
    ['Pending', alerts.pending],
    ['Sent', alerts.sent],
    ['Retracted', alerts.retracted],
    ['Failed', alerts.failed],
    ...Object.entries(channels).map(([name, { state, failures, until }]): Line => {
      const working = failures === 0 ? 'working' : `working, last ${failures} attempts failed`;
      return [`Channel ${name}`, state === 'open' ? `paused after ${failures} failures until ${until}` : working];
    }),
  ];
}

function sinkLines(sinks: Report['sinks'] = {}): Line[] {
  return Object.entries(sinks).map(([name, { position, behind, sent, failing, last_error: error }]): Line => {
    const progress = position === null ? 'not started' : `at #${position}, ${behind} behind, ${sent} sent`;
    const trouble = failing > 0 ? `, ${failing} subjects failing (${error ?? 'unknown error'})` : '';
    return [name, `${progress}${trouble}`];
  });
}
