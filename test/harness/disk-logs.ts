// A disk log on a real folder, with a queue that the test lets fail, lose jobs and work them off.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '#src/observability/log.ts';
import { unpackBatch } from '#src/queue/batch-codec.ts';
import type { DeliveryBatch, DeliveryQueue, LossDetection } from '#src/queue/contract.ts';
import type { WentBackNote } from '#src/queue/went-back.ts';
import type { QueueState } from '#src/receiver/queue-circuit.ts';
import { openDiskLog, type DiskLog, type DiskLogNeeds, type DiskLogOptions } from '#src/receiver/disk-log/disk-log.ts';
import { encodeRecord } from '#src/receiver/disk-log/segment.ts';

const metrics = { requeued: () => undefined, queueLost: () => undefined };

export const batchOf = (...bodies: string[]): DeliveryBatch => ({
  v: 1,
  deliveries: bodies.map((body) => ({ body, receivedAt: '2025-04-14T11:42:33.000000Z' })),
});

/** A batch as it is on disk, under this id. */
export const recordOf = (id: string, ...bodies: string[]): Buffer =>
  encodeRecord({ id, ...batchOf(...bodies) }, bodies.length);

/** Tells that it has lost jobs at the next call, as a marker in Redis does. */
export class TestQueue {
  readonly jobs = new Map<string, readonly string[]>();
  readonly processed: string[] = [];
  isDown = false;
  note: WentBackNote | undefined;
  readonly wentBack = async (): Promise<WentBackNote | undefined> => this.note;
  /** Overrides the state of the circuit. */
  state: QueueState | undefined;
  adds = 0;
  private count = 0;
  private hasLost = false;

  readonly circuit = {
    state: (): QueueState => this.state ?? (this.isDown ? 'open' : 'closed'),
    enqueue: async (content: Parameters<DeliveryQueue['add']>[0], id = ''): Promise<boolean> => {
      this.adds += 1;
      if (this.isDown) return false;
      this.notice();
      const { deliveries } = unpackBatch(content) as DeliveryBatch;
      if (!this.jobs.has(id)) this.jobs.set(id, deliveries.map(({ body }) => body)); // prettier-ignore
      return true;
    },
  };

  readonly losses: LossDetection = {
    count: () => this.count,
    finished: async (ids) => {
      if (this.isDown) throw new Error('down');
      return this.notice() ? [] : ids.filter((id) => !this.jobs.has(id));
    },
  };

  /** Loses every job. */
  lose(): void {
    this.jobs.clear();
    this.hasLost = true;
  }

  /** Processes the oldest jobs. */
  work(share = 1): void {
    for (const [id, bodies] of [...this.jobs].slice(0, Math.ceil(this.jobs.size * share))) {
      this.processed.push(...bodies);
      this.jobs.delete(id);
    }
  }

  private notice(): boolean {
    const isNew = this.hasLost;
    if (isNew) this.count += 1;
    this.hasLost = false;
    return isNew;
  }
}

export class DiskLogFolder {
  readonly root: string;
  readonly lines: string[] = [];
  readonly log = createLog({
    level: 'info',
    pretty: false,
    destination: { write: (line) => void this.lines.push(line) },
  });

  constructor(parent: string) {
    this.root = join(parent, 'disk-log');
  }

  /** `every`: every batch is written, as with Redis. */
  open(
    queue: TestQueue,
    mode: 'every' | 'fallback',
    { hasRoom = async () => true, ...options }: Partial<DiskLogOptions> & Pick<DiskLogNeeds, 'hasRoom'> = {},
  ): Promise<DiskLog> {
    const losses = mode === 'every' ? queue.losses : undefined;
    const { circuit, wentBack } = queue;
    return openDiskLog(
      { circuit, losses, log: this.log, metrics, hasRoom, wentBack },
      { root: this.root, maxBytes: 1024 ** 2, ...options },
    );
  }

  segments(ending = '.segment'): string[] {
    if (!existsSync(this.root)) return [];
    return readdirSync(this.root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(ending) && !name.startsWith('damaged-'))
      .map((name) => join(this.root, name))
      .toSorted();
  }

  /** What a killed receiver leaves: segments, and a lock that no process holds. */
  leave(name: string, segments: Readonly<Record<string, Buffer>>): string {
    const left = join(this.root, name);
    mkdirSync(left, { recursive: true });
    for (const [file, bytes] of Object.entries(segments)) writeFileSync(join(left, file), bytes);
    return left;
  }

  logged(text: string): number {
    return this.lines.filter((line) => line.includes(text)).length;
  }
}
