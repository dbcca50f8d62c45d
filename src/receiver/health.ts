// The health of this process as seen from outside: its readiness, and the self-test delivery of `doctor`.
import { withTimeout } from '#src/base/timeout.ts';

/** Resolves when the engine responds. */
export type EngineCheck = () => Promise<unknown>;
export type EngineState = 'up' | 'down';

export interface Readiness {
  readonly ready: boolean;
  readonly stopping: boolean;
  readonly engines: Readonly<Record<string, EngineState>>;
}

/** Anyone can request it, so the result is cached for a second: a flood of requests costs one check of the engines. */
export interface Health {
  readiness(): Promise<Readiness>;
  /** Adds something without which the process is not ready. */
  add(name: string, check: EngineCheck): void;
  /** From now on the process is not ready, whatever the engines respond: the first step of the shutdown. */
  stop(): void;
}

const cacheMs = 1000;
const timeoutMs = 2000;

export function createHealth(needs: {
  readonly checks: Readonly<Record<string, EngineCheck>>;
  clock(): number;
}): Health {
  const checks = { ...needs.checks };
  let stopping = false;
  let cached: { readonly at: number; readonly engines: Promise<Record<string, EngineState>> } | undefined;

  function engines(): Promise<Record<string, EngineState>> {
    const now = needs.clock();
    if (!cached || Math.abs(now - cached.at) >= cacheMs) cached = { at: now, engines: checkAll(checks) };
    return cached.engines;
  }

  return {
    async readiness() {
      const states = await engines();
      const allUp = Object.values(states).every((state) => state === 'up');
      return { ready: allUp && !stopping, stopping, engines: states };
    },
    add(name, check) {
      checks[name] = check;
    },
    stop() {
      stopping = true;
    },
  };
}

async function checkAll(checks: Readonly<Record<string, EngineCheck>>): Promise<Record<string, EngineState>> {
  const states = Object.entries(checks).map(async ([name, check]): Promise<[string, EngineState]> => {
    try {
      await withTimeout(check(), timeoutMs);
      return [name, 'up'];
    } catch {
      return [name, 'down'];
    }
  });
  return Object.fromEntries(await Promise.all(states));
}

/**
 * The body of the delivery that `doctor` sends to this process, signed. The service never sends these bytes, so the receiver
 * responds to them without queueing: `doctor` checks the public address and the signing key without leaving a trace in the log.
 */
export const selfTestBody = Buffer.from('{"event":"slotstream.self_test"}');
export const selfTestTitle = 'Self-Test';

/** Call it only with a verified body. */
export function isSelfTest(body: Buffer): boolean {
  return body.length === selfTestBody.length && body.equals(selfTestBody);
}
