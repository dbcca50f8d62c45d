// The faults, one row each: how it is injected and healed, which views must report it, and by which words.
import pg from 'pg';
import { clockAhead, requireAhead } from '../chaos/faults/clock.ts';
import { megabyte } from '../chaos/faults/disk.ts';
import { query } from '../chaos/faults/postgres.ts';
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
  /** Answers how it is healed. */
  inject(installation: Installation): Promise<() => Promise<unknown>>;
}

const all: readonly ViewName[] = ['first page', 'status', 'doctor', 'alert', 'Prometheus'];
/** Workers evaluate the conditions, and the outbox is in PostgreSQL. */
const withoutAlert = all.filter((view) => view !== 'alert');
/** No rule of Prometheus is about it. */
const withoutRule = all.filter((view) => view !== 'Prometheus');

const noWorker = /no worker/i;
const noReceiver = /no receiver/i;
const store = /postgres|database|store/i;
const queue = /redis|queue|on disk/i;
const disk = /disk|free|room/i;

const ended =
  (of: 'workers' | 'receivers', how: 'stop' | 'kill9'): Fault['inject'] =>
  async ({ [of]: parts, start }) => {
    await Promise.all(parts.map((part) => part[how]()));
    return () => Promise.all(parts.map(start));
  };

const thaw = (parts: readonly Part[]) => async () => parts.forEach((part) => part.signal('SIGCONT'));

const healthy: Fault = {
  name: 'none',
  expected: [],
  seconds: 30,
  inject: async () => async () => undefined,
};

const workersStopped: Fault = {
  name: 'all workers stopped (SIGTERM)',
  pattern: noWorker,
  rule: /^SlotstreamDown/,
  expected: withoutAlert,
  inject: ended('workers', 'stop'),
};

const workersKilled: Fault = {
  ...workersStopped,
  name: 'all workers killed (kill -9)',
  inject: ended('workers', 'kill9'),
};

const receiversStopped: Fault = {
  name: 'all receivers stopped (SIGTERM)',
  pattern: noReceiver,
  rule: /^SlotstreamDown/,
  expected: all,
  inject: ended('receivers', 'stop'),
};

const receiverDisk: Fault = {
  name: "a receiver's disk full",
  pattern: disk,
  rule: /^SlotstreamDiskFilling|EngineDown.* (disk|disk_log)/,
  part: ({ receivers }) => receivers[1],
  expected: all,
  async inject({ disks }) {
    await disks.receiver.fill(megabyte);
    return () => disks.receiver.clear();
  },
};

const workerDisk: Fault = {
  name: "a worker's disk almost full (300 MB left)",
  pattern: disk,
  rule: /^SlotstreamDiskFilling/,
  part: ({ workers }) => workers[2],
  expected: all,
  async inject({ disks }) {
    await disks.worker.fill(300 * megabyte);
    return () => disks.worker.clear();
  },
};

const postgresStopped: Fault = {
  name: 'PostgreSQL stopped',
  pattern: store,
  rule: /EngineDown.* store|^SlotstreamQueueBacklog/,
  expected: withoutAlert,
  async inject({ engines: { postgres } }) {
    await postgres.halt('fast');
    return () => postgres.restart();
  },
};

const postgresFrozen: Fault = {
  ...postgresStopped,
  name: 'PostgreSQL frozen (SIGSTOP)',
  async inject({ engines: { postgres } }) {
    await postgres.freeze();
    return () => postgres.thaw();
  },
};

const redisStopped: Fault = {
  name: 'Redis stopped (kill -9)',
  pattern: queue,
  rule: /EngineDown.* queue|^SlotstreamWaitingOnDisk/,
  expected: all,
  async inject({ engines: { redis } }) {
    await redis.kill9();
    return () => redis.restart();
  },
};

const redisFrozen: Fault = {
  ...redisStopped,
  name: 'Redis frozen (SIGSTOP)',
  async inject({ engines: { redis } }) {
    redis.freeze();
    return async () => redis.thaw();
  },
};

const channel: Fault = {
  name: 'the alert channel answers 503',
  pattern: /webhook.*(paus|fail|accept|overdue|503)|overdue|channel/i,
  rule: /^SlotstreamAlert/,
  expected: withoutAlert,
  async inject({ recipient }) {
    recipient.answer = 503;
    return async () => (recipient.answer = 202);
  },
};

/** The row of its lease stays locked, as by a process that hangs in the midst of a change, and its last run is an hour old. */
const job: Fault = {
  name: 'a scheduled job (gap) does not run for an hour',
  pattern: /job/i,
  expected: withoutRule,
  async inject({ engines }) {
    const lease = "key = 'lease gap'";
    await query(
      engines.store,
      `update key_values set value = jsonb_set(value::jsonb, '{ran_ms}', to_jsonb(${Date.now() - 3_600_000})) where ${lease}`,
    );
    const client = new pg.Client({ connectionString: engines.store });
    await client.connect();
    await client.query(`begin; select * from key_values where ${lease} for update`);
    return () => client.end();
  },
};

const clock: Fault = {
  name: "a worker's clock 10 min ahead",
  pattern: /clock/i,
  part: ({ workers }) => workers[1],
  expected: withoutRule,
  async inject({ workers: [, worker] }) {
    await worker.stop();
    await worker.start({ settings: clockAhead(600) });
    await requireAhead(worker, 600);
    return async () => {
      await worker.stop();
      await worker.start();
    };
  },
};

const subscription: Fault = {
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
    return () => service('POST', '/_sandbox/faults', {});
  },
};

const workersFrozen: Fault = {
  name: 'deliveries wait: all workers frozen (SIGSTOP)',
  pattern: /no worker|(batch|deliver)\w* (is|are|wait)/i,
  rule: /^SlotstreamDown|^SlotstreamQueueBacklog/,
  expected: withoutAlert,
  async inject({ workers }) {
    for (const part of workers) part.signal('SIGSTOP');
    return thaw(workers);
  },
};

const replaced: Fault = {
  name: 'a worker killed (kill -9) and replaced at once',
  expected: [],
  // Until the report of the killed one is old.
  seconds: 75,
  async inject({ workers, start }) {
    await workers[2].kill9();
    await start(workers[2]);
    return async () => undefined;
  },
};

/** Faults of one group last at the same time: no view takes one of them for another. */
export const groups: readonly (readonly Fault[])[] = [
  [healthy],
  [replaced],
  [workersStopped],
  [receiversStopped],
  [receiverDisk, workerDisk],
  [job, subscription],
  [postgresStopped],
  [postgresFrozen],
  [redisStopped],
  [redisFrozen],
  [channel],
  [clock],
  [workersFrozen],
  [workersKilled],
];
