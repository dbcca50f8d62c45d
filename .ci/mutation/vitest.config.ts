// The tests that decide about a mutant: those of its area, each file by itself, with SQLite as the only engine.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Examples first: most mutants fail one of them at once, and the run stops at the first failure. */
class ExamplesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const cost = ({ moduleId }: TestSpecification): number => Number(/property|engines/.test(moduleId));
    return files.toSorted((a, b) => cost(a) - cost(b));
  }
}

/** In Stryker's copy of the repository, and removed with it. */
const templateFolder = mkdtempSync(join(import.meta.dirname, 'templates-'));

export default defineConfig({
  test: {
    include: (process.env['MUTATION_TESTS'] ?? '').split(' '),
    sequence: { sequencer: ExamplesFirst },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A mutant that survives runs every case of every property.
    env: { FUZZ_RUNS: '0.1', FUZZ_SEED: '20250414' },
    // Suites of other engines skip themselves.
    provide: { redisUrl: '', postgresUrl: '', templateFolder },
  },
});
