// The real world as verbs see it: environment, streams, signals and clock of this process.
import { loadConfig, loadEnvFile } from '#src/config/load.ts';
import type { Config } from '#src/config/load.ts';
import { createLog } from '#src/observability/log.ts';
import type { Log } from '#src/observability/log.ts';
import { memoize } from '#src/base/memoize.ts';
import type { VerbContext } from './verb.ts';

export function openContext(): VerbContext {
  loadEnvFile();
  const config = memoize((): Config => loadConfig(process.env));
  return {
    env: process.env,
    config,
    log: memoize((): Log => createLog({ level: config().logLevel, pretty: process.stderr.isTTY })),
    out: (line) => void process.stdout.write(`${line}\n`),
    outAll,
    say: (line) => void process.stderr.write(`${line}\n`),
    stopping: memoize(listenForSignals),
    now: () => new Date(),
  };
}

function outAll(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error?: (Error & { code?: string }) | null) => {
      if (!error) resolve();
      // Whoever read has seen enough: the process ends quietly (main.ts), and nothing is made of what was not read.
      else if (error.code !== 'EPIPE') reject(error);
    });
  });
}

function listenForSignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      // A second one means "now": its default action is back in force.
      controller.abort(signal);
    });
  }
  return controller.signal;
}
