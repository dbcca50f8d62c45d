// Before the tests that start the product as processes: puts it into a few large files. A start from the sources reads 1,200 files,
// and takes almost twice the processor time.
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '../..');
/** As deep as the sources: what they find beside them, such as the command, they find from here. */
const folder = join(root, 'build/tests');

/** They load native code or WebAssembly from their own folders. */
const native = ['better-sqlite3', '@platformatic/kafka', 'msgpackr-extract'];

export async function setup(): Promise<void> {
  if (process.env['TEST_PRODUCT'] !== undefined) return;
  await rm(folder, { recursive: true, force: true });
  await using bundle = await rolldown({
    cwd: root,
    input: 'bin/slotstream.js',
    platform: 'node',
    external: native,
    // Dependencies that need one of several packages try each: those that are missing are missing in the product too.
    logLevel: 'silent',
  });
  await bundle.write({ dir: folder });
  await cp(join(root, 'src/dashboard/assets'), join(folder, 'assets'), { recursive: true });
  process.env['TEST_PRODUCT'] = join(folder, 'slotstream.js');
}
