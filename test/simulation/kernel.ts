// Runs several simulated processes in one thread. Whatever a process waits for (the disk, the queue, the store, a channel, a timer) is a
// task of fast-check's scheduler, which chooses what happens next. A process that crashed is never continued. Code that belongs to no
// simulated process, such as what another test file left behind in this thread, has the real time and the real randomness.
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import timers from 'node:timers/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { Scheduler } from 'fast-check';

export interface SimulatedProcess {
  readonly name: string;
  readonly kernel: Kernel;
  alive: boolean;
  /** What it does when it continues; undefined while it is not stopped. */
  held: (() => void)[] | undefined;
}

interface Timer {
  readonly owner: SimulatedProcess;
  readonly atMs: number;
  readonly everyMs: number | undefined;
  readonly fire: () => void;
  unref(): void;
}

const real = {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  now: performance.now.bind(performance),
  random: Math.random,
  randomUUID: crypto.randomUUID,
  abortAfter: AbortSignal.timeout.bind(AbortSignal),
  sleep: timers.setTimeout,
  nextTurn: timers.setImmediate,
};

/** The process that the code belongs to, across everything it waits for. */
const running = new AsyncLocalStorage<SimulatedProcess>();
const inside = (): Kernel | undefined => running.getStore()?.kernel;
/** The kernel of the run that is under way. */
let active: Kernel | undefined;

export class Kernel {
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

  uuid(): string {
    return `00000000-0000-4000-8000-${String(this.below(2 ** 32)).padStart(12, '0')}`;
  }

  start(name: string): SimulatedProcess {
    return { name, kernel: this, alive: true, held: undefined };
  }

  kill(process: SimulatedProcess): void {
    process.alive = false;
    for (const timer of this.timers) if (timer.owner === process) this.timers.delete(timer);
  }

  /** As SIGSTOP: it still has its locks and its connections. */
  stop(process: SimulatedProcess): void {
    process.held ??= [];
  }

  continue(process: SimulatedProcess): void {
    const { held = [] } = process;
    process.held = undefined;
    for (const each of held) this.as(process, each);
  }

  /** Runs code as a part of the process. */
  as<Result>(process: SimulatedProcess, work: () => Result): Result {
    return running.run(process, work);
  }

  /** The process whose code runs at the moment. */
  get current(): SimulatedProcess {
    const process = running.getStore();
    if (process === undefined) throw new Error('no process runs');
    return process;
  }

  /** Resolves when the scheduler chooses it. It belongs to the process that runs at the moment. */
  point(label: string): Promise<void> {
    const owner = this.current;
    return new Promise((resolve) => {
      const schedule = () =>
        void this.scheduler.schedule(Promise.resolve(), `${owner.name} ${label}`, undefined, async (run) => {
          if (!owner.alive) return;
          await run();
          if (owner.held) owner.held.push(schedule);
          else resolve();
        });
      schedule();
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
  }

  addTimer(fire: () => void, ms: number, everyMs?: number): Timer {
    const timer = { owner: this.current, atMs: this.nowMs + Math.max(1, ms), everyMs, fire, unref: () => undefined };
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
      const [next] = [...this.timers].toSorted((a, b) => a.atMs - b.atMs);
      if (next === undefined) return;
      this.timers.delete(next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      const { owner, everyMs, fire } = next;
      this.as(owner, () => {
        if (everyMs !== undefined) this.addTimer(fire, everyMs, everyMs);
        if (owner.held) owner.held.push(fire);
        else fire();
      });
      this.armClock();
    });
  }
}

export function startKernel(...options: ConstructorParameters<typeof Kernel>): Kernel {
  active = new Kernel(...options);
  return active;
}

type Callback = (...args: unknown[]) => void;

/** What simulated processes get in the place of what Node has. */
const replaced: readonly (readonly [where: object, what: Readonly<Record<string, unknown>>])[] = [
  [
    globalThis,
    {
      setTimeout: (fire: Callback, ms = 0, ...args: unknown[]) =>
        inside()?.addTimer(() => fire(...args), ms) ?? real.setTimeout(fire, ms, ...args),
      setInterval: (fire: Callback, ms = 0, ...args: unknown[]) =>
        inside()?.addTimer(() => fire(...args), ms, ms) ?? real.setInterval(fire, ms, ...args),
      setImmediate: (fire: Callback, ...args: unknown[]) => {
        const kernel = inside();
        return kernel === undefined ? real.setImmediate(fire, ...args) : void kernel.point('next turn').then(fire);
      },
      clearTimeout: (timer: unknown) => clear(timer, real.clearTimeout),
      clearInterval: (timer: unknown) => clear(timer, real.clearInterval),
    },
  ],
  [performance, { now: () => inside()?.nowMs ?? real.now() }],
  [Math, { random: () => (inside()?.below(2 ** 32) ?? real.random() * 2 ** 32) / 2 ** 32 }],
  [AbortSignal, { timeout: abortAfter }],
  [timers, { setTimeout: sleep, setImmediate: nextTurn }],
  [crypto, { randomUUID: () => inside()?.uuid() ?? real.randomUUID() }],
];

/** Gives simulated processes the time and the randomness of their kernel. Returns a function that ends it. */
export function installTime(): () => void {
  const onUncaught = (error: unknown): void => {
    if (active !== undefined) active.failure ??= error;
  };
  const former = replaced.map(([where, what]) => Object.keys(what).map((name) => [name, Reflect.get(where, name)]));
  for (const [where, what] of replaced) Object.assign(where, what);
  syncBuiltinESMExports();
  process.on('unhandledRejection', onUncaught);
  return () => {
    active = undefined;
    for (const [index, [where]] of replaced.entries()) Object.assign(where, Object.fromEntries(former[index] ?? []));
    syncBuiltinESMExports();
    process.off('unhandledRejection', onUncaught);
  };
}

function clear(timer: unknown, otherwise: (timer: undefined) => void): void {
  if (typeof timer === 'object' && timer !== null && 'fire' in timer) active?.removeTimer(timer);
  else otherwise(timer as undefined);
}

function abortAfter(ms: number): AbortSignal {
  const kernel = inside();
  if (kernel === undefined) return real.abortAfter(ms);
  const controller = new AbortController();
  kernel.addTimer(() => controller.abort(new DOMException('timeout', 'TimeoutError')), ms);
  return controller.signal;
}

function nextTurn(): Promise<void> {
  return inside()?.point('next turn') ?? real.nextTurn();
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
