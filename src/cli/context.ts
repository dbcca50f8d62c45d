// The context of a verb in a real process: its environment, streams, signals and clock.
import { createInterface } from 'node:readline/promises';
import { memoize } from '#src/base/memoize.ts';
import { startWatchdog } from '#src/app/watchdog.ts';
import { loadConfig, loadEnvFile } from '#src/config/load.ts';
import { createLog } from '#src/observability/log.ts';
import { writerTo, type OutputStream } from './terminal-output.ts';
import type { VerbContext } from './verb.ts';

interface Streams {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

export function openContext({ stdout, stderr }: Streams = process): VerbContext {
  const isGiven = new Set(Object.keys(process.env));
  // The environment takes precedence over the file.
  const inFile = loadEnvFile().filter((name) => !isGiven.has(name));
  const config = memoize(() => loadConfig(process.env, inFile));
  const write = writerTo(stdout);
  const writeError = writerTo(stderr);
  return {
    env: process.env,
    inFile,
    config,
    log: memoize(() => createLog({ level: config().logLevel, pretty: process.stderr.isTTY })),
    out: (line) => write(`${line}\n`),
    outAll: (text) => untilTaken((done) => write(text, done)),
    isTerminal: stdout.isTTY === true,
    notify: (line) => writeError(`${line}\n`),
    lines: (signal) => createInterface({ input: process.stdin, signal }),
    stopping: memoize(listenForSignals),
    watchdog: startWatchdog,
    now: () => new Date(),
  };
}

function untilTaken(write: (done: (error?: NodeJS.ErrnoException | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    write((error) => {
      if (!error) resolve();
      // The reader closed the pipe: main.ts ends the process, so the promise stays pending and nothing more is produced.
      else if (error.code !== 'EPIPE') reject(error);
    });
  });
}

function listenForSignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Once: the second signal has its default action again, which ends the process at once.
    process.once(signal, () => controller.abort(signal));
  }
  return controller.signal;
}
