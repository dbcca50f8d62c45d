// What stays on disk when every batch of a segment is finished: for how long, in whose room, and when it is enqueued again (S4).
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiskLog, DiskLogNeeds, DiskLogOptions } from '#src/receiver/disk-log/disk-log.ts';
import { batchOf, DiskLogFolder, TestQueue } from '../../../harness/disk-logs.ts';

const minute = 60_000;
const keepMs = 15 * minute;

let parent: string;
let folder: DiskLogFolder;
let queue: TestQueue;
let nowMs: number;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'slotstream-kept-'));
  folder = new DiskLogFolder(parent);
  queue = new TestQueue();
  nowMs = Date.parse('2026-01-01T12:00:00Z');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const open = (more: Partial<DiskLogOptions> & Pick<DiskLogNeeds, 'hasRoom'> = {}): Promise<DiskLog> =>
  folder.open(queue, 'every', { keepMs, nowMs: () => nowMs, ...more });

/** Accepts batches of these bodies, and lets them be processed. */
async function finish(log: DiskLog, ...bodies: readonly string[]): Promise<void> {
  for (const body of bodies) await log.accept(batchOf(body));
  queue.work();
  await log.check();
}

const kept = (): readonly string[] => folder.segments('.kept');
const wentBack = (sinceMs: number): void => void (queue.note = { at: new Date(nowMs).toISOString(), sinceMs });

describe('a segment whose batches are finished (S4)', () => {
  it('is kept: it is no entry, needs no room, and is deleted when its time is over', async () => {
    const log = await open();
    await finish(log, 'a', 'b');
    expect(log.status()).toMatchObject({ waiting: 0, batches: 0, bytes: 0, is_full: false });
    expect([folder.segments().length, kept().length]).toEqual([0, 1]);
    nowMs += keepMs - 1;
    await log.check();
    expect(kept()).toHaveLength(1);
    nowMs += 1;
    await log.check();
    expect(kept()).toEqual([]);
    await log.close();
    expect(readdirSync(folder.root)).toEqual([]);
  });

  it('is not kept where DISK_LOG_KEEP is off, or only what the queue does not take is written', async () => {
    for (const [mode, options] of [
      ['every', { keepMs: 0 }],
      ['fallback', { keepMs }],
    ] as const) {
      queue.isDown = mode === 'fallback';
      const log = await folder.open(queue, mode, options);
      await log.accept(batchOf('a'));
      queue.isDown = false;
      queue.work();
      await log.check();
      expect([log.keepsFinished, kept()]).toEqual([false, []]);
      await log.close();
    }
  });

  it('is adopted by the next receiver, which enqueues nothing of it, and deletes it in time', async () => {
    const first = await open();
    await finish(first, 'a');
    await first.close();
    expect(kept()).toHaveLength(1);
    const adds = queue.adds;
    nowMs += 10 * minute;
    const second = await open();
    await second.check();
    expect([queue.adds, second.status().batches, kept().length]).toEqual([adds, 0, 1]);
    nowMs += 5 * minute;
    await second.check();
    expect(kept()).toEqual([]);
    await second.close();
    expect(readdirSync(folder.root)).toEqual([]);
  });

  it('is deleted by a receiver that keeps nothing, and where its name says nothing', async () => {
    const first = await open();
    await finish(first, 'a');
    const [path = ''] = kept();
    renameSync(path, join(path, '..', 'x.kept'));
    await first.close();
    const second = await open({ keepMs: 0 });
    await second.check();
    expect(kept()).toEqual([]);
    await second.close();
  });

  it('is the first to be deleted when others need the room, the oldest first', async () => {
    const first = await open();
    await finish(first, noise());
    const [size = 0] = kept().map((path) => statSync(path).size);
    await first.close();
    const log = await open({ maxBytes: 3.5 * size });
    const times = [nowMs];
    for (let at = 0; at < 3; at += 1) {
      times.push((nowMs += 1000));
      await finish(log, noise());
    }
    expect(keptAt()).toEqual(times.slice(1));
    await log.accept(batchOf(noise()));
    await log.check();
    expect(keptAt()).toEqual(times.slice(2));
    for (const _each of times) expect(await log.accept(batchOf(noise()))).not.toBe(undefined);
    await log.check();
    expect([keptAt(), log.status().is_full]).toEqual([[], true]);
    await log.close();
  });

  it('is deleted when its disk is almost full', async () => {
    let hasRoom = true;
    const log = await open({ hasRoom: async () => hasRoom });
    await finish(log, 'a');
    hasRoom = false;
    await log.check();
    expect(kept()).toEqual([]);
    await log.close();
  });
});

describe('when the database went back, a receiver enqueues again (S4)', () => {
  it('what was finished since then, less a minute for clocks that differ, once', async () => {
    const log = await open();
    await finish(log, 'long ago');
    nowMs += 5 * minute;
    await finish(log, 'just before');
    nowMs += 30_000;
    const sinceMs = nowMs;
    nowMs += 2 * minute;
    await finish(log, 'lost');
    nowMs += minute;
    queue.processed.length = 0;
    wentBack(sinceMs);
    await log.check();
    expect(log.status()).toMatchObject({ batches: 2, waiting: 0, bytes: 0 });
    await finish(log);
    expect(queue.processed.toSorted()).toEqual(['just before', 'lost']);
    await finish(log);
    expect(queue.processed).toHaveLength(2);
    expect(folder.logged('"code":"database_went_back"')).toBe(1);
    // Kept for as long as others, because it may go back again.
    expect(kept()).toHaveLength(3);
    nowMs += keepMs;
    await log.check();
    expect(kept()).toEqual([]);
    await log.close();
  });

  it('everything it has, where it is unknown how far it went back', async () => {
    const log = await open();
    await finish(log, 'a');
    nowMs += 10 * minute;
    await finish(log, 'b');
    wentBack(Number.NEGATIVE_INFINITY);
    await finish(log);
    await finish(log);
    expect(queue.processed.toSorted()).toEqual(['a', 'a', 'b', 'b']);
    await log.close();
  });

  it('what is finished in a segment that has others, and what is finished in the queue and not freed yet', async () => {
    const log = await open();
    await log.accept(batchOf('finished'));
    await log.accept(batchOf('waits'));
    queue.work(0.5);
    await log.check();
    expect(log.status().batches).toBe(1);
    queue.work();
    wentBack(nowMs);
    await log.check();
    expect(log.status().batches).toBe(2);
    await finish(log);
    expect(queue.processed.toSorted()).toEqual(['finished', 'finished', 'waits', 'waits']);
    await finish(log);
    expect(log.status()).toMatchObject({ batches: 0, bytes: 0 });
    expect([folder.segments(), kept().length]).toEqual([[], 1]);
    await log.close();
  });

  it('what another receiver has left, also one that comes later', async () => {
    const first = await open();
    await finish(first, 'of the first');
    wentBack(nowMs);
    const second = await open();
    await second.check();
    await first.close();
    await second.adopt();
    await second.check();
    await finish(second);
    expect(queue.processed).toEqual(['of the first', 'of the first']);
    await second.close();
  });

  it('nothing, where it was noticed long ago', async () => {
    wentBack(Number.NEGATIVE_INFINITY);
    nowMs += keepMs + 2 * minute;
    const log = await open();
    await finish(log, 'a');
    await finish(log);
    expect(queue.processed).toEqual(['a']);
    await log.close();
  });

  it('what it can read: a damaged file is set aside', async () => {
    const log = await open();
    await finish(log, 'a');
    const [path = ''] = kept();
    const bytes = readFileSync(path);
    bytes[bytes.length - 3] = 0;
    writeFileSync(path, bytes);
    wentBack(nowMs);
    await log.check();
    expect(readdirSync(folder.root).filter((name) => name.startsWith('damaged-'))).toHaveLength(1);
    await log.close();
  });

  it('also where the queue does not answer at first', async () => {
    const log = await open();
    await finish(log, 'a');
    wentBack(nowMs);
    queue.isDown = true;
    await log.check().catch(() => undefined);
    queue.isDown = false;
    await finish(log);
    await finish(log);
    expect(queue.processed).toEqual(['a', 'a']);
    await log.close();
  });
});

/** When each was kept, oldest first. */
const keptAt = (): readonly number[] =>
  kept()
    .map((path) => Number(path.split('.').at(-3)))
    .toSorted((one, other) => one - other);
/** About a kilobyte that cannot be compressed. */
const noise = (): string => randomBytes(750).toString('base64');
