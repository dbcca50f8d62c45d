import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { JobTable } from '#src/queue/sqlite/job-table.ts';
import { runs } from '../../../harness/runs.ts';

const queue = 'deliveries';
const lockMs = 1000;
const noFailure = { failedReason: null, stacktrace: null };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotstream-jobs-'));
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
});
const opened: JobTable[] = [];
afterEach(() => {
  for (const table of opened.splice(0)) table.close();
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function open(): JobTable {
  const table = new JobTable(join(folder, 'jobs.db'));
  opened.push(table);
  return table;
}
const later = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

const newJob = (data: string, more: { id?: string; delayMs?: number; queue?: string } = {}) => ({
  queue,
  id: undefined,
  name: 'batch',
  data,
  opts: '{}',
  addedAt: Date.now(),
  delayMs: 0,
  ...more,
});

const take = (table: JobTable, token = 'worker') => table.claim({ queue, token, lockMs });

describe('the table of jobs', () => {
  it('hands out jobs in the order of their adds, each once', async () => {
    const table = open();
    await Promise.all([table.add([newJob('a'), newJob('b')]), table.add([newJob('c')])]);
    expect([take(table), take(table), take(table), take(table)].map((job) => job?.data)).toEqual([
      'a',
      'b',
      'c',
      undefined,
    ]);
  });

  it('keeps the queues of one file apart', async () => {
    const table = open();
    await table.add([newJob('other', { queue: 'other' })]);
    expect(take(table)).toBeUndefined();
    expect(table.claim({ queue: 'other', token: 'worker', lockMs })?.data).toBe('other');
  });

  it('does not give a number again, not even after a restart', async () => {
    let table = open();
    const [first] = await table.add([newJob('a')]);
    take(table);
    table.finish({ queue, id: first ?? '', token: 'worker' }, { state: 'completed', keep: false }, Date.now());
    table.close();
    table = open();
    expect(await table.add([newJob('b')])).not.toEqual([first]);
  });

  it('ignores an add whose id exists', async () => {
    const table = open();
    expect(await table.add([newJob('first', { id: 'x' })])).toEqual(['x']);
    expect(await table.add([newJob('second', { id: 'x' }), newJob('third')])).toEqual(['x', expect.any(String)]);
    expect([take(table)?.data, take(table)?.data, take(table)]).toEqual(['first', 'third', undefined]);
  });

  it('adds all jobs of a failed transaction or none, and continues', async () => {
    const table = open();
    const invalid = { ...newJob('b'), name: null } as never;
    await expect(table.add([newJob('a'), invalid])).rejects.toThrow('NOT NULL');
    expect(table.count(queue, 'wait')).toBe(0);
    await table.add([newJob('c')]);
    expect(take(table)?.data).toBe('c');
  });

  it('hands out a delayed job when it is due', async () => {
    const table = open();
    await table.add([newJob('a', { delayMs: 500 })]);
    expect([take(table), table.nextDue(queue)]).toEqual([undefined, Date.now() + 500]);
    later(500);
    expect(take(table)?.data).toBe('a');
  });

  it('accepts the end of a job only from the worker that holds its lock', async () => {
    const table = open();
    const [id = ''] = await table.add([newJob('a')]);
    const end = (token: string) => () =>
      table.finish({ queue, id, token }, { state: 'completed', keep: false }, Date.now());
    expect(end('worker')).toThrow(`Job ${id} is not in the active state.`);
    take(table);
    expect(end('another')).toThrow(`Lock mismatch for job ${id}.`);
    end('worker')();
    expect(end('worker')).toThrow(`Missing key for job ${id}.`);
  });

  it('keeps a failed job with its reason, until it is removed', async () => {
    const table = open();
    const [id = ''] = await table.add([newJob('a')]);
    take(table);
    expect(table.remove({ queue, id })).toBe(false);
    table.finish({ queue, id, token: 'worker' }, { state: 'failed', keep: true, failedReason: 'no' }, Date.now());
    expect(table.find({ queue, id })).toMatchObject({
      state: 'failed',
      failed_reason: 'no',
      attempts_made: 1,
      data: 'a',
    });
    expect(table.ids(queue, 'failed', { start: 0, end: -1, oldestFirst: true })).toEqual([id]);
    expect([table.remove({ queue, id }), table.remove({ queue, id })]).toEqual([true, false]);
  });

  it('reclaims a job whose lock expired at the second check: a process that was blocked extends its locks before', async () => {
    const table = open();
    const [lost = '', extended = ''] = await table.add([newJob('a'), newJob('b')]);
    take(table);
    take(table);
    later(lockMs + 1);
    expect(table.reclaimStalled(queue, 1)).toEqual([]);
    expect(table.extendLock({ queue, id: extended, token: 'worker' }, lockMs)).toBe(true);
    expect(table.extendLock({ queue, id: extended, token: 'another' }, lockMs)).toBe(false);
    expect(table.reclaimStalled(queue, 1)).toEqual([lost]);
    expect(take(table, 'another')).toMatchObject({ id: lost, stalled_count: 1, deferred_failure: null });
  });

  it('reclaims the jobs of a dead process at the first check, and fails the one that outlived too many', async () => {
    await (async () => {
      const table = open();
      await table.add([newJob('a')]);
      table.close();
    })();
    for (const round of [1, 2]) {
      const died = open();
      expect(take(died)?.deferred_failure).toBe(null);
      died.close();
      const table = open();
      expect(table.reclaimStalled(queue, 1)).toHaveLength(1);
      expect(table.count(queue, 'wait'), `round ${round}`).toBe(1);
      table.close();
    }
    const table = open();
    expect(take(table)?.deferred_failure).toBe('job stalled more than allowable limit');
  });

  it('wakes a worker that waits when a job is added, given back or reclaimed', async () => {
    const table = open();
    const wake = vi.fn<() => void>();
    table.onWork(queue, wake);
    const [id = ''] = await table.add([newJob('a')]);
    expect(wake).toHaveBeenCalledTimes(1);
    take(table);
    table.onWork(queue, wake);
    table.requeue({ queue, id, token: 'worker' }, noFailure);
    expect(wake).toHaveBeenCalledTimes(2);
    const cancel = table.onWork(queue, wake);
    cancel();
    await table.add([newJob('b')]);
    expect(wake).toHaveBeenCalledTimes(2);
  });
});

describe('any sequence of operations and crashes', () => {
  const operation = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), delayMs: fc.constantFrom(0, 0, 300) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constantFrom('complete', 'delay', 'retry', 'extend'), which: fc.nat(5) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(100, 700, 1500) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('check' as const, 'crash' as const) }) },
  );

  it('loses no job, completes none twice, and gives none to two workers while a lock lasts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (operations) => {
        const own = mkdtempSync(join(folder, 'run-'));
        const path = join(own, 'jobs.db');
        let table = new JobTable(path);
        const unfinished = new Set<string>();
        const held = new Map<string, { token: string; until: number }>();
        let tokens = 0;
        for (const step of operations) {
          const [id, lock] = [...held][('which' in step ? step.which : 0) % Math.max(held.size, 1)] ?? ['', undefined];
          if (step.do === 'add') for (const added of await table.add([newJob('x', step)])) unfinished.add(added);
          if (step.do === 'pass') later(step.ms);
          if (step.do === 'claim') {
            const token = `worker ${(tokens += 1)}`;
            const job = table.claim({ queue, token, lockMs });
            if (job) {
              expect(unfinished).toContain(job.id);
              expect(held.get(job.id)?.until ?? 0).toBeLessThan(Date.now());
              held.set(job.id, { token, until: Date.now() + lockMs });
            }
          }
          if (lock && step.do !== 'add') {
            const mine = { queue, id, token: lock.token };
            if (step.do === 'complete') {
              table.finish(mine, { state: 'completed', keep: false }, Date.now());
              unfinished.delete(id);
            }
            if (step.do === 'delay') table.requeue(mine, noFailure, { dueAt: Date.now() + 300, delayMs: 300 });
            if (step.do === 'retry') table.requeue(mine, noFailure);
            if (['complete', 'delay', 'retry'].includes(step.do)) held.delete(id);
            if (step.do === 'extend' && table.extendLock(mine, lockMs)) lock.until = Date.now() + lockMs;
          }
          if (step.do === 'check') for (const reclaimed of table.reclaimStalled(queue, 100)) held.delete(reclaimed);
          if (step.do === 'crash') {
            // Nothing is closed: a killed process leaves the file and its log as they are.
            table = new JobTable(path);
            for (const reclaimed of table.reclaimStalled(queue, 100)) held.delete(reclaimed);
            expect(held.size).toBe(0);
          }
        }
        later(10_000);
        table.reclaimStalled(queue, 100);
        table.reclaimStalled(queue, 100);
        const rest = new Set<string>();
        for (
          let job = table.claim({ queue, token: 'last', lockMs });
          job;
          job = table.claim({ queue, token: 'last', lockMs })
        ) {
          rest.add(job.id);
        }
        expect(rest).toEqual(unfinished);
        table.close();
      }),
      runs(40),
    );
  });
});
