// The path of a delivery, from the intake to the alert, in one process under fast-check's scheduler: docs/proof/testing.md describes it.
import fc from 'fast-check';
import { afterAll, beforeAll, it } from 'vitest';
import type { Ruleset } from '#workers/out/alerts/rules/ruleset.ts';
import { rulesOf } from '../harness/alerts/watched-rules.ts';
import { isLongRun, propertyTimeoutMs, runs } from '../harness/runs.ts';
import { freshMemory, type TestStore } from '../harness/stores.ts';
import oracleRules from '../oracle/alert-rules.json' with { type: 'json' };
import { installTime } from './kernel.ts';
import { adoptingPlans, damagingPlans, plans, type Plan } from './plan.ts';
import { World } from './world.ts';

/** Interleavings that failed once. A change of the plans or of the simulated processes gives a seed another meaning. */
const regressions: readonly { readonly seed: number; readonly path: string; readonly found: string }[] = [];

const simulatedRules = ['missed', 'again', 'late', 'acme'];
let opened: TestStore;
let rules: Ruleset;
let restoreTime: () => void;

beforeAll(async () => {
  opened = await freshMemory();
  rules = await rulesOf(...oracleRules.rules.filter(({ name }) => simulatedRules.includes(name)));
  restoreTime = installTime();
});
afterAll(async () => {
  restoreTime();
  await opened[Symbol.asyncDispose]();
});

let interleavings = 0;
const everything = (some: fc.Arbitrary<Plan>) =>
  fc.asyncProperty(fc.scheduler(), some, async (scheduler, plan) => {
    interleavings += 1;
    await new World(scheduler, plan, { store: opened.store, rules }).run();
  });
const holds = (options: fc.Parameters<[fc.Scheduler, Plan]>, some = plans) => fc.assert(everything(some), options);

it(
  'every acknowledged delivery is in the log once, rows and alerts follow from it, and nothing is left on disk, whatever fails and crashes',
  async () => {
    const began = process.threadCpuUsage();
    // A long run reports the seed at once; shrinking takes minutes.
    for (const [some, count] of [[plans, 150] as const, [adoptingPlans, 30] as const, [damagingPlans, 30] as const])
      await holds({ ...runs(count), endOnFailure: isLongRun }, some);
    const { user, system } = process.threadCpuUsage(began);
    const perMinute = Math.round(interleavings / ((user + system) / 60e6));
    process.stdout.write(`simulation: ${interleavings} interleavings, ${perMinute} per minute of processor time\n`);
  },
  propertyTimeoutMs,
);

it.each(regressions)('holds where it once failed: $found', ({ seed, path }) =>
  holds({ seed, path, endOnFailure: true, numRuns: 1 }),
);
