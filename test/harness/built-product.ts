// Before the tests: makes the installation that is shipped, for tests that start the product as a process. A start from the sources reads
// 1,200 files, and takes almost twice the processor time.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { writeBundle } from '../../.ci/bundle.ts';

const root = join(import.meta.dirname, '../..');

export async function setup({ vitest }: TestProject): Promise<void> {
  // The projects of one run share it. Tests that run again after each change start the sources.
  if (process.env['TEST_PRODUCT'] || vitest.config.watch) return;
  // In the folder of the run (engines.ts): runs do not disturb each other, and nothing is left.
  const home = join(process.env['TEST_FOLDER'] ?? '', 'product');
  await writeBundle(home);
  await symlink(join(root, 'node_modules'), join(home, 'node_modules'));
  process.env['TEST_PRODUCT'] = join(home, 'bin/slotstream.js');
}
