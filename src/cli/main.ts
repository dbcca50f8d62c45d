// Runs the command line of this process; bin/slotstream.js starts it.
import { version } from '#src/base/version.ts';
import { runProgram } from './program.ts';
import { writerTo } from './terminal-output.ts';
import { verbs } from './verbs.ts';

// `slotstream … | head` closes our output early. The reader has seen enough, so this is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runProgram(
  {
    verbs,
    version,
    openContext: async () => (await import('./context.ts')).openContext(),
    write: { out: writerTo(process.stdout), err: writerTo(process.stderr) },
  },
  process.argv.slice(2),
);

// BullMQ keeps a timer running when its engine had failed by the time it was closed. Nothing of ours is pending now.
const lingerMs = 1000;
setTimeout(() => process.exit(), lingerMs).unref();
