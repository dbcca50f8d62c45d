// Runs several simulated processes in one thread. Whatever a process waits for (the disk, the queue, the store, a channel, a timer) is a
// task of fast-check's scheduler, which chooses what happens next. A process that crashed is never continued.
import timers from 'node:timers/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { Scheduler } from 'fast-check';

export interface SimulatedProcess {
  readonly name: string;
  alive: boolean;
}

interface Timer {
  readonly owner: SimulatedProcess;
  readonly atMs: number;
  readonly everyMs: number | undefined;
  readonly fire: () => void;
  unref(): void;
}

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  now: performance.now.bind(performance),
  abortAfter: AbortSignal.timeout.bind(AbortSignal),
  sleep: timers.setTimeout,
  nextTurn: timers.setImmediate,
};

/** The kernel of the run that is under way; tests in the same thread that run meanwhile have the real time. */
let active: Kernel | undefined;
const inside = (): Kernel | undefined => (active?.current === undefined ? undefined : active);

export class Kernel {
  /** The process whose code runs at the moment; undefined while the test itself does. */
  current: SimulatedProcess | undefined;
  nowMs: number;
  /** The first error that nothing in a process has caught. */
  failure: unknown;
  private readonly scheduler: Scheduler;
  private readonly timers = new Set<Timer>();
  private isClockArmed = false;
  private random: number;

  constructor(scheduler: Scheduler, { startMs, seed }: { readonly startMs: number; readonly seed: number }) {
    this.scheduler = scheduler;
    this.nowMs = startMs;
    this.random = seed;
  }

  /** A whole number below `limit`, from the seed of the run. */
  below(limit: number): number {
    this.random = (Math.imul(this.random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.random / 2 ** 32) * limit);
  }

  start(name: string): SimulatedProcess {
    return { name, alive: true };
  }

  kill(process: SimulatedProcess): void {
    process.alive = false;
    for (const timer of this.timers) if (timer.owner === process) this.timers.delete(timer);
  }

  /** Runs code as a part of the process. */
  as<Result>(process: SimulatedProcess, work: () => Result): Result {
    const before = this.current;
    this.current = process;
    try {
      return work();
    } finally {
      this.current = before;
    }
  }

  /** Resolves when the scheduler chooses it. It belongs to the process that runs at the moment. */
  point(label: string): Promise<void> {
    const owner = this.current;
    if (owner === undefined) throw new Error(`${label}: no process runs`);
    return new Promise((resolve) => {
      void this.scheduler.schedule(Promise.resolve(), `${owner.name} ${label}`, undefined, async (run) => {
        if (!owner.alive) return;
        this.current = owner;
        await run();
        resolve();
      });
    });
  }

  /** Only time can pass. */
  get isQuiet(): boolean {
    return this.isClockArmed && this.scheduler.count() === 1;
  }

  /** Lets one task happen, and what follows from it at once. False when nothing can happen any more. */
  async step(): Promise<boolean> {
    if (this.scheduler.count() === 0) return false;
    await this.scheduler.waitOne();
    await this.settle();
    if (this.failure !== undefined) throw this.failure;
    return true;
  }

  /** Every microtask has run by then. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => void real.setImmediate(resolve));
    this.current = undefined;
  }

  addTimer(fire: () => void, ms: number, everyMs?: number): Timer {
    const owner = this.current;
    if (owner === undefined) throw new Error('no process runs');
    const timer = { owner, atMs: this.nowMs + Math.max(1, ms), everyMs, fire, unref: () => undefined };
    this.timers.add(timer);
    this.armClock();
    return timer;
  }

  removeTimer(timer: unknown): void {
    this.timers.delete(timer as Timer);
  }

  /** One task stands for the clock, so that time passes slowly compared with the disk and the queue. */
  private armClock(): void {
    if (this.isClockArmed || this.timers.size === 0) return;
    this.isClockArmed = true;
    void this.scheduler.schedule(Promise.resolve(), 'clock', undefined, async (run) => {
      await run();
      this.isClockArmed = false;
      let next: Timer | undefined;
      for (const timer of this.timers) if (next === undefined || timer.atMs < next.atMs) next = timer;
      if (next === undefined) return;
      this.timers.delete(next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      this.current = next.owner;
      if (next.everyMs !== undefined) this.addTimer(next.fire, next.everyMs, next.everyMs);
      next.fire();
      this.armClock();
    });
  }
}

export function startKernel(...options: ConstructorParameters<typeof Kernel>): Kernel {
  active = new Kernel(...options);
  return active;
}

type Callback = (...args: unknown[]) => void;

/** Gives simulated processes the time of their kernel. Returns a function that ends it. */
export function installTime(): () => void {
  const wrapped = (fire: Callback, args: unknown[]) => () => fire(...args);
  const patched = {
    setTimeout: (fire: Callback, ms = 0, ...args: unknown[]) =>
      inside()?.addTimer(wrapped(fire, args), ms) ?? real.setTimeout(fire, ms, ...args),
    setInterval: (fire: Callback, ms = 0, ...args: unknown[]) =>
      inside()?.addTimer(wrapped(fire, args), ms, ms) ?? real.setInterval(fire, ms, ...args),
    setImmediate: (fire: Callback, ...args: unknown[]) => {
      const kernel = inside();
      return kernel === undefined ? real.setImmediate(fire, ...args) : void kernel.point('next turn').then(fire);
    },
    clearTimeout: (timer: unknown) => clear(timer, real.clearTimeout),
    clearInterval: (timer: unknown) => clear(timer, real.clearInterval),
  };
  const onUncaught = (error: unknown): void => {
    if (active !== undefined) active.failure ??= error;
  };
  Object.assign(globalThis, patched);
  performance.now = () => inside()?.nowMs ?? real.now();
  AbortSignal.timeout = (ms) => {
    const kernel = inside();
    if (kernel === undefined) return real.abortAfter(ms);
    const controller = new AbortController();
    kernel.addTimer(() => controller.abort(new DOMException('timeout', 'TimeoutError')), ms);
    return controller.signal;
  };
  Object.assign(timers, { setTimeout: sleep, setImmediate: nextTurn });
  syncBuiltinESMExports();
  process.on('unhandledRejection', onUncaught);
  return () => {
    active = undefined;
    const { now, abortAfter, sleep: realSleep, nextTurn: realNextTurn, ...globals } = real;
    Object.assign(globalThis, globals);
    performance.now = now;
    AbortSignal.timeout = abortAfter;
    Object.assign(timers, { setTimeout: realSleep, setImmediate: realNextTurn });
    syncBuiltinESMExports();
    process.off('unhandledRejection', onUncaught);
  };
}

function clear(timer: unknown, otherwise: (timer: undefined) => void): void {
  if (typeof timer === 'object' && timer !== null && 'fire' in timer) active?.removeTimer(timer);
  else otherwise(timer as undefined);
}

function sleep<Value>(ms = 0, value?: Value, options: { readonly signal?: AbortSignal } = {}): Promise<Value> {
  const kernel = inside();
  if (kernel === undefined) return real.sleep(ms, value as Value, options);
  const { signal } = options;
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      kernel.removeTimer(timer);
      reject(new DOMException('aborted', 'AbortError'));
    };
    const timer = kernel.addTimer(() => {
      signal?.removeEventListener('abort', aborted);
      resolve(value as Value);
    }, ms);
    if (signal?.aborted) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
}

const nextTurn = (): Promise<void> => inside()?.point('next turn') ?? real.nextTurn();
