// Mutation testing of the pure core: changes the code in small ways and sees whether a test fails. docs/testing.md explains what survives.
//
//   npm run mutation                                             all areas
//   npm run mutation -- signing workers/projections/merge.ts     these areas and files
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';

/** The code of an area, and the tests that must notice every change of it. */
const areas = {
  signing: { code: ['src/signing/signature.ts'], tests: 'test/src/signing/signature.test.ts' },
  plan: {
    code: ['src/subscriptions/plan.ts', 'src/subscriptions/desired.ts'],
    tests: 'test/src/subscriptions/{plan,plan-property}.test.ts',
  },
  merge: {
    code: ['merge', 'version', 'no-show'].map((name) => `workers/projections/${name}.ts`),
    tests: 'test/workers/projections/{merge,merge-property,version,no-show}.test.ts',
  },
  pipeline: {
    code: ['bisect', 'fold', 'parse', 'screen'].map((name) => `workers/pipeline/${name}.ts`),
    tests: 'test/workers/pipeline/{bisect,parse,fold.engines,ingest.engines,quarantine.engines}.test.ts',
  },
  rules: {
    code: ['filter', 'rule', 'ruleset', 'to-host'].map((name) => `workers/alerts/rules/${name}.ts`),
    tests: 'test/workers/alerts/rules/{filter,ruleset}.test.ts',
  },
  screen: {
    code: ['screen', 'late-facts', 'redact-fact'].map((name) => `workers/privacy/${name}.ts`),
    tests: 'test/workers/privacy/{erase.engines,erase-forms.engines,erase-races.engines}.test.ts',
  },
};

/** How many mutants survive and are explained in docs/testing.md. */
const explained: Readonly<Record<string, number>> = {};

const wanted = process.argv.slice(2);
const table = ['| file | mutants | killed | survived | score |', '|---|---|---|---|---|'];

for (const [area, { code, tests }] of Object.entries(areas)) {
  const mutate = code.filter((path) => wanted.length === 0 || [area, path].some((name) => wanted.includes(name)));
  if (mutate.length === 0) continue;
  process.env['MUTATION_TESTS'] = tests;
  const results = await new Stryker({
    mutate,
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: '.ci/mutation.config.ts', related: false },
    // Stryker would read it with a compiler API that TypeScript 7 does not have.
    tsconfigFile: 'none',
    concurrency: Math.max(1, availableParallelism() - 1),
    // A busy machine must not be taken for an endless loop.
    timeoutMS: 30_000,
    incremental: true,
    incrementalFile: `build/mutation/${area}.json`,
    tempDirName: 'build/mutation/sandbox',
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { logTests: false, reportTests: false },
  }).runMutationTest();
  for (const path of mutate) {
    const own = results.filter(({ fileName, status }) => relative('.', fileName) === path && status !== 'Ignored');
    const survived = own.filter(({ status }) => status === 'Survived' || status === 'NoCoverage').length;
    const killed = own.length - survived;
    const score = `${((100 * killed) / own.length).toFixed(1)} %`;
    table.push(`| \`${path}\` | ${own.length} | ${killed} | ${survived} | ${score} |`);
    if (survived > (explained[path] ?? 0)) process.exitCode = 1;
  }
}
console.log(table.join('\n'));
if (process.exitCode === 1) console.error('More mutants survive than docs/testing.md explains: see the list above.');
