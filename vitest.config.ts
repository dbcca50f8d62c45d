// Three kinds of tests: pure ones need nothing but Node, engine tests need Redis or PostgreSQL, process tests spawn the product.
// A fourth kind checks the repository itself.
import { hash } from 'node:crypto';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { tally } from './test/harness/tally.ts';

const engineTests = 'test/**/*.engines.test.ts';
const processTests = 'test/**/*.process.test.ts';
const realParts = ['./test/harness/engines.ts', './test/harness/built-product.ts'];

if (process.env['CI'] && process.argv.some((word) => word === '-u' || word.startsWith('--update')))
  throw new Error('CI does not write golden files.');

/**
 * The simulation first: it takes the longest, and would be the last. Then one project after the other, because a worker serves one
 * project only; each in an order that means nothing, so that tests that wait for processes run beside tests that compute.
 */
class MixedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const keyOf = ({ moduleId, project }: TestSpecification): string =>
      moduleId.includes('/test/simulation/')
        ? ''
        : `${project.name} ${hash('md5', relative(import.meta.dirname, moduleId))}`;
    return files.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }
}
const isShuffled = process.argv.some((word) => word.startsWith('--sequence.shuffle'));

const isMeasured = process.argv.includes('--mode=times');

export default defineConfig({
  test: {
    ...(isMeasured && { setupFiles: ['./test/harness/measure-file.ts'] }),
    // Three more than the cores of a small machine: many tests wait for a lease, a retry or a process.
    maxWorkers: 5,
    // A worker runs many files and loads the product once, so a file must not leave global state behind.
    isolate: false,
    // Node reads the sources as they are, as it does in production: what it cannot load, no test can.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Young garbage is collected less often, and by one thread: a tenth less processor time.
    pool: 'forks',
    execArgv: ['--max-semi-space-size=32', '--no-parallel-scavenge'],
    // Several of the waits below fit in. A busy machine must not fail a test, and nothing waits for this long when all is well.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    allowOnly: false,
    ...(!isShuffled && { sequence: { sequencer: MixedOrder } }),
    // Golden files are written by `vitest -u` alone, reviewed, and never in CI.
    update: 'none',
    // Scripts that tests spawn from their sources find them compiled, from the second one on.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/slotstream-tests') },
    reporters: ['default', tally],
    projects: [
      {
        extends: true,
        test: { name: 'engines', include: [engineTests, processTests], globalSetup: realParts },
      },
      {
        extends: true,
        test: {
          name: 'pure',
          include: ['test/**/*.test.ts'],
          exclude: [engineTests, processTests],
        },
      },
      // What concerns contributors only: links, settings, the pages of the package. `npm run check`, not `npm test`.
      { extends: true, test: { name: 'repository', include: ['test/**/*.check.ts'] } },
    ],
  },
});
