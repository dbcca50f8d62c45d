import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeDisk, type Disk, type DiskFile } from '#src/receiver/disk-log/disk.ts';
import { batchOf, DiskLogFolder, TestQueue } from '../../../harness/disk-logs.ts';

let parent: string;
let folder: DiskLogFolder;
let queue: TestQueue;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'slotstream-disk-log-'));
  folder = new DiskLogFolder(parent);
  queue = new TestQueue();
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** A disk on which flushing fails while `fails` says so. */
function failingDisk(fails: () => boolean): Disk {
  const eio = Object.assign(new Error('i/o error'), { code: 'EIO' });
  const failing = (opened: DiskFile): DiskFile => ({
    ...opened,
    write: (bytes, at, done) => opened.write(bytes, at, (error, written) => done(fails() ? eio : error, written)),
  });
  return { ...nodeDisk, open: async (...file) => failing(await nodeDisk.open(...file)) };
}

const empty = { waiting: 0, batches: 0, bytes: 0, is_full: false };

describe('every batch', () => {
  it('is on disk until its job is finished, readable by the owner only', async () => {
    const log = await folder.open(queue, 'every');
    expect(await log.accept(batchOf('a', 'b'))).toBe('queued');
    await log.check();
    const [path = ''] = folder.segments();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, '..', 'lock')).mode & 0o777).toBe(0o600);
    expect(log.status()).toMatchObject({ batches: 1, waiting: 0 });
    queue.work();
    await log.check();
    expect(log.status()).toMatchObject(empty);
    expect(folder.segments()).toEqual([]);
    await log.close();
    expect(readdirSync(folder.root)).toEqual([]);
  });

  it('that the queue has lost is enqueued again, under the same id, and the log says so', async () => {
    const log = await folder.open(queue, 'every');
    for (const body of ['a', 'b', 'c']) await log.accept(batchOf(body));
    const ids = [...queue.jobs.keys()];
    queue.work(1 / 3);
    await log.check();
    queue.lose();
    await log.check();
    expect([...queue.jobs.keys()]).toEqual(ids.slice(1));
    expect(log.status()).toMatchObject({ batches: 2, waiting: 0, losses: 1 });
    expect(folder.logged('"code":"queue_lost_jobs","batches":2')).toBe(1);
    queue.work();
    expect(queue.processed).toEqual(['a', 'b', 'c']);
    await log.close();
  });

  it('that the queue does not take waits on disk, and is written once', async () => {
    const log = await folder.open(queue, 'every');
    queue.isDown = true;
    expect(await log.accept(batchOf('a', 'b'))).toBe('on_disk');
    await expect(log.check()).rejects.toThrow('down');
    expect(log.status()).toMatchObject({ batches: 1, waiting: 2 });
    queue.isDown = false;
    await log.check();
    expect(log.status()).toMatchObject({ batches: 1, waiting: 0 });
    expect(queue.jobs.size).toBe(1);
    queue.work();
    await log.check();
    expect(log.status()).toMatchObject(empty);
    await log.close();
  });

  it('is freed among thousands in one check, also behind some that are retried', async () => {
    const log = await folder.open(queue, 'every');
    await Promise.all(Array.from({ length: 1500 }, (_, at) => log.accept(batchOf(`b${at}`))));
    const stuck = [...queue.jobs].slice(0, 100);
    queue.work();
    for (const [id, bodies] of stuck) queue.jobs.set(id, bodies);
    await log.check();
    expect(log.status().batches).toBe(100);
    await log.close();
  });

  it('is rejected without enqueuing while the log is full, and accepted again when jobs are finished', async () => {
    const log = await folder.open(queue, 'every', { maxBytes: 1000 });
    while (!log.status().is_full) await log.accept(batchOf('a'.repeat(200)));
    const { size } = queue.jobs;
    expect([await log.accept(batchOf('b')), await log.canWrite()]).toEqual(['unavailable', false]);
    expect(queue.jobs.size).toBe(size);
    expect(folder.logged('the disk log is full')).toBe(1);
    queue.work();
    await log.check();
    expect([await log.canWrite(), await log.accept(batchOf('b'))]).toEqual([true, 'queued']);
    await log.close();
  });

  it('is not acknowledged on a disk that fails; a file whose fsync failed is never written again, and no copies are added', async () => {
    let fails = false;
    const log = await folder.open(queue, 'every', { disk: failingDisk(() => fails) });
    expect(await log.accept(batchOf('before'))).toBe('queued');
    const [first = ''] = folder.segments();
    const bytes = readFileSync(first);
    fails = true;
    for (let time = 0; time < 5; time += 1) expect(await log.accept(batchOf('during'))).toBe('unavailable');
    expect(queue.jobs.size).toBe(2);
    fails = false;
    expect(await log.accept(batchOf('after'))).toBe('queued');
    expect(readFileSync(first)).toEqual(bytes);
    expect(folder.segments()).toHaveLength(2);
    expect(folder.logged('the disk log cannot be written')).toBe(1);
    await log.close();
  });
});

describe('otherwise, a batch', () => {
  it('that the queue takes is not written', async () => {
    const log = await folder.open(queue, 'fallback');
    expect(await log.accept(batchOf('a'))).toBe('queued');
    await log.close();
    expect(existsSync(folder.root)).toBe(false);
  });

  it('that the queue does not take is enqueued when it is back, in the order of arrival, and freed', async () => {
    const log = await folder.open(queue, 'fallback', { segmentBytes: 300 });
    queue.isDown = true;
    const bodies = Array.from({ length: 20 }, (_, index) => `body ${index}`);
    for (const body of bodies) expect(await log.accept(batchOf(body))).toBe('on_disk');
    expect(queue.adds).toBe(0);
    await log.check();
    expect(log.status()).toMatchObject({ waiting: 20, batches: 20 });
    expect(folder.segments().length).toBeGreaterThan(3);
    queue.isDown = false;
    await log.check();
    expect(log.status()).toMatchObject(empty);
    queue.work();
    expect(queue.processed).toEqual(bodies);
    await log.close();
    expect(readdirSync(folder.root)).toEqual([]);
  });

  it('probes the queue only while none waits, and one at a time from the disk', async () => {
    const log = await folder.open(queue, 'fallback');
    queue.isDown = true;
    queue.state = 'probing';
    expect(await log.accept(batchOf('a'))).toBe('on_disk');
    expect(await log.accept(batchOf('b'))).toBe('on_disk');
    expect(queue.adds).toBe(1);
    const { enqueue } = queue.circuit;
    queue.circuit.enqueue = (...batch) => {
      queue.state = 'open';
      return enqueue(...batch);
    };
    await log.check();
    expect([queue.adds, log.status().waiting]).toEqual([2, 2]);
    await log.close();
  });

  it('is rejected when the log is full, unless a probe enqueues it', async () => {
    const log = await folder.open(queue, 'fallback', { maxBytes: 300 });
    queue.isDown = true;
    expect(await log.accept(batchOf('a'.repeat(300)))).toBe('on_disk');
    for (let round = 0; round < 5; round += 1) expect(await log.accept(batchOf('b'))).toBe('unavailable');
    expect(folder.logged('the disk log is full')).toBe(1);
    queue.isDown = false;
    queue.state = 'probing';
    expect(await log.accept(batchOf('b'))).toBe('queued');
    await log.check();
    expect(log.status()).toMatchObject(empty);
    await log.close();
  });

  it('is rejected where the folder cannot be created; the log accepts again once it can, without waiting for a batch', async () => {
    writeFileSync(folder.root, 'a file where the folder would be');
    const log = await folder.open(queue, 'fallback');
    queue.isDown = true;
    expect(await log.canWrite()).toBe(true);
    for (let round = 0; round < 5; round += 1) expect(await log.accept(batchOf('a'))).toBe('unavailable');
    expect([folder.logged('cannot be written'), await log.canWrite()]).toEqual([1, false]);
    rmSync(folder.root);
    expect([await log.canWrite(), log.status().waiting]).toEqual([true, 0]);
    await log.close();
    expect([await log.canWrite(), await log.accept(batchOf('a'))]).toEqual([false, 'unavailable']);
    expect(readdirSync(folder.root)).toEqual([]);
  });

  it('is written again after the folder was removed under a running receiver', async () => {
    const log = await folder.open(queue, 'fallback', { segmentBytes: 1 });
    queue.isDown = true;
    await log.accept(batchOf('lost with its folder'));
    rmSync(folder.root, { recursive: true });
    expect(await log.accept(batchOf('b'))).toBe('unavailable');
    expect(await log.accept(batchOf('c'))).toBe('on_disk');
    expect(folder.segments()).toHaveLength(1);
    await log.close();
  });
});
