// The sandbox's clock: real time plus what it was advanced by. Signatures use real time.
import { setTimeout as wait } from 'node:timers/promises';

export type Clock = ReturnType<typeof createClock>;

/** UTC, six fractional digits; text order is time order. */
export function instantOf(ms: number): string {
  return instantOfMicros(ms * 1000);
}

// Thousands of instants of the same millisecond are written when many deliveries are made.
let latest = { ms: 0, text: new Date(0).toISOString().slice(0, -1) };

export function instantOfMicros(micros: number): string {
  const ms = Math.floor(micros / 1000);
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString().slice(0, -1) };
  return `${latest.text}${String(micros % 1000).padStart(3, '0')}Z`;
}

export const secondMs = 1000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The beginning of the day (UTC) of this time. */
export const beginningOfDay = (ms: number): number => Math.floor(ms / dayMs) * dayMs;

export function createClock(realMs: () => number) {
  let offsetMs = 0;
  let lastMicros = 0;
  const listeners: (() => void)[] = [];
  const nowMs = (): number => realMs() + offsetMs;
  return {
    nowMs,
    /** The current time as text. Every call returns a later one, so that no two facts share an instant. */
    tick: (): string => {
      lastMicros = Math.max(nowMs() * 1000, lastMicros + 1);
      return instantOfMicros(lastMicros);
    },
    advance: (ms: number): void => {
      offsetMs += ms;
      for (const listener of listeners) listener();
    },
    onAdvance: (listener: () => void) => void listeners.push(listener),
  };
}

/** Sleeps in real time; ends early, without an error, when `signal` aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal === undefined ? undefined : { signal }).catch(() => undefined);
}
