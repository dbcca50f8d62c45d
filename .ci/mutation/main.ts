// Mutation testing of the pure core: changes the code in small ways and sees whether a test fails.
//
//   npm run mutation                                   every file
//   npm run mutation -- workers/fold/projections/merge.ts   this file
import { availableParallelism } from 'node:os';

interface Mutant {
  readonly status: string;
}

/** It is installed in this folder, by `npm run mutation` alone: the compiler does not find its types. */
const tool: string = '@stryker-mutator/core';
const { Stryker } = (await import(tool)) as {
  readonly Stryker: new (options: object) => { runMutationTest(): Promise<readonly Mutant[]> };
};

/** Each file, the tests that must notice every change of it, and how many mutants may survive. */
const core: Readonly<Record<string, { readonly tests: string; readonly explained: number }>> = {
  'src/signing/signature.ts': { tests: 'test/src/signing/signature.test.ts', explained: 11 },
  'src/subscriptions/desired.ts': { tests: 'test/src/subscriptions/{plan,plan-property}.test.ts', explained: 4 },
  'src/subscriptions/plan.ts': { tests: 'test/src/subscriptions/{plan,plan-property}.test.ts', explained: 1 },
  'workers/fold/projections/version.ts': { tests: 'test/workers/fold/projections/version.test.ts', explained: 0 },
  'workers/fold/projections/no-show.ts': { tests: 'test/workers/fold/projections/no-show.test.ts', explained: 4 },
  'workers/fold/projections/merge.ts': {
    tests: 'test/workers/fold/projections/{merge-effects,merge-property}.test.ts',
    explained: 7,
  },
  'workers/fold/pipeline/parse.ts': { tests: 'test/workers/fold/pipeline/parse.test.ts', explained: 7 },
  'workers/fold/pipeline/bisect.ts': { tests: 'test/workers/fold/pipeline/bisect.test.ts', explained: 0 },
  'workers/fold/pipeline/fold.ts': {
    tests: 'test/workers/fold/pipeline/fold.engines.test.ts test/src/store/bookings/booking-invitees.engines.test.ts',
    explained: 4,
  },
  'workers/fold/pipeline/screen.ts': { tests: 'test/workers/fold/pipeline/fold.engines.test.ts', explained: 0 },
  'workers/fold/privacy/screen.ts': { tests: 'test/workers/fold/privacy/screen.engines.test.ts', explained: 6 },
  'workers/fold/privacy/late-facts.ts': { tests: 'test/workers/fold/privacy/screen.engines.test.ts', explained: 3 },
  'workers/fold/privacy/redact-fact.ts': { tests: 'test/workers/fold/privacy/redact-fact.test.ts', explained: 8 },
  'workers/fold/privacy/redact-mentions.ts': {
    tests: 'test/workers/fold/privacy/redact-mentions.test.ts',
    explained: 1,
  },
  'workers/out/alerts/rules/filter.ts': { tests: 'test/workers/out/alerts/rules/filter.test.ts', explained: 0 },
  'workers/out/alerts/rules/subject.ts': {
    tests: 'test/workers/out/alerts/rules/subject.engines.test.ts',
    explained: 0,
  },
  'workers/out/alerts/rules/rule.ts': {
    tests: 'test/workers/out/alerts/rules/{rule,ruleset-settings}.test.ts',
    explained: 0,
  },
  'workers/out/alerts/rules/ruleset.ts': {
    tests: 'test/workers/out/alerts/rules/{ruleset,ruleset-settings}.test.ts',
    explained: 2,
  },
  'workers/out/alerts/rules/to-host.ts': {
    tests: 'test/workers/out/alerts/rules/{filter,ruleset,ruleset-settings}.test.ts',
    explained: 2,
  },
};

const wanted = process.argv.slice(2);
const table = ['| file | mutants | killed | survived | score |', '|---|---|---|---|---|'];

for (const [path, { tests, explained }] of Object.entries(core)) {
  if (wanted.length > 0 && !wanted.includes(path)) continue;
  process.env['MUTATION_TESTS'] = tests;
  const results = await new Stryker({
    mutate: [path],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: '.ci/mutation/vitest.config.ts', related: false },
    // Stryker would read it with a compiler API that TypeScript 7 does not have.
    tsconfigFile: 'none',
    concurrency: Math.max(1, availableParallelism() - 1),
    // A busy machine must not be taken for an endless loop.
    timeoutMS: 30_000,
    incremental: true,
    incrementalFile: `build/mutation/${path.replaceAll('/', '.')}.json`,
    tempDirName: 'build/mutation/sandbox',
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { logTests: false, reportTests: false, reportScoreTable: false },
  }).runMutationTest();
  const survived = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage').length;
  const killed = results.length - survived;
  const score = ((100 * killed) / results.length).toFixed(1);
  table.push(`| \`${path}\` | ${results.length} | ${killed} | ${survived} | ${score} % |`);
  if (survived > explained) process.exitCode = 1;
}
console.log(table.join('\n'));
if (process.exitCode === 1)
  console.error('More mutants survive than docs/proof/testing.md explains: see the list above.');
