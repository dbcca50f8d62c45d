// How many cases a property test tries. The normal run is repeatable: a fixed seed and a fixed number of cases, all of which must
// hold before the test times out. FUZZ_RUNS=20 tries twenty times as many, from a random seed. fast-check prints the seed and the
// number of cases of a failure; FUZZ_SEED=<seed> starts from that seed again. Mutation testing tries fewer.
const factor = Number(process.env['FUZZ_RUNS'] ?? 0);
/** With FUZZ_RUNS, tests of whole processes run on every engine instead of one each. */
export const isLongRun = factor > 0;
const givenSeed = process.env['FUZZ_SEED'];
const fixedSeed = 20_250_414;

/** The second argument of every `fc.assert`. There is no time limit, because fast-check calls an interrupted property a success. */
export function runs(count: number): { numRuns: number; seed?: number } {
  const numRuns = Math.ceil(count * (factor || 1));
  if (givenSeed !== undefined) return { numRuns, seed: Number(givenSeed) };
  return factor > 0 ? { numRuns } : { numRuns, seed: fixedSeed };
}

/** The time-out of a test that tries them. */
export const propertyTimeoutMs = 300_000 * Math.max(1, factor);
