// What a receiver finds on disk after another was killed, the power was cut, or the disk damaged a file.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeDisk, type Disk } from '#src/receiver/disk-log/disk.ts';
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
  it('the next receiver enqueues what the last one left, without the torn record', async () => {
    const torn = recordOf('d', 'never acknowledged').subarray(0, 30);
    folder.leave('dead', {
      '0000000001.segment': recordOf('x', 'a', 'b'),
      '0000000002.segment': Buffer.concat([recordOf('y', 'c'), torn]),
    });
    const log = await folder.open(queue, mode);
    expect(log.status()).toMatchObject({ waiting: 3, batches: 2 });
    expect(await processed(log)).toEqual(['a', 'b', 'c']);
    expect(log.status()).toMatchObject({ batches: 0, bytes: 0 });
    await log.close();
    expect(readdirSync(folder.root)).toEqual([]);
  });

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

  it('a file that cannot be read at once is read later', async () => {
    folder.leave('dead', { '0000000001.segment': recordOf('x', 'a') });
    let isUnreadable = true;
    const readFile: Disk['readFile'] = (path) => (isUnreadable ? Promise.reject(eio()) : nodeDisk.readFile(path));
    const log = await folder.open(queue, mode, { disk: { ...nodeDisk, readFile } });
    expect(log.status()).toMatchObject({ batches: 0 });
    isUnreadable = false;
    await log.adopt();
    expect(await processed(log)).toEqual(['a']);
    await log.close();
    expect(readdirSync(folder.root)).toEqual([]);
  });
});

describe('after a crash', () => {
  it('batches of the other mode are enqueued too', async () => {
    const first = await folder.open(queue, 'every');
    await first.accept(batchOf('a'));
    queue.jobs.clear();
    await first.close().catch(() => undefined);
    folder.leave('dead', { '0000000001.segment': recordOf('x', 'b') });
    const second = await folder.open(queue, 'fallback');
    expect(await processed(second)).toEqual(['b']);
    await second.close();
  });

  it('a closed receiver leaves its deliveries to the next one', async () => {
    const first = await folder.open(queue, 'fallback');
    queue.isDown = true;
    await first.accept(batchOf('a'));
    await first.close();
    queue.isDown = false;
    const second = await folder.open(queue, 'fallback');
    expect(await processed(second)).toEqual(['a']);
    await second.close();
  });

  it('a folder that cannot be listed for a moment is not removed', async () => {
    folder.leave('dead', { '0000000001.segment': recordOf('x', 'a') });
    let listings = 0;
    const readFolder: Disk['readFolder'] = async (path) => {
      listings += 1;
      // The third one decides whether the folder is empty.
      if (listings === 3) throw eio();
      return nodeDisk.readFolder(path);
    };
    const log = await folder.open(queue, 'fallback', { disk: { ...nodeDisk, readFolder } });
    expect(listings).toBe(3);
    expect(await processed(log)).toEqual(['a']);
    await log.close();
  });

  it('a receiver does not adopt its own folder, whose name could not be flushed at first', async () => {
    const written = Promise.withResolvers<void>();
    const removing = Promise.withResolvers<void>();
    let isFailing = true;
    const disk: Disk = {
      ...nodeDisk,
      syncFolder: async (path) => (isFailing ? Promise.reject(eio()) : nodeDisk.syncFolder(path)),
      remove: async (path) => {
        removing.resolve();
        await written.promise;
        await nodeDisk.remove(path);
      },
    };
    const log = await folder.open(queue, 'fallback', { disk });
    queue.isDown = true;
    expect(await log.accept(batchOf('a'))).toBe('unavailable');
    isFailing = false;
    const adopting = log.adopt();
    await Promise.race([adopting, removing.promise]);
    expect(await log.accept(batchOf('b'))).toBe('on_disk');
    written.resolve();
    await adopting;
    expect(folder.segments()).toHaveLength(1);
    queue.isDown = false;
    expect(await processed(log)).toEqual(['b']);
    await log.close();
  });

  it('an empty file, one without a complete header, a truncated and an extended one stop nothing', async () => {
    folder.leave('dead', { '0000000001.segment': Buffer.alloc(0), '0000000002.segment': Buffer.alloc(5) });
    const log = await folder.open(queue, 'fallback', { segmentBytes: 1 });
    queue.isDown = true;
    for (const body of ['a', 'b', 'c']) await log.accept(batchOf(body));
    const [first = '', second = ''] = folder.segments().filter((path) => !path.includes('/dead/'));
    truncateSync(first, 20);
    appendFileSync(second, Buffer.alloc(7, 1));
    queue.isDown = false;
    expect(await processed(log)).toEqual(['b', 'c']);
    await log.close();
  });

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
  it('never enqueue what one of them left twice', async () => {
    for (let index = 0; index < 10; index += 1)
      folder.leave(`dead-${index}`, { '0000000001.segment': recordOf(`x${index}`, `left ${index}`) });
    const logs = await Promise.all([1, 2, 3].map(() => folder.open(queue, 'fallback')));
    queue.isDown = true;
    await Promise.all(logs.map((log, index) => log.accept(batchOf(`own ${index}`))));
    queue.isDown = false;
    for (const log of logs) await log.adopt();
    for (const log of logs) await processed(log);
    const expected = [...Array.from({ length: 10 }, (_, index) => `left ${index}`), 'own 0', 'own 1', 'own 2'];
    expect(queue.processed.toSorted()).toEqual(expected);
    for (const log of logs) await log.close();
    expect(readdirSync(folder.root)).toEqual([]);
  });

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
