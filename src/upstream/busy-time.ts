// Adds up the time in which at least one thing was going on: two calls at once are not waited for twice.

export interface Stopwatch {
  during<Value>(run: () => Promise<Value>): Promise<Value>;
  readonly elapsedMs: number;
}

export function createStopwatch(nowMs: () => number): Stopwatch {
  let running = 0;
  let sinceMs = 0;
  let doneMs = 0;
  return {
    async during(run) {
      if (running === 0) sinceMs = nowMs();
      running += 1;
      try {
        return await run();
      } finally {
        running -= 1;
        if (running === 0) doneMs += nowMs() - sinceMs;
      }
    },
    get elapsedMs() {
      return running === 0 ? doneMs : doneMs + nowMs() - sinceMs;
    },
  };
}
