// The faults, one row each: how it is injected and healed, which views must report it, and by which words.
import pg from 'pg';
import { clockAhead, requireAhead } from '../chaos/faults/clock.ts';
import { megabyte } from '../chaos/faults/disk.ts';
import { ask } from '../chaos/oracle/read.ts';
import type { Part } from '../chaos/stack.ts';
import type { Installation } from './installation.ts';
import type { ViewName } from './views.ts';

export interface Fault {
  readonly name: string;
  /** Statements about this fault match it, in every view but Prometheus; nothing may be reported where it is absent. */
  readonly pattern?: RegExp;
  /** Statements of Prometheus about it: the rule, its state and its summary. */
  readonly rule?: RegExp;
  /** Statements must name this part: by its process number, in Prometheus by its address. */
  readonly part?: (installation: Installation) => Part;
  /** The views that must report it within 30 s. */
  readonly expected: readonly ViewName[];
  /** How long all views are read where nothing is expected. */
  readonly seconds?: number;
  inject(installation: Installation): unknown;
  heal?(installation: Installation): unknown;
}

const all: readonly ViewName[] = ['first page', 'status', 'doctor', 'alert', 'Prometheus'];
/** Workers evaluate the conditions, and the outbox is in PostgreSQL. */
const withoutAlert = all.filter((view) => view !== 'alert');
/** No rule of Prometheus is about it. */
const withoutRule = all.filter((view) => view !== 'Prometheus');

const noWorker = {
  pattern: /no worker/i,
  rule: /^SlotstreamDown/,
  expected: withoutAlert,
  heal: ({ workers, start }: Installation) => Promise.all(workers.map(start)),
};
const noStore = {
  pattern: /postgres|database|store/i,
  rule: /EngineDown.* store|^SlotstreamQueueBacklog/,
  expected: withoutAlert,
};
const noQueue = {
  pattern: /redis|queue|on disk/i,
  rule: /EngineDown.* queue|^SlotstreamWaitingOnDisk/,
  expected: all,
};
const disk = /disk|free|room/i;
const hangingSessions: pg.Client[] = [];

const faults: readonly (Fault | readonly Fault[])[] = [
  { name: 'none', expected: [], seconds: 30, inject: () => undefined },
  {
    name: 'a worker killed (kill -9) and replaced at once',
    expected: [],
    // Until the report of the killed one is old.
    seconds: 75,
    async inject({ workers: [, , worker], start }) {
      await worker.kill9();
      await start(worker);
    },
  },
  {
    ...noWorker,
    name: 'all workers stopped (SIGTERM)',
    inject: ({ workers }) => Promise.all(workers.map((part) => part.stop())),
  },
  {
    name: 'all receivers stopped (SIGTERM)',
    pattern: /no receiver/i,
    rule: /^SlotstreamDown/,
    expected: all,
    inject: ({ receivers }) => Promise.all(receivers.map((part) => part.stop())),
    heal: ({ receivers, start }) => Promise.all(receivers.map(start)),
  },
  [
    {
      name: "a receiver's disk full",
      pattern: disk,
      rule: /^SlotstreamDiskFilling|EngineDown.* (disk|disk_log)/,
      part: ({ receivers }) => receivers[1],
      expected: all,
      inject: ({ disks }) => disks.receiver.fill(megabyte),
      heal: ({ disks }) => disks.receiver.clear(),
    },
    {
      name: "a worker's disk almost full (300 MB left)",
      pattern: disk,
      rule: /^SlotstreamDiskFilling/,
      part: ({ workers }) => workers[2],
      expected: all,
      inject: ({ disks }) => disks.worker.fill(300 * megabyte),
      heal: ({ disks }) => disks.worker.clear(),
    },
  ],
  [
    {
      name: 'a scheduled job (gap) does not run for an hour',
      pattern: /job/i,
      expected: withoutRule,
      /** The row of its lease stays locked, as by a process that hangs in the midst of a change, and its last run is an hour old. */
      async inject({ engines: { store } }) {
        const ranMs = Date.now() - 3_600_000;
        const change = `set value = jsonb_set(value::jsonb, '{ran_ms}', to_jsonb(${ranMs}))`;
        await ask(store, `update key_values ${change} where key = 'lease gap'`);
        const session = new pg.Client({ connectionString: store, options: '-c search_path=slotstream' });
        hangingSessions.push(session);
        await session.connect();
        await session.query("begin; select * from key_values where key = 'lease gap' for update");
      },
      heal: () => hangingSessions.pop()?.end(),
    },
    {
      name: 'a subscription deleted in the service, which creates no other',
      pattern: /subscription.*(deleted|missing|must be created|lost|registered)/i,
      rule: /^SlotstreamSubscription.*(missing|refused)/,
      expected: all,
      async inject({ service }) {
        const answers = [{ path: '/webhook_subscriptions', method: 'POST', status: 503 }];
        await service('POST', '/_sandbox/faults', { answers });
        const user = (await service('GET', '/users/me')) as { resource: { current_organization: string } };
        const query = new URLSearchParams({ organization: user.resource.current_organization, scope: 'organization' });
        const list = (await service('GET', `/webhook_subscriptions?${query}`)) as { collection: { uri: string }[] };
        await service('DELETE', list.collection[0]?.uri ?? '');
      },
      heal: ({ service }) => service('POST', '/_sandbox/faults', {}),
    },
  ],
  {
    ...noStore,
    name: 'PostgreSQL stopped',
    inject: ({ engines }) => engines.postgres.halt('fast'),
    heal: ({ engines }) => engines.postgres.restart(),
  },
  {
    ...noStore,
    name: 'PostgreSQL frozen (SIGSTOP)',
    inject: ({ engines }) => engines.postgres.freeze(),
    heal: ({ engines }) => engines.postgres.thaw(),
  },
  {
    ...noQueue,
    name: 'Redis stopped (kill -9)',
    inject: ({ engines }) => engines.redis.kill9(),
    heal: ({ engines }) => engines.redis.restart(),
  },
  {
    ...noQueue,
    name: 'Redis frozen (SIGSTOP)',
    inject: ({ engines }) => engines.redis.freeze(),
    heal: ({ engines }) => engines.redis.thaw(),
  },
  {
    name: 'the alert channel answers 503',
    pattern: /webhook.*(paus|fail|accept|overdue|503)|overdue|channel/i,
    rule: /^SlotstreamAlert/,
    expected: withoutAlert,
    inject: ({ recipient }) => (recipient.answer = 503),
    heal: ({ recipient }) => (recipient.answer = 202),
  },
  {
    name: "a worker's clock 10 min ahead",
    pattern: /clock/i,
    part: ({ workers }) => workers[1],
    expected: withoutRule,
    async inject({ workers: [, worker] }) {
      await worker.stop();
      await worker.start(clockAhead(600));
      await requireAhead(worker, 600);
    },
    async heal({ workers: [, worker] }) {
      await worker.stop();
      await worker.start();
    },
  },
  {
    name: 'deliveries wait: all workers frozen (SIGSTOP)',
    pattern: /no worker|(batch|deliver)\w* (is|are|wait)/i,
    rule: /^SlotstreamDown|^SlotstreamQueueBacklog/,
    expected: withoutAlert,
    inject: ({ workers }) => workers.forEach((part) => part.signal('SIGSTOP')),
    heal: ({ workers }) => workers.forEach((part) => part.signal('SIGCONT')),
  },
  {
    ...noWorker,
    name: 'all workers killed (kill -9)',
    inject: ({ workers }) => Promise.all(workers.map((part) => part.kill9())),
  },
];

/** Faults of one group last at the same time: no view takes one of them for another. */
export const groups: readonly (readonly Fault[])[] = faults.map((each) => [each].flat());
