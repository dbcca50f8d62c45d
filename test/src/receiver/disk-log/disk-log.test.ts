// What the disk log writes, frees and enqueues again, and what a receiver finds after another was killed or the disk damaged a file.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeDisk, type Disk, type DiskFile } from '#src/receiver/disk-log/disk.ts';
import type { DiskLog } from '#src/receiver/disk-log/disk-log.ts';
import { batchOf, DiskLogFolder, recordOf, TestQueue } from '../../../harness/disk-logs.ts';

let parent: string;
let folder: DiskLogFolder;
let queue: TestQueue;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'slotstream-disk-log-'));
  folder = new DiskLogFolder(parent);
  queue = new TestQueue();
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const eio = (): Error => Object.assign(new Error('i/o error'), { code: 'EIO' });

/** A disk on which flushing fails while `fails` says so. */
function failingDisk(fails: () => boolean): Disk {
  const failing = (opened: DiskFile): DiskFile => ({
    ...opened,
    write: (bytes, at, done) => opened.write(bytes, at, (error, written) => done(fails() ? eio() : error, written)),
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

const damaged = recordOf('x', 'bad');
damaged[damaged.length - 2] = 0;

/** Lets the loop and the workers run until nothing is left, and returns what the workers have seen. */
async function processed(log: DiskLog): Promise<readonly string[]> {
  for (let turn = 0; turn < 3; turn += 1) {
    await log.check();
    queue.work();
  }
  return queue.processed;
}

describe.each(['every', 'fallback'] as const)('after a crash, with the mode %s,', (mode) => {
  it('a damaged record costs only itself; each file that had one is set aside and named in the log', async () => {
    folder.leave('dead', {
      '0000000001.segment': Buffer.concat([recordOf('a', 'good'), damaged, recordOf('b', 'behind')]),
      '0000000002.segment': Buffer.concat([damaged, recordOf('c', 'next')]),
    });
    const synced: string[] = [];
    const syncFolder: Disk['syncFolder'] = async (path) => {
      synced.push(path);
      await nodeDisk.syncFolder(path);
    };
    const log = await folder.open(queue, mode, { disk: { ...nodeDisk, syncFolder } });
    expect(await processed(log)).toEqual(['good', 'behind', 'next']);
    const setAside = ['damaged-dead-0000000001.segment', 'damaged-dead-0000000002.segment'];
    expect(readdirSync(folder.root).toSorted()).toEqual(setAside);
    for (const file of setAside) expect(folder.logged(file)).toBe(1);
    expect(synced).toContain(folder.root);
    await log.close();
  });

  it('a file is set aside although its folder could not be flushed at first', async () => {
    folder.leave('dead', { '0000000001.segment': damaged });
    let failures = 1;
    const syncFolder: Disk['syncFolder'] = (path) =>
      (failures -= 1) >= 0 ? Promise.reject(eio()) : nodeDisk.syncFolder(path);
    const log = await folder.open(queue, mode, { disk: { ...nodeDisk, syncFolder } });
    await expect(log.check()).rejects.toThrow('i/o error');
    await log.check();
    expect(readdirSync(folder.root)).toEqual(['damaged-dead-0000000001.segment']);
    expect(log.status()).toMatchObject({ batches: 0, bytes: 0 });
    await log.close();
  });
});

describe('after a crash', () => {
  it('a batch that was damaged while the queue had it is lost only when the queue loses it too', async () => {
    const log = await folder.open(queue, 'every');
    for (const body of ['a', 'b', 'c']) await log.accept(batchOf(body));
    const [path = ''] = folder.segments();
    const bytes = readFileSync(path);
    bytes[bytes.indexOf('"b"')] = 0;
    writeFileSync(path, bytes);
    queue.lose();
    expect(await processed(log)).toEqual(['a', 'c']);
    await log.close();
    expect(readdirSync(folder.root)).toEqual([expect.stringMatching(/^damaged-.*\.segment$/)]);
  });
});

describe('several receivers on one root', () => {
  it('do not touch the folder of a running receiver, and adopt it when that one was killed', async () => {
    const script = `
      const { DiskLogFolder, TestQueue, batchOf } = await import('./test/harness/disk-logs.ts');
      const queue = new TestQueue();
      queue.isDown = true;
      const log = await new DiskLogFolder(${JSON.stringify(parent)}).open(queue, 'fallback');
      await log.accept(batchOf('of the killed one'));
      console.log('written');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const log = await folder.open(queue, 'fallback');
    expect(log.status().batches).toBe(0);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    await log.adopt();
    expect(await processed(log)).toEqual(['of the killed one']);
    await log.close();
    expect(readdirSync(folder.root)).toEqual([]);
  });
});
