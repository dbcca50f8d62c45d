// Verbs inside the test's process: same parsing, settings, exit code and output as `slotstream` itself, without a start-up.
import { createInterface } from 'node:readline/promises';
import { PassThrough, type Writable } from 'node:stream';
import { memoize } from '#src/base/memoize.ts';
import { runProgram } from '#src/cli/program.ts';
import type { VerbContext } from '#src/cli/verb.ts';
import { verbs, type VerbEntry } from '#src/cli/verbs.ts';
import { loadConfig, type Environment } from '#src/config/load.ts';
import { createLog } from '#src/observability/log.ts';
import { happened } from './moments.ts';
import type { Running, Settings } from './running-verb.ts';

/** What a verb left behind, in this process or in one of its own. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface VerbRun {
  /** Its exit code; never rejects. */
  readonly ended: Promise<number>;
  readonly input: Writable;
  out(): string;
  err(): string;
}

export async function runVerb(args: readonly string[], env: Environment, around: Surroundings): Promise<Ran> {
  const run = startVerb(args, env, around);
  const code = await run.ended;
  return { code, out: run.out(), err: run.err() };
}

export interface Surroundings {
  /** What a stop signal is to a process. */
  readonly stopping: AbortSignal;
  readonly isTerminal?: boolean;
  /** Instead of those of the product. */
  readonly verbs?: readonly VerbEntry[];
}

export function startVerb(args: readonly string[], env: Environment, around: Surroundings): VerbRun {
  const input = new PassThrough();
  const written = { out: '', err: '' };
  const writer = (name: keyof typeof written) => (text: string) => {
    written[name] += text;
    happened();
  };
  const [out, err] = [writer('out'), writer('err')];
  const config = memoize(() => loadConfig(env));
  const context: VerbContext = {
    env,
    config,
    log: memoize(() => createLog({ level: config().logLevel, pretty: false, destination: { write: err } })),
    out: (line) => out(`${line}\n`),
    outAll: async (text) => out(text),
    isTerminal: around.isTerminal ?? false,
    notify: (line) => err(`${line}\n`),
    lines: (signal) => createInterface({ input, signal }),
    stopping: () => around.stopping,
    // The process is the test's: it must not be ended.
    watchdog: () => ({ [Symbol.asyncDispose]: async () => {} }),
    now: () => new Date(),
  };
  const ended = runProgram(
    { verbs: around.verbs ?? verbs, version: 'test', openContext: async () => context, write: { out, err } },
    args,
  );
  return { ended, input, out: () => written.out, err: () => written.err };
}

/** Inside this process there are no signals: any of them is the request to stop. */
export function openInside(args: readonly string[], env: Settings): Running {
  const stopping = new AbortController();
  let isOver = false;
  const { ended, ...output } = startVerb(args, env, { stopping: stopping.signal });
  void ended.then(() => (isOver = true));
  return {
    ...output,
    ended,
    hasEnded: () => isOver,
    signal(name) {
      stopping.abort(name);
      return ended;
    },
  };
}
