// Before the tests: puts the product into a few large files, for tests that start it as a process. A start from the sources reads
// 1,200 files, and takes almost twice the processor time.
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';

const root = join(import.meta.dirname, '../..');

/** What the product finds beside its sources: its command, its dependencies, and what it starts in a thread. */
const besides = ['bin', 'node_modules', 'package.json', 'schemas', 'src', 'workers'];

/** They load native code or WebAssembly from their own folders. */
const native = ['better-sqlite3', '@platformatic/kafka', 'msgpackr-extract'];

export async function setup({ vitest }: TestProject): Promise<void> {
  // The projects of one run share it. Tests that run again after each change start the sources.
  if (process.env['TEST_PRODUCT'] || vitest.config.watch) return;
  // In the folder of the run (engines.ts): runs do not disturb each other, and nothing is left.
  const home = join(process.env['TEST_FOLDER'] ?? '', 'product');
  // As deep as the sources, so that paths relative to a module are right.
  const folder = join(home, 'bundle/files');
  await mkdir(folder, { recursive: true });
  for (const name of besides) await symlink(join(root, name), join(home, name));
  await using bundle = await rolldown({
    cwd: root,
    input: 'bin/slotstream.js',
    platform: 'node',
    external: native,
    // Dependencies try packages that may be missing: those are missing in the product too.
    logLevel: 'silent',
  });
  await bundle.write({ dir: folder });
  await cp(join(root, 'src/dashboard/assets'), join(folder, 'assets'), { recursive: true });
  process.env['TEST_PRODUCT'] = join(folder, 'slotstream.js');
}
