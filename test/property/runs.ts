// How many histories a property is tried on: FUZZ_RUNS=20 tries twenty times as many.
const factor = Number(process.env['FUZZ_RUNS'] ?? 1);

export function runs(count: number): { numRuns: number; endOnFailure: boolean } {
  return { numRuns: Math.ceil(count * factor), endOnFailure: false };
}
