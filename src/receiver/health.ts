// Whether this process should be sent work: every engine by name. The public may ask, so an answer is kept for a second
// and a flood of questions is one question to the engines.
import { withTimeout } from '#src/base/timeout.ts';

/** Resolves when the engine answers. */
export type EngineCheck = () => Promise<unknown>;
export type EngineState = 'up' | 'down';

export interface Readiness {
  readonly ready: boolean;
  readonly stopping: boolean;
  readonly engines: Readonly<Record<string, EngineState>>;
}

export interface Health {
  readiness(): Promise<Readiness>;
  /** From now on not ready, whatever the engines say: the first step of going away. */
  stop(): void;
}

const keptMs = 1000;
const deadlineMs = 2000;

export function createHealth(needs: {
  readonly checks: Readonly<Record<string, EngineCheck>>;
  clock(): number;
}): Health {
  let stopping = false;
  let kept: { readonly at: number; readonly engines: Promise<Record<string, EngineState>> } | undefined;

  function engines(): Promise<Record<string, EngineState>> {
    const now = needs.clock();
    if (!kept || Math.abs(now - kept.at) >= keptMs) kept = { at: now, engines: askAll(needs.checks) };
    return kept.engines;
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

async function askAll(checks: Readonly<Record<string, EngineCheck>>): Promise<Record<string, EngineState>> {
  const asked = Object.entries(checks).map(async ([name, check]): Promise<[string, EngineState]> => {
    try {
      await withTimeout(check(), deadlineMs);
      return [name, 'up'];
    } catch {
      return [name, 'down'];
    }
  });
  return Object.fromEntries(await Promise.all(asked));
}
