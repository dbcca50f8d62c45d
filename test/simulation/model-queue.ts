// A queue in memory that fulfils the contract, with the faults of a real one: it refuses, does not answer, answers too late, loses jobs
// together with its markers (wiped, or gone back to an earlier state), and gives a job to a second worker while the first still runs it.
import { setTimeout as sleep } from 'node:timers/promises';
import { packBatch, unpackBatch } from '#src/queue/batch-codec.ts';
import type { BatchProcessor, DeliveryQueue } from '#src/queue/contract.ts';
import type { Kernel, SimulatedProcess } from './kernel.ts';

/** `slow`: answers take a second. `full`: it answers, and takes no jobs. `deaf`: no request arrives. `mute`: requests arrive, and no answer leaves. */
export const queueModes = ['ok', 'slow', 'refusing', 'full', 'deaf', 'mute'] as const;
export type QueueMode = (typeof queueModes)[number];

interface Job {
  readonly data: string;
  /** The run that may finish the job; undefined while it waits. */
  run: symbol | undefined;
  worker: SimulatedProcess | undefined;
  /** It waits for its next attempt. */
  isDelayed: boolean;
}

interface Worker {
  readonly owner: SimulatedProcess;
  readonly processor: BatchProcessor;
  running: number;
}

const concurrency = 3;
const leaseMs = 5000;
const retryMs = 250;
/** The shortest time for which a receiver waits for an answer. */
const answerMs = 2000;

export class ModelQueue {
  mode: QueueMode = 'ok';
  jobs = new Map<string, Job>();
  private markers = new Map<string, number>();
  private snapshot: { jobs: Map<string, Job>; markers: Map<string, number> } | undefined;
  private readonly kernel: Kernel;
  private readonly server: SimulatedProcess;
  private readonly workers = new Set<Worker>();
  private issued = 0;

  constructor(kernel: Kernel) {
    this.kernel = kernel;
    this.server = kernel.start('queue');
  }

  /** A replica that is cut off stays at this state. */
  takeSnapshot(): void {
    this.snapshot = { jobs: copyOf(this.jobs), markers: new Map(this.markers) };
  }

  /** Goes back to the snapshot, or to nothing. */
  lose(): void {
    const { jobs = new Map<string, Job>(), markers = new Map<string, number>() } = this.snapshot ?? {};
    this.jobs = copyOf(jobs);
    this.markers = new Map(markers);
    // Jobs that were active in that state have no worker that knows of them.
    this.expireLeases(() => true);
  }

  /** Active jobs go to other workers, although theirs may still run. */
  expireLeases(isMeant: (worker: SimulatedProcess | undefined) => boolean): void {
    for (const job of this.jobs.values()) if (job.run !== undefined && isMeant(job.worker)) job.run = undefined;
    this.offer();
  }

  /** The leases of a worker that crashed or was stopped expire after a while. */
  silent(process: SimulatedProcess): void {
    this.kernel.as(this.server, () =>
      this.kernel.addTimer(() => this.expireLeases((worker) => worker === process), leaseMs),
    );
  }

  /** As one process sees it. `isLossy`: as Redis, which can lose jobs and tells it. */
  client(isLossy: boolean): Pick<DeliveryQueue, 'add' | 'check' | 'ping' | 'losses' | 'work'> {
    const { kernel } = this;
    const markerKey = `marker ${(this.issued += 1)}`;
    let issued = 0;
    let confirmed = 0;
    let losses = 0;
    const ask = async () => {
      await this.request();
      await this.answer();
    };
    const lost = (since: number): void => {
      if (since !== losses) return;
      losses += 1;
      confirmed = 0;
    };
    return {
      ping: ask,
      check: () => ask().then(() => []),
      add: this.onceAtATime(async (batch, jobId) => {
        const since = losses;
        const number = (issued += 1);
        const [sent, data] = [confirmed, JSON.stringify(packBatch(batch))];
        await this.request();
        if (this.mode === 'full') throw Object.assign(new Error('full'), { code: 'OOM' });
        const id = jobId ?? `job ${(this.issued += 1)}`;
        if (!this.jobs.has(id)) this.jobs.set(id, { data, run: undefined, worker: undefined, isDelayed: false });
        this.offer();
        const before = this.markers.get(markerKey) ?? 0;
        if (before >= sent && number > before) this.markers.set(markerKey, number);
        await this.answer();
        if (before < confirmed) lost(since);
        else if (since === losses) confirmed = Math.max(confirmed, number);
      }),
      ...(isLossy && {
        losses: {
          count: () => losses,
          finished: async (ids) => {
            const since = losses;
            const needed = confirmed;
            await this.request();
            const isLow = (this.markers.get(markerKey) ?? 0) < needed;
            const found = ids.filter((id) => !this.jobs.has(id));
            await this.answer();
            if (isLow) lost(since);
            return isLow || since !== losses ? [] : found;
          },
        },
      }),
      work: (processor) => {
        this.workers.add({ owner: kernel.current, processor, running: 0 });
        this.offer();
        return { close: async () => undefined };
      },
    };
  }

  /** A receiver never adds a job that it is adding; unless the queue has not answered for so long that it tries again. */
  private onceAtATime(add: DeliveryQueue['add']): DeliveryQueue['add'] {
    const { kernel } = this;
    const adding = new Map<string, number>();
    return async (batch, jobId = '') => {
      if (kernel.nowMs - (adding.get(jobId) ?? -answerMs) < answerMs)
        kernel.failure ??= new Error(`a receiver adds job ${jobId} twice at once`);
      if (jobId !== '') adding.set(jobId, kernel.nowMs);
      try {
        await add(batch, jobId || undefined);
      } finally {
        adding.delete(jobId);
      }
    };
  }

  private async request(): Promise<void> {
    await this.kernel.point('request to the queue');
    if (this.mode === 'refusing') throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    if (this.mode === 'deaf') await new Promise(() => undefined);
  }

  private async answer(): Promise<void> {
    if (this.mode === 'slow') await sleep(1000);
    await this.kernel.point('answer of the queue');
    if (this.mode === 'mute') await new Promise(() => undefined);
  }

  /** Every worker with room looks for a job. */
  private offer(): void {
    for (const worker of this.workers)
      if (worker.owner.alive && worker.running < concurrency)
        this.kernel.as(worker.owner, () => void this.kernel.point('take a job').then(() => this.take(worker)));
  }

  private take(worker: Worker): void {
    const found = [...this.jobs].find(([, { run, isDelayed }]) => run === undefined && !isDelayed);
    if (found === undefined || worker.running >= concurrency) return;
    const [id, job] = found;
    const run = Symbol(id);
    job.run = run;
    job.worker = worker.owner;
    worker.running += 1;
    const end = async (finish: () => void): Promise<void> => {
      await this.kernel.point('end of a job');
      // Not when another worker has the job, or the queue has lost it: this state may hold a copy of it.
      if (this.jobs.get(id)?.run === run) finish();
      worker.running -= 1;
      this.offer();
    };
    worker.processor(unpackBatch(JSON.parse(job.data))).then(
      () => end(() => this.jobs.delete(id)),
      () => end(() => this.retryLater(job)),
    );
  }

  private retryLater(job: Job): void {
    job.run = undefined;
    job.isDelayed = true;
    this.kernel.as(this.server, () =>
      this.kernel.addTimer(() => {
        job.isDelayed = false;
        this.offer();
      }, retryMs),
    );
  }
}

const copyOf = (jobs: ReadonlyMap<string, Job>): Map<string, Job> =>
  new Map([...jobs].map(([id, job]) => [id, { ...job, isDelayed: false }]));
