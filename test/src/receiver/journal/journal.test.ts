import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '#src/observability/log.ts';
import { unpackBatch } from '#src/queue/batch-codec.ts';
import type { DeliveryBatch, LossDetection } from '#src/queue/contract.ts';
import { openJournal, type Journal, type JournalOptions } from '#src/receiver/journal/journal.ts';
import type { JournaledBatch } from '#src/receiver/journal/journal-store.ts';
import type { CreateFile } from '#src/receiver/segments/segment-writer.ts';
import { runs } from '../../../harness/runs.ts';

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

/** Creates files on a disk on which flushing fails while `fails` says so. */
function failingDisk(fails: () => boolean): CreateFile {
  return async (path) => {
    const handle = await open(path, 'ax', 0o600);
    return {
      async append(bytes) {
        await handle.appendFile(bytes);
        if (fails()) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
      },
      truncate: (bytes) => handle.truncate(bytes),
      close: () => handle.close(),
    };
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
    const journal = await openOn(queue, { create: failingDisk(() => fails) });
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
});

const share = fc.constantFrom(0, 0.3, 0.7, 1);
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ keep: fc.integer({ min: 1, max: 5 }), while: fc.constantFrom('up', 'up', 'down', 'eio') }),
    },
    { weight: 2, arbitrary: fc.record({ work: share }) },
    { weight: 2, arbitrary: fc.record({ lose: share }) },
    { weight: 2, arbitrary: fc.constant({ check: true }) },
    { weight: 1, arbitrary: fc.record({ crash: fc.nat(200), loses: share }) },
  ),
  { minLength: 1, maxLength: 20 },
);

it('nothing acknowledged is lost, whatever is appended, lost and finished, and wherever the receiver crashes', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const home = mkdtempSync(join(folder, 'run-'));
      let queue = lossyQueue();
      let disk: 'up' | 'down' | 'eio' = 'up';
      let life = 0;
      /** The segments of earlier receivers; no process writes to them any more. */
      let earlier = new Set<string>();
      const segments = (): string[] => segmentsOnDisk(join(home, String(life))).sort();
      const start = () => {
        const root = join(home, String(life));
        earlier = new Set(segments().map((path) => relative(root, path)));
        return openOn(queue, { root, segmentBytes: 400, create: failingDisk(() => disk === 'eio') });
      };
      let journal = await start();
      const acknowledged: string[] = [];
      let sent = 0;
      for (const step of plan) {
        if ('keep' in step) {
          disk = step.while;
          queue.isDown = step.while === 'down';
          const bodies = Array.from({ length: step.keep }, () => `body ${(sent += 1)}`);
          const kept = await Promise.all(bodies.map((body) => journal.keep(batchOf(body), sendTo(queue))));
          acknowledged.push(...bodies.filter((_, at) => kept[at]));
          queue.isDown = false;
        } else if ('work' in step) queue.work(step.work);
        else if ('lose' in step) queue.lose(step.lose);
        else if ('check' in step) await journal.check();
        else {
          // As the disk is after a crash: what was flushed, and some first bytes of a record that was not.
          const last = join(home, String(life));
          life += 1;
          if (existsSync(last)) cpSync(last, join(home, String(life)), { recursive: true });
          const torn = segments().findLast((path) => !earlier.has(relative(join(home, String(life)), path)));
          const bytes = torn === undefined ? Buffer.alloc(0) : readFileSync(torn);
          const record = bytes.subarray(0, 12 + (bytes.length > 12 ? bytes.readUInt32LE(0) : 0));
          if (torn !== undefined) writeFileSync(torn, record.subarray(0, step.crash % record.length), { flag: 'a' });
          await journal.close();
          const { jobs, processed } = queue;
          queue = lossyQueue();
          for (const [id, bodies] of jobs) queue.jobs.set(id, bodies);
          for (const body of processed) queue.processed.add(body);
          // The next process does not know of it.
          const ids = [...queue.jobs.keys()];
          for (const id of ids.slice(Math.floor(ids.length * (1 - step.loses)))) queue.jobs.delete(id);
          journal = await start();
        }
      }
      for (let time = 0; time < 2; time += 1) {
        await journal.check();
        queue.work();
      }
      await journal.check();
      expect(acknowledged.filter((body) => !queue.processed.has(body))).toEqual([]);
      expect(journal.status()).toMatchObject({ batches: 0, bytes: 0 });
      await journal.close();
      expect(segments()).toEqual([]);
    }),
    runs(60),
  );
});
