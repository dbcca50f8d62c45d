// The processes of the simulation: receivers and workers, composed of the product's own parts as `src/app` composes them, on a model of a
// disk, a queue and an alert channel. The store is SQLite in memory: a transaction happens at one point, or not at all.
import { createLog } from '#src/observability/log.ts';
import { openTail } from '#src/feed/tail.ts';
import { openQueueCircuit } from '#src/receiver/queue-circuit.ts';
import { startCheckLoop } from '#src/receiver/disk-log/check-loop.ts';
import { openDiskLog, type DiskLog } from '#src/receiver/disk-log/disk-log.ts';
import { createIntake, type Intake } from '#src/receiver/intake.ts';
import type { Store } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/read.ts';
import type { Channel, SendResult } from '#workers/out/alerts/channels/channel.ts';
import { startOutboxPoller } from '#workers/out/alerts/outbox/poll.ts';
import type { Ruleset } from '#workers/out/alerts/rules/ruleset.ts';
import { watch } from '#workers/out/alerts/rules/watcher.ts';
import { startDeliveryWorker } from '#workers/fold/pipeline/delivery-worker.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import type { Received } from '../oracle/alerts.ts';
import type { Kernel, SimulatedProcess } from './kernel.ts';
import type { ModelDisk } from './model-disk.ts';
import type { ModelQueue } from './model-queue.ts';

const log = createLog({ level: 'silent', pretty: false });
const ignore = (): void => undefined;
const metrics = { batched: ignore, requeued: ignore, queueLost: ignore, projected: ignore, visible: ignore };

export interface Surroundings {
  readonly kernel: Kernel;
  readonly disk: ModelDisk;
  readonly queue: ModelQueue;
  readonly store: Store;
  readonly storeMode: () => StoreMode;
  readonly channel: ModelChannel;
  readonly rules: Ruleset;
  readonly settings: {
    /** Whether the queue can lose jobs: then every batch is written. */
    readonly isLossy: boolean;
    readonly segmentBytes: number;
    readonly diskLogBytes: number;
    readonly eraseOnDelete: boolean;
    readonly maxAgeMs: number;
  };
}

export interface Receiver {
  readonly process: SimulatedProcess;
  /** Undefined until it has started. */
  intake: Intake | undefined;
  diskLog: Pick<DiskLog, 'status'> | undefined;
}

const checkEveryMs = 2000;

export function startReceiver(around: Surroundings, name: string): Receiver {
  const { kernel, disk: model, settings } = around;
  const receiver: Receiver = { process: kernel.start(name), intake: undefined, diskLog: undefined };
  const { segmentBytes, diskLogBytes, isLossy } = settings;
  const clock = (): number => kernel.nowMs;
  async function open(): Promise<void> {
    const disk = model.asDisk();
    const queue = around.queue.client(isLossy);
    const circuit = await openQueueCircuit({ queue, log, clock }, { checkEveryMs });
    const diskLog = await openDiskLog(
      { circuit, losses: queue.losses, log, metrics },
      { root: '/data/disk-log', maxBytes: diskLogBytes, segmentBytes, disk },
    );
    startCheckLoop({ diskLog, circuit, log }, { everyMs: checkEveryMs });
    receiver.diskLog = diskLog;
    receiver.intake = createIntake({ diskLog, metrics });
  }
  kernel.as(receiver.process, () => void kernel.point('start').then(open));
  return receiver;
}

export const storeModes = ['ok', 'down', 'mute'] as const;
export type StoreMode = (typeof storeModes)[number];

export interface Worker {
  readonly process: SimulatedProcess;
  /** The last entry of the log that its watcher has evaluated. */
  watchedTo: number | undefined;
}

export function startWorker(around: Surroundings, name: string): Worker {
  const { kernel, queue, rules, channel, settings } = around;
  const worker: Worker = { process: kernel.start(name), watchedTo: undefined };
  const store: Store = {
    ...around.store,
    async transaction(work) {
      await kernel.point('begin');
      if (around.storeMode() === 'down') throw disconnected();
      const result = await around.store.transaction(work);
      await kernel.point('committed');
      // Committed, and the answer is lost.
      if (around.storeMode() === 'mute') throw disconnected();
      return result;
    },
  };
  const nowMs = (): number => kernel.nowMs;
  function open(): void {
    const tail = openTail({ lastSeq: () => lastSeq(store), everyMs: 5000 });
    const screen = privacyScreen(settings);
    const shared = { store, log, metrics };
    const onCommitted = (): void => tail.poke();
    startDeliveryWorker({ ...shared, queue: queue.client(false), screen, clock: nowMs, onCommitted });
    const channels = new Map<string, Channel>([[channel.name, channel]]);
    const pace = { nowMs, random: () => 0.5, pollEveryMs: 60_000 };
    const poller = startOutboxPoller({ ...shared, ...pace, rules: rules.byName, channels, adminUrl: undefined });
    const input = { rules: rules.bookings, maxAgeMs: settings.maxAgeMs };
    const beyond: typeof tail.beyond = (seq, signal) => {
      worker.watchedTo = seq;
      return tail.beyond(seq, signal);
    };
    const needs = { store, tail: { ...tail, beyond }, nowMs, onOutboxChanged: () => poller.wake() };
    void watch(needs, input, new AbortController().signal);
  }
  kernel.as(worker.process, () => void kernel.point('start').then(open));
  return worker;
}

const disconnected = (): Error => Object.assign(new Error('connection terminated'), { code: 'ECONNRESET' });

export const channelModes = ['ok', 'refusing', 'mute'] as const;
export type ChannelMode = (typeof channelModes)[number];

export type ModelChannel = ReturnType<typeof modelChannel>;

/** A recipient of alerts. `mute`: the message arrives, and no answer comes back. */
export function modelChannel(kernel: Kernel) {
  const received: Received[] = [];
  const model = {
    mode: 'ok' as ChannelMode,
    received,
    name: 'log' as const,
    target: 'simulated',
    async send({ id, kind, follows }: Received): Promise<SendResult> {
      await kernel.point('request to the channel');
      if (model.mode === 'refusing') return { ok: false, answer: '500', retry: true };
      received.push({ id, kind, follows });
      await kernel.point('answer of the channel');
      if (model.mode === 'mute') await new Promise(() => undefined);
      return { ok: true, answer: 'ok' };
    },
  };
  return model;
}
