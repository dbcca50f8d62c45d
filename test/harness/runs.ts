// How many histories a property is tried on, and for how long: FUZZ_RUNS=20 tries twenty times as many.
const factor = Math.max(1, Number(process.env['FUZZ_RUNS'] ?? 1));

/** A busy machine tries fewer histories, rather than failing for want of time. */
export function runs(count: number): { numRuns: number; interruptAfterTimeLimit: number } {
  return { numRuns: Math.ceil(count * factor), interruptAfterTimeLimit: 7_000 * factor };
}

/** The time-out of a test that tries them. */
export const patienceMs = 60_000 * factor;
