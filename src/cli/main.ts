#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=80
// The `slotstream` command. The flags keep a busy process below 200 MB: on a large machine Node would let garbage grow to
// twice that before it looks at it. Tighter ones cost more in collecting than they save.
import { readFileSync } from 'node:fs';
import { openContext } from './context.ts';
import { runProgram } from './program.ts';
import { loadVerbs } from './verbs.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

// `slotstream … | head` closes our output early; that is a reader who has seen enough, not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runProgram(
  {
    verbs: await loadVerbs(process.argv[2]),
    version,
    context: openContext(),
    write: { out: (text) => void process.stdout.write(text), err: (text) => void process.stderr.write(text) },
  },
  process.argv.slice(2),
);

// BullMQ keeps a timer running when its engine was gone as it was closed. By now nothing of ours is left to wait for.
const lingerMs = 1000;
setTimeout(() => process.exit(), lingerMs).unref();
