// The context of a verb in a real process: its environment, streams, signals and clock.
import { createInterface } from 'node:readline/promises';
import { memoize } from '#src/base/memoize.ts';
import { startWatchdog } from '#src/app/watchdog.ts';
import { loadConfig, loadEnvFile } from '#src/config/load.ts';
import { createLog } from '#src/observability/log.ts';
import type { VerbContext } from './verb.ts';

export function openContext(): VerbContext {
  const isGiven = new Set(Object.keys(process.env));
  // The environment takes precedence over the file.
  const inFile = loadEnvFile().filter((name) => !isGiven.has(name));
  const config = memoize(() => loadConfig(process.env, inFile));
  return {
    env: process.env,
    config,
    log: memoize(() => createLog({ level: config().logLevel, pretty: process.stderr.isTTY })),
    out: (line) => void process.stdout.write(`${line}\n`),
    outAll,
    notify: (line) => void process.stderr.write(`${line}\n`),
    lines: (signal) => createInterface({ input: process.stdin, signal }),
    stopping: memoize(listenForSignals),
    watchdog: startWatchdog,
    now: () => new Date(),
  };
}

function outAll(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error?: NodeJS.ErrnoException | null) => {
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
