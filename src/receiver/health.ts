// Readiness of this process: the state of every engine by name. Anyone can request it, so the result is cached for a second and a
// flood of requests costs one check of the engines.
import { withTimeout } from '#src/base/timeout.ts';

/** Resolves when the engine responds. */
export type EngineCheck = () => Promise<unknown>;
export type EngineState = 'up' | 'down';

export interface Readiness {
  readonly ready: boolean;
  readonly stopping: boolean;
  readonly engines: Readonly<Record<string, EngineState>>;
}

export interface Health {
  readiness(): Promise<Readiness>;
  /** From now on the process is not ready, whatever the engines respond: the first step of the shutdown. */
  stop(): void;
}

const cacheMs = 1000;
const timeoutMs = 2000;

export function createHealth(needs: {
  readonly checks: Readonly<Record<string, EngineCheck>>;
  clock(): number;
}): Health {
  let stopping = false;
  let cached: { readonly at: number; readonly engines: Promise<Record<string, EngineState>> } | undefined;

  function engines(): Promise<Record<string, EngineState>> {
    const now = needs.clock();
    if (!cached || Math.abs(now - cached.at) >= cacheMs) cached = { at: now, engines: checkAll(needs.checks) };
    return cached.engines;
  }

  return {
    async readiness() {
      const states = await engines();
      const allUp = Object.values(states).every((state) => state === 'up');
      return { ready: allUp && !stopping, stopping, engines: states };
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
