// Runs a verb inside the test's process: same parsing, settings, exit code and output as `slotstream` itself, without a start-up.
import { memoize } from '#src/base/memoize.ts';
import { runProgram } from '#src/cli/program.ts';
import type { VerbContext } from '#src/cli/verb.ts';
import { verbs } from '#src/cli/verbs.ts';
import { loadConfig, type Environment } from '#src/config/load.ts';
import { createLog } from '#src/observability/log.ts';

/** What a verb left behind, in this process or in one of its own. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export async function runVerb(args: readonly string[], env: Environment, stopping: AbortSignal): Promise<Ran> {
  const written = { out: '', err: '' };
  const out = (text: string): void => void (written.out += text);
  const err = (text: string): void => void (written.err += text);
  const config = memoize(() => loadConfig(env));
  const context: VerbContext = {
    env,
    config,
    log: memoize(() => createLog({ level: config().logLevel, pretty: false, destination: { write: err } })),
    out: (line) => out(`${line}\n`),
    outAll: async (text) => out(text),
    notify: (line) => err(`${line}\n`),
    stopping: () => stopping,
    now: () => new Date(),
  };
  const code = await runProgram(
    { verbs, version: 'test', openContext: async () => context, write: { out, err } },
    args,
  );
  return { code, ...written };
}
