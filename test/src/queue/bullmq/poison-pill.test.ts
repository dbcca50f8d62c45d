// Poison pills: isolated runs, and the count of those that never ended.
import { describe, expect, it } from 'vitest';
import { createRunLock, isolatedJobName, runCounted, unfinishedRunsOf } from '#src/queue/bullmq/poison-pill.ts';

describe('the lock of runs', () => {
  it('runs an isolated job alone, after the running jobs and before those that come later', async () => {
    const lock = createRunLock();
    const events: string[] = [];
    const run = (name: string) => async (): Promise<void> => {
      events.push(`+${name}`);
      await new Promise(setImmediate);
      events.push(`-${name}`);
    };
    await Promise.all([
      lock.shared(run('a')),
      lock.shared(run('b')),
      lock.exclusive(run('isolated')),
      lock.shared(run('c')),
    ]);
    expect(events).toEqual(['+a', '+b', '-a', '-b', '+isolated', '-isolated', '+c', '-c']);
  });

  it('goes on after a run that throws', async () => {
    const lock = createRunLock();
    const fail = async (): Promise<void> => Promise.reject(new Error('no'));
    await expect(lock.exclusive(fail)).rejects.toThrow('no');
    await expect(lock.shared(fail)).rejects.toThrow('no');
    await lock.exclusive(async () => undefined);
  });
});

describe('the count of unfinished runs', () => {
  it('sums the isolated runs of all jobs of a delivery', () => {
    expect(unfinishedRunsOf({ name: 'batch', progress: 1 })).toBeUndefined();
    expect(unfinishedRunsOf({ name: isolatedJobName(), progress: 0 })).toBe(0);
    expect(unfinishedRunsOf({ name: isolatedJobName(1), progress: 1 })).toBe(2);
  });

  it('is taken back when the run throws: an error is not a crash', async () => {
    const written: unknown[] = [];
    const job = { progress: 0, updateProgress: async (progress: unknown) => void written.push(progress) };
    await expect(runCounted(job, () => Promise.reject(new Error('busy')))).rejects.toThrow('busy');
    await runCounted(job, async () => undefined);
    expect(written).toEqual([1, 0, 1]);
  });
});
