#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=80 --no-parallel-scavenge
// The `slotstream` command for a Node that is new enough; bin/slotstream finds one. The first two flags keep a busy process
// below 200 MB: on a large machine Node would let garbage grow to twice that before it collects it. Tighter ones cost more
// in collections than they save. The third collects young garbage in one thread: several take more processor time for it.
import module from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(`✗ Slotstream needs Node 24.12 or newer; this is Node ${process.versions.node}.
→ Run npm ci in the folder of Slotstream, then bin/slotstream: on Linux it uses the Node that npm installed.
`);
  process.exit(2);
}

// In about one of four receivers V8 decided at the start to allocate some objects of each request as old ones. They kept the whole
// request from the collection of young garbage, which took six times as long. Not in the first line: Linux before 5.1 cuts it
// after 127 characters.
setFlagsFromString('--no-allocation-site-pretenuring');

// Keeps stripped and compiled sources for the next start, in a folder that only the owner of the program can write: a
// cache in /tmp could be forged. Where the folder cannot be written, as in a read-only image, Node runs without a cache.
// This file is JavaScript because a TypeScript file here would load the type stripper before the cache is enabled.
module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/slotstream'));
await import('#src/cli/main.ts');
