// Timers that many processes share: each job is done by one of them at a time, at its time, and failures cost nothing but a line.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { createLog } from '#src/observability/log.ts';
import type { Store } from '#src/store/contract.ts';
import {
  endLease,
  failLease,
  holdBack,
  keepLease,
  leaseMs,
  retryDelayMs,
  takeLease,
  type LeaseNeeds,
} from '#src/store/jobs/lease.ts';
import { startSchedules, type Job, type ScheduleNeeds } from '#workers/sync/scheduling/scheduler.ts';
import { happened } from '../../../harness/moments.ts';
import { until } from '../../../harness/ports.ts';
import { availableEngines, freshSqlite, oneEngine, testWith } from '../../../harness/stores.ts';

const startMs = Date.parse('2026-11-15T12:00:00Z');
const hourMs = 3_600_000;
const job = { job: 'sweep', everyMs: hourMs };

/** A clock of the test, and those who look at it. */
function timeFrom(startedMs: number) {
  let nowMs = startedMs;
  return { nowMs: () => nowMs, pass: (ms: number) => void (nowMs += ms) };
}

const holderOn = (store: Store, time: { nowMs: () => number }, holder: string): LeaseNeeds => ({
  store,
  nowMs: time.nowMs,
  holder,
});

/** Pauses end when the test's time has passed them, in real turns of the loop; `onPause` is called once one has begun. */
function needsOf(lease: LeaseNeeds, lines: string[] = [], onPause = (_ms: number): void => {}): ScheduleNeeds {
  const log = createLog({ level: 'info', pretty: false, destination: { write: (line) => void lines.push(line) } });
  const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    const end = lease.nowMs() + ms;
    onPause(ms);
    happened();
    while (lease.nowMs() < end && !signal.aborted) await nextTurn();
  };
  return { ...lease, log, sleep, random: () => 0 };
}

/** A job that ends only when its run is aborted. */
function jobUntilAborted() {
  const running = Promise.withResolvers<readonly [AbortSignal, () => boolean]>();
  const ended = Promise.withResolvers<string>();
  const long: Job = {
    name: 'sweep',
    everyMs: hourMs,
    run: (signal, isHeld) =>
      new Promise((_resolve, reject) => {
        running.resolve([signal, isHeld]);
        signal.addEventListener('abort', () => {
          ended.resolve('ended');
          reject(signal.reason as Error);
        });
      }),
  };
  return { long, running, ended };
}

describe.each(availableEngines)('a lease on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('is given to one of many who ask at once', async ({ opened }) => {
    const time = timeFrom(startMs);
    const holders = await Promise.all(
      Array.from({ length: 4 }, async (_, index) => holderOn(await opened.openAnother(), time, `process ${index}`)),
    );
    const answers = await Promise.all(holders.map((holder) => takeLease(holder, job)));
    expect(answers.filter(({ kind }) => kind === 'taken')).toHaveLength(1);
  });
});

describe.each(oneEngine)('the time of a lease on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('of a dead holder whose clock was ahead is free again after the usual time, not after the difference', async ({
    store,
  }) => {
    const time = timeFrom(startMs);
    const dead = holderOn(store, timeFrom(startMs + 600_000), 'dead');
    const alive = holderOn(store, time, 'alive');
    const often = { ...job, everyMs: 0 };
    expect(await takeLease(dead, often)).toEqual({ kind: 'taken' });
    expect(await takeLease(alive, often)).toMatchObject({ kind: 'wait' });
    time.pass(leaseMs - 1);
    expect(await takeLease(alive, often)).toEqual({ kind: 'wait', untilMs: startMs + leaseMs });
    time.pass(1);
    expect(await takeLease(alive, often)).toEqual({ kind: 'taken' });
    expect(await keepLease(dead, 'sweep')).toBe(false);
    await endLease(dead, 'sweep', startMs);
    expect(await keepLease(alive, 'sweep')).toBe(true);
  });

  it.for(['succeeded', 'failed'])(
    'whose last run %s by a clock a day ahead is due after its usual time',
    async (how, { store }) => {
      const time = timeFrom(startMs);
      const ahead = holderOn(store, timeFrom(startMs + 24 * hourMs), 'ahead');
      const alive = holderOn(store, time, 'alive');
      await takeLease(ahead, job);
      if (how === 'failed') await failLease(ahead, job.job);
      else await endLease(ahead, job.job, ahead.nowMs());
      const waitMs = how === 'failed' ? 5_000 : hourMs;
      for (const passedMs of [0, waitMs / 2]) {
        time.pass(passedMs);
        expect(await takeLease(alive, job)).toEqual({ kind: 'wait', untilMs: startMs + waitMs });
      }
      time.pass(waitMs / 2);
      expect(await takeLease(alive, job)).toEqual({ kind: 'taken' });
    },
  );

  it('of a live holder whose clock is ahead stays with it, as long as it renews', async ({ store }) => {
    const [ahead, time] = [timeFrom(startMs + 600_000), timeFrom(startMs)];
    const [holder, waiting] = [holderOn(store, ahead, 'holder'), holderOn(store, time, 'waiting')];
    const often = { ...job, everyMs: 0 };
    await takeLease(holder, often);
    for (let renewals = 0; renewals < 5; renewals += 1) {
      expect(await takeLease(waiting, often)).toMatchObject({ kind: 'wait' });
      for (const clock of [ahead, time]) clock.pass(leaseMs / 2);
      expect(await keepLease(holder, job.job)).toBe(true);
    }
  });

  it('is due later each time when runs fail, in whichever process, and on time again after a success', async ({
    store,
  }) => {
    const time = timeFrom(startMs);
    const often = { job: 'gap', everyMs: 15_000 };
    const [one, other] = [holderOn(store, time, 'one'), holderOn(store, time, 'other')];
    const pauses: (number | undefined)[] = [];
    for (let run = 0; run < 10; run += 1) {
      const [mine, theirs] = run % 2 === 0 ? [one, other] : [other, one];
      expect(await takeLease(mine, often)).toEqual({ kind: 'taken' });
      const failed = await failLease(mine, 'gap');
      pauses.push(failed?.retryMs);
      expect(await takeLease(theirs, often)).toEqual({
        kind: 'wait',
        untilMs: time.nowMs() + (failed?.retryMs ?? 0),
      });
      time.pass(failed?.retryMs ?? 0);
    }
    expect([pauses[0], pauses[2], pauses.at(-1)]).toEqual([5_000, 20_000, 900_000]);
    await takeLease(one, often);
    await endLease(one, 'gap', time.nowMs());
    expect(await takeLease(other, often)).toEqual({ kind: 'wait', untilMs: time.nowMs() + 15_000 });
    expect(await failLease(other, 'gap')).toBeUndefined();
  });

  it('is held back while an operator runs the job by hand, unless it is under way', async ({ store }) => {
    const time = timeFrom(startMs);
    const [hand, timer] = [holderOn(store, time, 'hand'), holderOn(store, time, 'timer')];
    const held = await holdBack(hand, job.job);
    expect(await takeLease(timer, job)).toMatchObject({ kind: 'wait' });
    await held[Symbol.asyncDispose]();
    expect(await takeLease(timer, job)).toEqual({ kind: 'taken' });
    await (await holdBack(hand, job.job))[Symbol.asyncDispose]();
    expect(await keepLease(timer, job.job)).toBe(true);
  });
});

describe('schedules', () => {
  const it = testWith(freshSqlite);
  const away = (): Promise<never> => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));

  it('run a job again and again, at its period, and log one line a run', async ({ store }) => {
    const time = timeFrom(startMs);
    const lines: string[] = [];
    const ranAt: number[] = [];
    const one: Job = {
      name: 'reconcile',
      everyMs: hourMs,
      run: async () => {
        ranAt.push(time.nowMs());
        return { read: 7 };
      },
    };
    const schedules = startSchedules(needsOf(holderOn(store, time, 'one'), lines), [one]);
    for (let runs = 1; runs <= 3; runs += 1) {
      await until(() => lines.length === runs, 'the job ran');
      time.pass(hourMs);
    }
    await schedules.close();
    expect(ranAt.slice(0, 3)).toEqual([startMs, startMs + hourMs, startMs + 2 * hourMs]);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ job: 'reconcile', read: 7, msg: 'scheduled' });
  });

  it('outlive a job that fails, and try it again soon', async ({ store }) => {
    const time = timeFrom(startMs);
    const lines: string[] = [];
    let runs = 0;
    const failing: Job = {
      name: 'watch',
      everyMs: hourMs,
      async run() {
        runs += 1;
        if (runs === 1) throw new Error('ada@example.test does not answer');
        return undefined;
      },
    };
    const schedules = startSchedules(needsOf(holderOn(store, time, 'one'), lines), [failing]);
    await until(() => lines.length === 1, 'the failure is reported');
    time.pass(10_000);
    await until(() => runs === 2, 'it was tried again');
    await schedules.close();
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', job: 'watch', failures: 1 });
    expect(lines.join('')).not.toContain('ada@');
  });

  it('log the failures of an outage once a minute for all jobs, without a stack', async ({ store }) => {
    const time = timeFrom(startMs);
    const lines: string[] = [];
    const jobs = ['watch', 'gap', 'sweep'].map((name): Job => ({ name, everyMs: 15_000, run: away }));
    const pauses: number[] = [];
    const needs = needsOf(holderOn(store, time, 'one'), lines, (ms) => void pauses.push(ms));
    const schedules = startSchedules(needs, jobs);
    const haveFailed = (times: number) => () =>
      pauses.filter((ms) => ms === retryDelayMs(times)).length === jobs.length;
    await until(haveFailed(1), 'every job failed');
    time.pass(retryDelayMs(1));
    await until(haveFailed(2), 'every job failed again');
    expect(lines).toHaveLength(1);
    time.pass(60_000);
    await until(() => lines.length === 2, 'a minute has passed');
    await schedules.close();
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({
      cause: 'ECONNREFUSED',
      alsoHappened: expect.any(Number) as number,
    });
    expect(lines.join('')).not.toContain('stack');
  });

  it('end a run whose lease was lost, so that two never do the same', async ({ store }) => {
    const time = timeFrom(startMs);
    const { long, running, ended } = jobUntilAborted();
    const one = holderOn(store, time, 'one');
    const schedules = startSchedules(needsOf(one), [long]);
    await running.promise;
    // As when the machine slept so long that another took over.
    await endLease(one, 'sweep', undefined);
    expect(await takeLease(holderOn(store, time, 'other'), job)).toEqual({ kind: 'taken' });
    time.pass(leaseMs);
    expect(await ended.promise).toBe('ended');
    await schedules.close();
  });

  it.for(
    ['refuses', 'does not answer'].flatMap((how) => [
      { how, asks: true },
      { how, asks: false },
    ]),
  )(
    'end a run when its lease is over and the store $how (the job asks for its lease: $asks)',
    async ({ how, asks }, { store }) => {
      const time = timeFrom(startMs);
      let isCut = false;
      const healed = Promise.withResolvers<void>();
      const cut = (): Promise<never> => (how === 'refuses' ? away() : healed.promise.then(away));
      const cutOff: Store = { ...store, transaction: (work) => (isCut ? cut() : store.transaction(work)) };
      const { long, running, ended } = jobUntilAborted();
      const schedules = startSchedules(needsOf(holderOn(cutOff, time, 'one')), [long]);
      const [signal, isHeld] = await running.promise;
      isCut = true;
      time.pass(leaseMs - 1);
      for (let turns = 0; turns < 50; turns += 1) await nextTurn();
      expect(signal.aborted).toBe(false);
      if (asks) expect(isHeld()).toBe(true);
      time.pass(1);
      // At once, before any timer comes round.
      if (asks) expect([isHeld(), signal.aborted]).toEqual([false, true]);
      expect(await ended.promise).toBe('ended');
      expect(await takeLease(holderOn(store, time, 'other'), job)).toEqual({ kind: 'taken' });
      healed.resolve();
      await schedules.close();
    },
  );

  it('take over what a process that closes gives back, long before its lease would have expired', async ({ store }) => {
    const time = timeFrom(startMs);
    const [closing, waiting] = [jobUntilAborted(), jobUntilAborted()];
    const lines: string[] = [];
    const first = startSchedules(needsOf(holderOn(store, time, 'first'), lines), [closing.long]);
    await closing.running.promise;
    const needs = needsOf(holderOn(store, time, 'second'));
    const asked = Promise.withResolvers<void>();
    const sleep = (ms: number, signal: AbortSignal): Promise<void> => {
      if (ms > 0) asked.resolve();
      return needs.sleep(ms, signal);
    };
    const second = startSchedules({ ...needs, sleep }, [waiting.long]);
    await asked.promise;
    await first.close();
    // The end of a process in the middle of a run is no failure.
    expect(lines).toEqual([]);
    time.pass(leaseMs / 3);
    await waiting.running.promise;
    await second.close();
  });
});
