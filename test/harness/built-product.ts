// Before the tests: makes the installation that is shipped, for tests that start the product as a process. A start from the sources reads
// 1,200 files, and takes almost twice the processor time.
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { writeRunnableBundle } from '../../.ci/bundle.ts';

export async function setup({ vitest }: TestProject): Promise<void> {
  // The projects of one run share it. Tests that run again after each change start the sources.
  if (process.env['TEST_PRODUCT'] || vitest.config.watch) return;
  // In the folder of the run (engines.ts): runs do not disturb each other, and nothing is left.
  process.env['TEST_PRODUCT'] = await writeRunnableBundle(join(process.env['TEST_FOLDER'] ?? '', 'product'));
}
