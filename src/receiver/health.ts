// The health of this process as seen from outside: its readiness.
import { SlotstreamError } from '#src/base/errors.ts';
import { withTimeout } from '#src/base/timeout.ts';
import type { QueueCircuit } from './queue-circuit.ts';
import type { DiskLog } from './disk-log/disk-log.ts';

/** Resolves when the engine responds. */
export type EngineCheck = () => Promise<unknown>;
export type EngineState = 'up' | 'down';
export type Fallback = () => Promise<boolean>;

interface Engine {
  readonly check: EngineCheck;
  readonly fallback: Fallback | undefined;
}

/** The state of an engine, and whether the process can do its work. */
interface CheckedEngine {
  readonly state: EngineState;
  readonly isServed: boolean;
  readonly takesDeliveries: boolean;
}

/** `degraded`: an engine is down, and the process goes on without it. */
export type ReadyStatus = 'ready' | 'degraded' | 'not_ready';

export interface Readiness {
  /** Whether the process does all of its work: the admin listener reports it. */
  readonly status: ReadyStatus;
  /** Whether a delivery would be accepted: the public listener reports it. */
  readonly deliveries: ReadyStatus;
  readonly stopping: boolean;
  readonly engines: Readonly<Record<string, EngineState>>;
}

/** Anyone can request it, so the result is cached for a second: a flood of requests costs one check of the engines. */
export interface Health {
  readiness(): Promise<Readiness>;
  /**
   * Adds or replaces something without which the process is not ready. With a fallback it is only degraded, as long as the fallback
   * resolves to true. What has a fallback is on the way of a delivery; without the others, deliveries are accepted and wait.
   */
  add(name: string, check: EngineCheck, fallback?: Fallback): void;
  /** From now on the process is not ready, whatever the engines respond: the first step of the shutdown. */
  stop(): void;
}

const cacheMs = 1000;
const timeoutMs = 2000;

export function createHealth(needs: {
  readonly checks: Readonly<Record<string, EngineCheck>>;
  clock(): number;
}): Health {
  const engines = new Map<string, Engine>();
  for (const [name, check] of Object.entries(needs.checks)) engines.set(name, { check, fallback: undefined });
  let stopping = false;
  let cached: { readonly at: number; readonly checked: Promise<ReadonlyMap<string, CheckedEngine>> } | undefined;

  function checked(): Promise<ReadonlyMap<string, CheckedEngine>> {
    const now = needs.clock();
    if (!cached || Math.abs(now - cached.at) >= cacheMs) cached = { at: now, checked: checkAll(engines) };
    return cached.checked;
  }

  return {
    async readiness() {
      const all = await checked();
      const states = Object.fromEntries([...all].map(([name, { state }]) => [name, state]));
      const found = [...all.values()];
      return {
        status: stopping ? 'not_ready' : statusOf(found, ({ isServed }) => isServed),
        deliveries: stopping ? 'not_ready' : statusOf(found, ({ takesDeliveries }) => takesDeliveries),
        stopping,
        engines: states,
      };
    },
    add(name, check, fallback) {
      engines.set(name, { check, fallback });
    },
    stop() {
      stopping = true;
    },
  };
}

/**
 * The way of a delivery. It is accepted while the disk log writes; and, unless every batch must be written, while the queue answers and
 * its circuit is not open: a probing one has to be sent a delivery. Returns this rule, for disks that are almost full.
 */
export function addDeliveryHealth(
  health: Pick<Health, 'add'>,
  {
    circuit,
    diskLog,
  }: {
    readonly circuit: Pick<QueueCircuit, 'state' | 'ping'>;
    readonly diskLog: Pick<DiskLog, 'canWrite' | 'writesEvery'>;
  },
): Fallback {
  const queueTakes = async () => circuit.state() !== 'open' && resolves(circuit.ping);
  const accepts = async () => {
    // Deliveries should go to a receiver whose QUEUE_URL is right.
    if (circuit.state() === 'other') return false;
    return (await diskLog.canWrite()) || (!diskLog.writesEvery && (await queueTakes()));
  };
  health.add(
    'queue',
    async () => {
      // Until a batch succeeds: a probing circuit only means that the next one is tried.
      if (circuit.state() !== 'closed')
        throw new SlotstreamError('queue_unavailable', 'The queue refused the last batch.');
      await circuit.ping();
    },
    accepts,
  );
  health.add(
    'disk_log',
    async () => {
      if (!(await diskLog.canWrite())) throw new SlotstreamError('queue_unavailable', 'The disk log takes no batches.');
    },
    accepts,
  );
  return accepts;
}

function statusOf(engines: readonly CheckedEngine[], works: (engine: CheckedEngine) => boolean): ReadyStatus {
  if (engines.every(({ state }) => state === 'up')) return 'ready';
  return engines.every(works) ? 'degraded' : 'not_ready';
}

async function checkAll(engines: ReadonlyMap<string, Engine>): Promise<ReadonlyMap<string, CheckedEngine>> {
  const checked = [...engines].map(async ([name, engine]): Promise<[string, CheckedEngine]> => {
    if (await resolves(engine.check)) return [name, { state: 'up', isServed: true, takesDeliveries: true }];
    const { fallback } = engine;
    if (fallback === undefined) return [name, { state: 'down', isServed: false, takesDeliveries: true }];
    const isServed = await withTimeout(fallback(), timeoutMs).catch(() => false);
    return [name, { state: 'down', isServed, takesDeliveries: isServed }];
  });
  return new Map(await Promise.all(checked));
}

async function resolves(check: EngineCheck): Promise<boolean> {
  try {
    await withTimeout(check(), timeoutMs);
    return true;
  } catch {
    return false;
  }
}
