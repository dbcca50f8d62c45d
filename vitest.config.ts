// How the tests run: real engines first (installed where possible), then every file in a process of its own.
import { defineConfig } from 'vitest/config';
import { tally } from './test/harness/tally.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: './test/harness/engines.ts',
    // Processes, not threads: tests send signals, change limits and load native modules.
    pool: 'forks',
    // One more than the cores of a small machine: many tests wait for a lease, a retry or a process.
    maxWorkers: 3,
    testTimeout: 30_000,
    // A first embedded queue takes seconds to make.
    hookTimeout: 60_000,
    // What is waited for comes; how soon, a busy machine decides.
    expect: { poll: { timeout: 20_000 } },
    allowOnly: false,
    reporters: ['default', tally],
  },
});
