// One run of the simulation: processes are started, what the plan says happens, every fault ends, and everything is worked off.
import type { Scheduler } from 'fast-check';
import { deliveryOf } from '#src/receiver/intake.ts';
import type { Store } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { registerWatcher } from '#workers/out/alerts/rules/watcher.ts';
import type { Ruleset } from '#workers/out/alerts/rules/ruleset.ts';
import type { Delivery } from '../harness/data/delivery-histories.ts';
import { emptyTables, rowsOf } from '../harness/stores.ts';
import { hasOpenAlerts, judge } from './judge.ts';
import { startKernel, type Kernel, type SimulatedProcess } from './kernel.ts';
import { ModelDisk } from './model-disk.ts';
import { ModelQueue } from './model-queue.ts';
import type { Action, Plan } from './plan.ts';
import {
  modelChannel,
  startReceiver,
  startWorker,
  type Receiver,
  type Surroundings,
  type Worker,
} from './processes.ts';

const startMs = Date.UTC(2025, 3, 15);
const maxAgeMs = 400 * 86_400_000;
/** Hundreds of virtual seconds: more than any back-off. */
const mostSteps = 6_000;
/** Timers between two actions while nothing else happens: few, because idle processes find no defect. */
const mostTicks = 5;

type Waiting = Extract<Action, { readonly waitMs: number }>;
interface Sent {
  readonly delivery: Delivery;
  isAcknowledged: boolean;
  /** Waits for an answer of this receiver. */
  at: SimulatedProcess | undefined;
}

export class World {
  readonly kernel: Kernel;
  private readonly plan: Plan;
  private readonly around: Surroundings;
  private readonly sent: Sent[] = [];
  private receivers: Receiver[] = [];
  private workers: Worker[] = [];
  private storeMode: Plan['store'];
  private started = 0;

  constructor(scheduler: Scheduler, plan: Plan, { store, rules }: { readonly store: Store; readonly rules: Ruleset }) {
    this.plan = plan;
    this.kernel = startKernel(scheduler, { startMs, seed: plan.seed });
    this.storeMode = plan.store;
    const { kernel } = this;
    const [disk, queue, channel] = [new ModelDisk(kernel), new ModelQueue(kernel), modelChannel(kernel)];
    disk.mode = plan.disk;
    queue.mode = plan.queue;
    const settings = { ...plan, maxAgeMs };
    this.around = { kernel, store, rules, disk, queue, channel, settings, storeMode: () => this.storeMode };
  }

  async run(): Promise<void> {
    const { store } = this.around;
    await emptyTables(store);
    await registerWatcher({ store, nowMs: () => startMs });
    // Processes create many errors, of which nearly none is ever shown.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 2;
    try {
      await this.followPlan();
      await this.recover();
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
    const { channel, rules, disk } = this.around;
    const sent = this.sent.map(({ delivery }) => delivery);
    const { eraseOnDelete } = this.plan;
    const given = { rules: rules.bookings, eraseOnDelete, startMs, maxAgeMs };
    await judge({ ...given, store, disk, sent, received: channel.received });
  }

  private async followPlan(): Promise<void> {
    this.startMissing();
    await this.kernel.settle();
    while (this.receivers.some(({ intake }) => intake === undefined)) await this.kernel.step();
    const { first, actions } = this.plan;
    this.send(first.send, 0);
    await this.pass(first.after, 'answer');
    for (const { after, until, what } of actions) {
      await this.pass(after, until);
      if ('waitMs' in what) await this.passTime(what);
      else this.happens(what);
      await this.kernel.settle();
    }
  }

  private async passTime({ waitMs, untilListed }: Waiting): Promise<void> {
    const untilMs = this.kernel.nowMs + waitMs;
    // Nothing happens any more while all are stopped.
    while (this.kernel.nowMs < untilMs && (await this.kernel.step()))
      if (untilListed && this.around.disk.isListing) return;
  }

  /** Lets this many tasks happen, or fewer when only time passes or what is awaited happens. */
  private async pass(most: number, until: Plan['actions'][number]['until']): Promise<void> {
    for (let steps = 0, ticks = 0; steps < most && ticks < mostTicks; steps += 1) {
      if (until === 'write' && this.around.disk.isWriting) return;
      if (until === 'answer' && !this.sent.some(({ at }) => at?.alive)) return;
      if (this.kernel.isQuiet) ticks += 1;
      await this.kernel.step();
    }
  }

  private happens(what: Exclude<Action, Waiting>): void {
    const { disk, queue, channel } = this.around;
    if ('send' in what) this.send(what.send, what.to);
    else if ('disk' in what) {
      disk.mode = what.disk;
      if ('crashReceiver' in what) this.crashReceiver(what.crashReceiver);
    } else if ('queue' in what) queue.mode = what.queue;
    else if ('store' in what) this.storeMode = what.store;
    else if ('channel' in what) channel.mode = what.channel;
    else if ('crashWorker' in what) this.crashWorker(what.crashWorker);
    else if ('toggle' in what) this.toggle(what.toggle === 'worker' ? this.workers : this.receivers, what.at);
    else if ('cutPower' in what) {
      this.cutPower();
      if (what.cutPower === 'receivers and queue') this.loseJobs();
    } else if (what.does === 'stall') queue.expireLeases(() => true);
    else if (what.does === 'snapshot') queue.takeSnapshot();
    else if (what.does === 'damage') disk.damageRecord();
    else this.loseJobs();
  }

  private startMissing(): void {
    for (let at = 0; at < this.plan.receivers; at += 1)
      if (!this.receivers[at]?.process.alive)
        this.receivers[at] = startReceiver(this.around, `receiver ${(this.started += 1)}`);
    for (let at = 0; at < this.plan.workers; at += 1)
      if (!this.workers[at]?.process.alive)
        this.workers[at] = startWorker(this.around, `worker ${(this.started += 1)}`);
  }

  private crashReceiver(at: number): void {
    const receiver = this.receivers[at % this.plan.receivers];
    if (receiver === undefined) return;
    this.kernel.kill(receiver.process);
    this.around.disk.crashed(receiver.process);
    this.startMissing();
  }

  private crashWorker(at: number): void {
    const worker = this.workers[at % this.plan.workers];
    if (worker === undefined) return;
    this.kernel.kill(worker.process);
    this.around.queue.silent(worker.process);
    this.startMissing();
  }

  private toggle(processes: readonly { readonly process: SimulatedProcess }[], at: number): void {
    const process = processes[at % processes.length]?.process;
    if (process?.held) return this.kernel.continue(process);
    if (process === undefined) return;
    this.kernel.stop(process);
    this.around.queue.silent(process);
  }

  private loseJobs(): void {
    if (this.plan.isLossy) this.around.queue.lose();
  }

  private cutPower(): void {
    for (const { process } of this.receivers) {
      this.kernel.kill(process);
      this.around.disk.crashed(process);
    }
    this.around.disk.cutPower();
    this.startMissing();
  }

  private send(count: number, to: number): void {
    this.resend(to);
    const from = this.sent.length;
    for (const delivery of this.plan.deliveries.slice(from, from + count)) {
      const sent = { delivery, isAcknowledged: false, at: undefined };
      this.sent.push(sent);
      this.deliver(sent, to);
    }
  }

  private resend(to: number): void {
    for (const sent of this.sent) if (!sent.isAcknowledged && !sent.at?.alive) this.deliver(sent, to);
  }

  private deliver(sent: Sent, to: number): void {
    const { process, intake } = this.receivers[to % this.plan.receivers] ?? {};
    // It does not listen yet: the connection is refused.
    if (process === undefined || intake === undefined) return;
    sent.at = process;
    void this.kernel.as(process, async () => {
      const outcome = await intake.accept(deliveryOf(Buffer.from(sent.delivery.body), this.kernel.nowMs));
      if (sent.at === process) sent.at = undefined;
      if (outcome !== 'unavailable') sent.isAcknowledged = true;
    });
  }

  /** Every fault ends, the service sends again what was not acknowledged, and everything is worked off. */
  private async recover(): Promise<void> {
    const { disk, queue, channel } = this.around;
    disk.mode = 'ok';
    queue.mode = 'ok';
    channel.mode = 'ok';
    this.storeMode = 'ok';
    for (const { process } of [...this.receivers, ...this.workers]) this.kernel.continue(process);
    this.send(this.plan.deliveries.length, 0);
    for (let steps = 1; steps <= mostSteps; steps += 1) {
      if (!(await this.kernel.step())) throw new Error('nothing happens any more');
      if (steps % 10 !== 0) continue;
      this.resend(steps / 10);
      if (await this.isOver()) return;
    }
    const sent = this.sent.filter((each) => !each.isAcknowledged).length;
    const alerts = await rowsOf(this.around.store, 'alerts');
    const left = { sent, files: this.segments(), jobs: queue.jobs.size, alerts };
    throw new Error(`not worked off: ${JSON.stringify(left)}`);
  }

  /** What receivers still have to enqueue. A damaged file is set aside for the operator. */
  private segments(): readonly string[] {
    return [...this.around.disk.files().keys()].filter((path) => !path.includes('/damaged-'));
  }

  private async isOver(): Promise<boolean> {
    const { store, queue } = this.around;
    if (this.sent.some(({ isAcknowledged }) => !isAcknowledged) || queue.jobs.size > 0) return false;
    if (this.segments().length > 0) return false;
    const left = this.receivers.map(({ diskLog }) => diskLog?.status());
    if (left.some((status) => status?.bytes !== 0 || status.batches > 0)) return false;
    const last = await lastSeq(store);
    return !(await hasOpenAlerts(store)) && this.workers.some(({ watchedTo }) => watchedTo === last);
  }
}
