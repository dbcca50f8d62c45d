#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=80
// The `slotstream` command. The flags keep a busy process below 200 MB: on a large machine Node would let garbage grow to
// twice that before it collects it. Tighter ones cost more in collections than they save.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Keeps stripped and compiled sources for the next start, in a folder that only the owner of the program can write: a
// cache in /tmp could be forged. Where the folder cannot be written, as in a read-only image, Node runs without a cache.
// This file is JavaScript because a TypeScript file here would load the type stripper before the cache is enabled.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/slotstream'));
await import('#src/cli/main.ts');
