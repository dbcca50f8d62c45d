import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '#src/observability/log.ts';
import type { DeliveryBatch } from '#src/queue/contract.ts';
import { createQueueCircuit } from '#src/receiver/queue-circuit-breaker.ts';
import { startDrain } from '#src/receiver/spool/drain.ts';
import { takeLock } from '#src/base/process-lock.ts';
import { nodeDisk, type Disk } from '#src/receiver/disk-log/disk.ts';
import { encodeRecord } from '#src/receiver/disk-log/segment.ts';
import { openSpool } from '#src/receiver/spool/spool.ts';
import type { Spool, SpoolOptions } from '#src/receiver/spool/spool.ts';

const metrics = { spooled: () => undefined };
let lines: string[];
let folder: string;
let root: string;
const log = createLog({ level: 'info', pretty: false, destination: { write: (line) => void lines.push(line) } });

beforeEach(() => {
  lines = [];
  folder = mkdtempSync(join(tmpdir(), 'slotstream-spool-'));
  root = join(folder, 'spool');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const batchOf = (...bodies: string[]): DeliveryBatch => ({
  v: 1,
  deliveries: bodies.map((body) => ({ body, receivedAt: '2025-04-14T11:42:33.000000Z' })),
});
const recordOf = (...bodies: string[]): Buffer => encodeRecord(batchOf(...bodies), bodies.length);
const openAt = (options: Partial<SpoolOptions> = {}): Promise<Spool> =>
  openSpool({ log, metrics }, { root, ...options });
const segmentsOnDisk = (): string[] =>
  existsSync(root)
    ? readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.segment'))
        .map((name) => join(root, name))
    : [];

/** Drains until empty and gives back the bodies in the order the queue saw them. */
async function drained(spool: Spool, enqueue?: (batch: DeliveryBatch) => Promise<void>): Promise<string[]> {
  const bodies: string[] = [];
  const take = async (batch: DeliveryBatch): Promise<void> => {
    await enqueue?.(batch);
    bodies.push(...batch.deliveries.map(({ body }) => body));
  };
  const circuit = createQueueCircuit({ enqueue: take, log, clock: Date.now }, { firstPauseMs: 2, longestPauseMs: 4 });
  const drain = startDrain({ circuit, spool, log }, { everyMs: 1 });
  await expect.poll(() => spool.isEmpty(), { timeout: 5000, interval: 5 }).toBe(true);
  await drain.stop();
  return bodies;
}

/** Leaves a folder as a killed receiver leaves it: segments, and a lock that no process holds. */
function leftBehind(name: string, segments: Record<string, Buffer>): string {
  const left = join(root, name);
  mkdirSync(left, { recursive: true });
  for (const [file, bytes] of Object.entries(segments)) writeFileSync(join(left, file), bytes);
  return left;
}

describe('the spool', () => {
  it('writes nothing to disk while nothing is spooled', async () => {
    await (await openAt()).close();
    expect(existsSync(root)).toBe(false);
  });

  it('is drained in the order of arrival, and drained segments are removed', async () => {
    const spool = await openAt({ segmentBytes: 300 });
    const bodies = Array.from({ length: 20 }, (_, index) => `body ${index}`);
    for (const body of bodies) expect(await spool.append(batchOf(body))).toBe(true);
    expect(spool.depth()).toMatchObject({ deliveries: 20 });
    expect(segmentsOnDisk().length).toBeGreaterThan(3);
    expect(await drained(spool)).toEqual(bodies);
    expect(spool.depth()).toEqual({ deliveries: 0, bytes: 0 });
    expect(segmentsOnDisk()).toEqual([]);
    await spool.close();
    expect(readdirSync(root)).toEqual([]);
  });

  it('combines small records into full batches when it is drained', async () => {
    const spool = await openAt();
    for (let index = 0; index < 300; index += 1) await spool.append(batchOf(String(index)));
    const sizes: number[] = [];
    await drained(spool, async ({ deliveries }) => void sizes.push(deliveries.length));
    expect(sizes).toEqual([256, 44]);
    await spool.close();
  });

  it('makes its files readable by the owner only', async () => {
    const spool = await openAt();
    await spool.append(batchOf('a'));
    const [path = ''] = segmentsOnDisk();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, '..', 'lock')).mode & 0o777).toBe(0o600);
    await spool.close();
  });

  it('accepts batches while it is being drained', async () => {
    const spool = await openAt();
    await spool.append(batchOf('first'));
    const bodies = await drained(spool, async ({ deliveries }) => {
      if (deliveries[0]?.body === 'first') await spool.append(batchOf('second'));
    });
    expect(bodies).toEqual(['first', 'second']);
    await spool.close();
  });

  it('continues at its offset when the queue fails in the middle', async () => {
    const spool = await openAt();
    const bodies = Array.from({ length: 600 }, (_, index) => String(index));
    for (const body of bodies) await spool.append(batchOf(body));
    let tries = 0;
    const sent = await drained(spool, async () => {
      tries += 1;
      if (tries % 2 === 0) throw new Error('down again');
    });
    expect(sent).toEqual(bodies);
    await spool.close();
  });
});

describe('a disk that fails', () => {
  it('full at its limit: the spool rejects, and accepts again after it was drained', async () => {
    const spool = await openAt({ maxBytes: 500 });
    expect(await spool.append(batchOf('a'.repeat(300)))).toBe(true);
    for (let round = 0; round < 5; round += 1) expect(await spool.append(batchOf('b'.repeat(300)))).toBe(false);
    expect(lines.filter((line) => line.includes('disk spool is full'))).toHaveLength(1);
    expect(await drained(spool)).toHaveLength(1);
    expect(await spool.append(batchOf('b'.repeat(300)))).toBe(true);
    await spool.close();
  });

  it('a root that cannot be created: every batch is rejected, with one log line', async () => {
    writeFileSync(root, 'a file where the folder would be');
    const spool = await openAt();
    for (let round = 0; round < 5; round += 1) expect(await spool.append(batchOf('a'))).toBe(false);
    expect(lines.filter((line) => line.includes('cannot be written'))).toHaveLength(1);
    expect(spool.isEmpty()).toBe(true);
    await spool.close();
  });

  it('says that it accepts deliveries again once the disk works, without waiting for one', async () => {
    writeFileSync(root, 'a file where the folder would be');
    const spool = await openAt();
    expect(await spool.accepts()).toBe(true);
    await spool.append(batchOf('a'));
    expect(await spool.accepts()).toBe(false);
    rmSync(root);
    expect(await spool.accepts()).toBe(true);
    expect(await drained(spool)).toEqual([]);
    await spool.close();
    expect(await spool.accepts()).toBe(false);
  });

  it('a folder removed under a running receiver is created again', async () => {
    const spool = await openAt({ segmentBytes: 1 });
    await spool.append(batchOf('lost with its folder'));
    rmSync(root, { recursive: true });
    expect(await spool.append(batchOf('b'))).toBe(false);
    expect(await spool.append(batchOf('c'))).toBe(true);
    expect(segmentsOnDisk()).toHaveLength(1);
    await spool.close();
  });
});

describe('after a crash', () => {
  it('the next receiver adopts what the last one left, without the torn record', async () => {
    const good = recordOf('a', 'b');
    const torn = recordOf('never acknowledged').subarray(0, 30);
    leftBehind('dead', {
      '0000000001.segment': good,
      '0000000002.segment': Buffer.concat([recordOf('c'), torn]),
    });
    const spool = await openAt();
    expect(spool.depth()).toMatchObject({ deliveries: 3 });
    expect(await drained(spool)).toEqual(['a', 'b', 'c']);
    expect(readdirSync(root)).toEqual([]);
    await spool.close();
  });

  it('a closed receiver leaves its deliveries to the next one', async () => {
    const first = await openAt();
    await first.append(batchOf('a'));
    await first.close();
    expect(await first.append(batchOf('b'))).toBe(false);
    const second = await openAt();
    expect(await drained(second)).toEqual(['a']);
    await second.close();
  });

  it('a folder that cannot be listed for a moment is not removed', async () => {
    leftBehind('dead', { '0000000001.segment': recordOf('a') });
    let listings = 0;
    const readFolder: Disk['readFolder'] = async (path) => {
      listings += 1;
      // The third one decides whether the folder is empty.
      if (listings === 3) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
      return nodeDisk.readFolder(path);
    };
    const spool = await openAt({ disk: { ...nodeDisk, readFolder } });
    expect(listings).toBe(3);
    expect(await drained(spool)).toEqual(['a']);
    await spool.close();
  });

  it('a receiver does not adopt its own folder, whose name could not be flushed at first', async () => {
    const written = Promise.withResolvers<void>();
    const removing = Promise.withResolvers<void>();
    let isFailing = true;
    const disk: Disk = {
      ...nodeDisk,
      syncFolder: async (path) => {
        if (isFailing) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        await nodeDisk.syncFolder(path);
      },
      remove: async (path) => {
        removing.resolve();
        await written.promise;
        await nodeDisk.remove(path);
      },
    };
    const spool = await openAt({ disk });
    expect(await spool.append(batchOf('a'))).toBe(false);
    isFailing = false;
    const adopting = spool.adopt();
    await Promise.race([adopting, removing.promise]);
    expect(await spool.append(batchOf('b'))).toBe(true);
    written.resolve();
    await adopting;
    expect(segmentsOnDisk()).toHaveLength(1);
    expect(await drained(spool)).toEqual(['b']);
    await spool.close();
  });

  it('an empty segment or one without a complete header is skipped', async () => {
    leftBehind('dead', { '0000000001.segment': Buffer.alloc(0), '0000000002.segment': Buffer.alloc(5) });
    const spool = await openAt();
    expect(await drained(spool)).toEqual([]);
    await spool.close();
  });

  it('a damaged record costs only itself; each file that had one is set aside and named in the log', async () => {
    const damaged = recordOf('bad');
    damaged[damaged.length - 2] = 0;
    const bytes = Buffer.concat([recordOf('good'), damaged, recordOf('behind')]);
    const another = Buffer.concat([damaged, recordOf('next')]);
    leftBehind('dead', { '0000000001.segment': bytes, '0000000002.segment': another });
    const spool = await openAt();
    expect(await drained(spool)).toEqual(['good', 'behind', 'next']);
    const setAside = ['damaged-dead-0000000001.segment', 'damaged-dead-0000000002.segment'];
    expect(readdirSync(root).toSorted()).toEqual(setAside);
    for (const file of setAside) expect(lines.join('')).toContain(file);
    await spool.close();
  });

  it('a segment truncated or extended by the disk never stops the drain', async () => {
    const spool = await openAt({ segmentBytes: 1 });
    for (const body of ['a', 'b', 'c']) await spool.append(batchOf(body));
    const [first = '', second = ''] = segmentsOnDisk().sort();
    truncateSync(first, 20);
    appendFileSync(second, Buffer.alloc(7, 1));
    expect(await drained(spool)).toEqual(['b', 'c']);
    await spool.close();
  });
});

describe('several receivers on one root', () => {
  it('never drain one folder twice', async () => {
    for (let index = 0; index < 10; index += 1)
      leftBehind(`dead-${index}`, { '0000000001.segment': recordOf(`left ${index}`) });
    const spools = await Promise.all([openAt(), openAt(), openAt()]);
    await Promise.all(spools.map((spool, index) => spool.append(batchOf(`own ${index}`))));
    for (const spool of spools) await spool.adopt();
    const bodies = (await Promise.all(spools.map((spool) => drained(spool)))).flat();
    const expected = [...Array.from({ length: 10 }, (_, index) => `left ${index}`), 'own 0', 'own 1', 'own 2'];
    expect(bodies.toSorted()).toEqual(expected);
    for (const spool of spools) await spool.close();
    expect(readdirSync(root)).toEqual([]);
  });

  it('do not touch the folder of a running receiver, and adopt it when that one was killed', async () => {
    const script = `
      const { openSpool } = await import('#src/receiver/spool/spool.ts');
      const { createLog } = await import('#src/observability/log.ts');
      const needs = { log: createLog({ level: 'silent', pretty: false }), metrics: { spooled() {} } };
      const spool = await openSpool(needs, { root: ${JSON.stringify(root)} });
      await spool.append(${JSON.stringify(batchOf('of the killed one'))});
      console.log('spooled');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const spool = await openAt();
    expect(spool.isEmpty()).toBe(true);
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    await spool.adopt();
    expect(await drained(spool)).toEqual(['of the killed one']);
    await spool.close();
    expect(readdirSync(root)).toEqual([]);
  });

  it('lock a folder once, and not a missing one', () => {
    const left = leftBehind('other', {});
    const lock = takeLock(join(left, 'lock'));
    expect(takeLock(join(left, 'lock'))).toBeUndefined();
    lock?.release();
    const again = takeLock(join(left, 'lock'));
    expect(again).toBeDefined();
    again?.release();
    expect(takeLock(join(root, 'missing', 'lock'))).toBeUndefined();
  });
});
