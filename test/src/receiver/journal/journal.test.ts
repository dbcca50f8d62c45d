import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '#src/observability/log.ts';
import { unpackBatch } from '#src/queue/batch-codec.ts';
import type { DeliveryBatch, LossDetection } from '#src/queue/contract.ts';
import { openJournal, type Journal, type JournalOptions } from '#src/receiver/journal/journal.ts';
import type { JournaledBatch } from '#src/receiver/journal/journal-store.ts';
import { nodeDisk, type Disk, type DiskFile } from '#src/receiver/disk-log/disk.ts';

const metrics = { journaled: () => undefined, requeued: () => undefined, queueLost: () => undefined };
let lines: string[];
let folder: string;
const log = createLog({ level: 'info', pretty: false, destination: { write: (line) => void lines.push(line) } });

beforeEach(() => {
  lines = [];
  folder = mkdtempSync(join(tmpdir(), 'slotstream-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const batchOf = (...bodies: string[]): DeliveryBatch => ({
  v: 1,
  deliveries: bodies.map((body) => ({ body, receivedAt: '2025-04-14T11:42:33.000000Z' })),
});

/** A queue that loses jobs when the test says so. It tells that it has at the next call, as a marker in Redis does. */
function lossyQueue() {
  const jobs = new Map<string, readonly string[]>();
  const processed = new Set<string>();
  let count = 0;
  let hasLost = false;
  const notice = (): boolean => {
    const isNew = hasLost;
    if (isNew) count += 1;
    hasLost = false;
    return isNew;
  };
  return {
    jobs,
    processed,
    isDown: false,
    async add(content: JournaledBatch['content'], id = ''): Promise<void> {
      if (this.isDown) throw new Error('down');
      notice();
      const { deliveries } = unpackBatch(content) as DeliveryBatch;
      if (!jobs.has(id))
        jobs.set(
          id,
          deliveries.map(({ body }) => body),
        );
    },
    losses: {
      count: () => count,
      finished: async (ids: readonly string[]) => (notice() ? [] : ids.filter((id) => !jobs.has(id))),
    } satisfies LossDetection,
    /** Loses the newest jobs. */
    lose(share: number): void {
      const ids = [...jobs.keys()];
      for (const id of ids.slice(Math.floor(ids.length * (1 - share)))) jobs.delete(id);
      hasLost = true;
    },
    /** Processes the oldest jobs. */
    work(share = 1): void {
      for (const [id, bodies] of [...jobs].slice(0, Math.ceil(jobs.size * share))) {
        for (const body of bodies) processed.add(body);
        jobs.delete(id);
      }
    },
  };
}
type LossyQueue = ReturnType<typeof lossyQueue>;

function openOn(queue: LossyQueue, options: Partial<JournalOptions> = {}): Promise<Journal> {
  const enqueue = queue.add.bind(queue);
  const root = join(folder, 'journal');
  return openJournal({ losses: queue.losses, enqueue, log, metrics }, { root, maxBytes: 1024 ** 2, ...options });
}

/** As the circuit enqueues it. */
const sendTo =
  (queue: LossyQueue) =>
  ({ id, content }: JournaledBatch): Promise<boolean> =>
    queue.add(content, id).then(
      () => true,
      () => false,
    );

const segmentsOnDisk = (root = join(folder, 'journal')): string[] =>
  existsSync(root)
    ? readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.segment'))
        .map((name) => join(root, name))
    : [];

/** A disk on which flushing fails while `fails` says so. */
function failingDisk(fails: () => boolean): Disk {
  const eio = Object.assign(new Error('i/o error'), { code: 'EIO' });
  return {
    ...nodeDisk,
    async open(...file) {
      const opened = await nodeDisk.open(...file);
      const write: DiskFile['write'] = (bytes, at, done) =>
        opened.write(bytes, at, (error, written) => done(fails() ? eio : error, written));
      return { ...opened, write };
    },
  };
}

describe('the journal', () => {
  it('keeps a batch on disk until its job is finished, readable by the owner only', async () => {
    const queue = lossyQueue();
    const journal = await openOn(queue);
    expect(await journal.keep(batchOf('a', 'b'), sendTo(queue))).toBe(true);
    await journal.check();
    const [path = ''] = segmentsOnDisk();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(journal.status()).toMatchObject({ batches: 1 });
    queue.work();
    await journal.check();
    expect(journal.status()).toMatchObject({ batches: 0, bytes: 0 });
    expect(segmentsOnDisk()).toEqual([]);
    await journal.close();
    expect(readdirSync(join(folder, 'journal'))).toEqual([]);
  });

  it('enqueues again what the queue has lost, under the same id, and says so', async () => {
    const queue = lossyQueue();
    const journal = await openOn(queue);
    for (const body of ['a', 'b', 'c']) await journal.keep(batchOf(body), sendTo(queue));
    const ids = [...queue.jobs.keys()];
    queue.work(1 / 3);
    await journal.check();
    queue.lose(1);
    await journal.check();
    expect([...queue.jobs.keys()]).toEqual(ids.slice(1));
    expect(journal.status()).toMatchObject({ batches: 2, losses: 1 });
    expect(lines.join('')).toContain('"code":"queue_lost_jobs","batches":2');
    queue.work();
    expect([...queue.processed]).toEqual(['a', 'b', 'c']);
    await journal.close();
  });

  it('drops its copy when the batch did not reach the queue: then the spool has it', async () => {
    const queue = lossyQueue();
    const journal = await openOn(queue);
    queue.isDown = true;
    expect(await journal.keep(batchOf('a'), sendTo(queue))).toBe(false);
    await journal.check();
    expect(journal.status()).toMatchObject({ batches: 0, bytes: 0 });
    await journal.close();
  });

  it('releases thousands of finished batches in one check, also behind some that are retried', async () => {
    const queue = lossyQueue();
    const journal = await openOn(queue);
    await Promise.all(Array.from({ length: 2500 }, (_, at) => journal.keep(batchOf(`b${at}`), sendTo(queue))));
    const stuck = [...queue.jobs].slice(0, 100);
    queue.work();
    for (const [id, bodies] of stuck) queue.jobs.set(id, bodies);
    await journal.check();
    expect(journal.status().batches).toBe(100);
    await journal.close();
  });

  it('rejects when it is full, without enqueuing, and accepts again when jobs are finished', async () => {
    const queue = lossyQueue();
    const journal = await openOn(queue, { maxBytes: 1000 });
    while (!journal.isFull()) await journal.keep(batchOf('a'.repeat(200)), sendTo(queue));
    const { size } = queue.jobs;
    expect(await journal.keep(batchOf('b'), sendTo(queue))).toBe(false);
    expect(queue.jobs.size).toBe(size);
    expect(lines.filter((line) => line.includes('the journal is full'))).toHaveLength(1);
    queue.work();
    await journal.check();
    expect(journal.isFull()).toBe(false);
    expect(await journal.keep(batchOf('b'), sendTo(queue))).toBe(true);
    await journal.close();
  });
});

describe('a disk that fails', () => {
  it('acknowledges nothing, never writes to a file again whose fsync failed, and adds no copies to the queue', async () => {
    const queue = lossyQueue();
    let fails = false;
    const journal = await openOn(queue, { disk: failingDisk(() => fails) });
    expect(await journal.keep(batchOf('before'), sendTo(queue))).toBe(true);
    const [first = ''] = segmentsOnDisk();
    const bytes = readFileSync(first);
    fails = true;
    for (let time = 0; time < 5; time += 1) expect(await journal.keep(batchOf('during'), sendTo(queue))).toBe(false);
    expect(queue.jobs.size).toBe(2);
    fails = false;
    expect(await journal.keep(batchOf('after'), sendTo(queue))).toBe(true);
    expect(readFileSync(first)).toEqual(bytes);
    expect(segmentsOnDisk()).toHaveLength(2);
    expect(lines.filter((line) => line.includes('the journal cannot be written'))).toHaveLength(1);
    await journal.close();
  });

  it('loses only the damaged batch when the queue has lost them all, and keeps the file for the operator', async () => {
    const queue = lossyQueue();
    const journal = await openOn(queue);
    for (const body of ['a', 'b', 'c']) await journal.keep(batchOf(body), sendTo(queue));
    const [path = ''] = segmentsOnDisk();
    const bytes = readFileSync(path);
    bytes[bytes.indexOf('"b"')] = 0;
    writeFileSync(path, bytes);
    queue.lose(1);
    await journal.check();
    queue.work();
    await journal.check();
    await journal.close();
    expect([...queue.processed]).toEqual(['a', 'c']);
    expect(readdirSync(join(folder, 'journal'))).toEqual([expect.stringMatching(/^damaged-.*\.segment$/)]);
  });
});

describe('several receivers on one root', () => {
  it('keep to their own batches, and take over those of one that is gone', async () => {
    const queue = lossyQueue();
    const [first, second] = [await openOn(queue), await openOn(queue)];
    await first.keep(batchOf('a'), sendTo(queue));
    await second.adopt();
    expect(second.status()).toMatchObject({ batches: 0 });
    await first.close();
    queue.jobs.clear();
    await second.adopt();
    await second.check();
    queue.work();
    await second.check();
    expect([...queue.processed]).toEqual(['a']);
    expect(second.status()).toMatchObject({ batches: 0, bytes: 0 });
    await second.close();
    expect(readdirSync(join(folder, 'journal'))).toEqual([]);
  });

  it('read again what they could not read when they took it over', async () => {
    const queue = lossyQueue();
    const first = await openOn(queue);
    await first.keep(batchOf('a'), sendTo(queue));
    await first.close();
    queue.jobs.clear();
    let isUnreadable = true;
    const readFile: Disk['readFile'] = (path) =>
      isUnreadable ? Promise.reject(Object.assign(new Error('i/o error'), { code: 'EIO' })) : nodeDisk.readFile(path);
    const second = await openOn(queue, { disk: { ...nodeDisk, readFile } });
    expect(second.status()).toMatchObject({ batches: 0 });
    isUnreadable = false;
    await second.adopt();
    await second.check();
    queue.work();
    expect([...queue.processed]).toEqual(['a']);
    await second.close();
    expect(readdirSync(join(folder, 'journal'))).toEqual([]);
  });
});
