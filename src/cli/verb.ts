// Defines what a verb is. A new verb is one file in commands/ and one entry in verbs.ts; help, input checks and exit codes
// follow from its definition.
import { z } from 'zod';
import { suggestName } from '#src/base/did-you-mean.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Config, Environment } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';

/** One argument or option: how it is written on the command line, what it means, and the schema that checks it. */
export interface Input<Value = unknown> {
  /** In commander's notation: `<event>`, `[uri]`, `--count <n>`, `--json`. The input's key is the camelCase name. */
  readonly flags: string;
  readonly help: string;
  readonly reads: z.ZodType<Value>;
  /** The names that it accepts: an error lists them, and suggests the one that was probably meant. */
  readonly names?: readonly string[];
  /** The option may be given several times; `reads` then receives a list. */
  readonly repeats?: true;
}

type Inputs = Readonly<Record<string, Input>>;
/** The values of inputs, as `run` receives them. */
export type ValuesOf<Given extends Inputs> = { readonly [Name in keyof Given]: z.output<Given[Name]['reads']> };

/** 0 success, 1 failure, 2 wrong usage or configuration, 3 not in the desired state. */
export type ExitCode = 0 | 1 | 2 | 3;

/** What a verb may use of its process. Nothing is opened before a verb asks for it. */
export interface VerbContext {
  readonly env: Environment;
  /** The names in it that come from the `.env` file. */
  readonly inFile?: readonly string[];
  /** Reads the environment; throws one error that lists every problem. */
  readonly config: () => Config;
  readonly log: () => Log;
  readonly out: (line: string) => void;
  /** Writes much data to standard output; resolves once the reader has taken it, however slow the reader is. */
  readonly outAll: (text: string) => Promise<void>;
  /** Standard output is a terminal: a person reads it, not a program. */
  readonly isTerminal: boolean;
  /** Writes one line for the person at the terminal to standard error. */
  readonly notify: (line: string) => void;
  /** The lines of standard input, until it ends or the signal aborts. */
  readonly lines: (signal: AbortSignal) => AsyncIterable<string>;
  /** Aborts on the first SIGINT or SIGTERM; the second ends the process at once. */
  readonly stopping: () => AbortSignal;
  /** Ends the process when its event loop is blocked, until it is disposed of. */
  readonly watchdog: () => AsyncDisposable;
  readonly now: () => Date;
}

interface Definition<Arguments extends Inputs, Options extends Inputs> {
  /** Shown below the options by `--help`. */
  readonly examples?: readonly string[];
  /** Lines below the examples. */
  readonly notes?: readonly string[];
  readonly arguments: Arguments;
  readonly options: Options;
  run(context: VerbContext, input: ValuesOf<Arguments & Options>): Promise<ExitCode>;
}

export interface Verb {
  readonly examples: readonly string[];
  readonly notes: readonly string[];
  readonly arguments: Inputs;
  readonly options: Inputs;
  /** Checks the texts of the command line, then runs the verb. Throws a `usage` error that lists every wrong input. */
  run(context: VerbContext, given: Readonly<Record<string, unknown>>): Promise<ExitCode>;
}

/** Makes a verb whose `run` receives values of the types that its inputs declare. */
export function defineVerb<Arguments extends Inputs, Options extends Inputs>(
  definition: Definition<Arguments, Options>,
): Verb {
  const { examples = [], notes = [], options } = definition;
  const inputs = { ...definition.arguments, ...options };
  return {
    examples,
    notes,
    arguments: definition.arguments,
    options,
    run: async (context, given) => definition.run(context, parseInputs(inputs, given)),
  };
}

function parseInputs<Given extends Inputs>(inputs: Given, given: Readonly<Record<string, unknown>>): ValuesOf<Given> {
  const problems: string[] = [];
  const suggestions: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { flags, reads, names }] of Object.entries(inputs)) {
    const read = reads.safeParse(given[name]);
    if (read.success) {
      values[name] = read.data;
      continue;
    }
    problems.push(`${flags} must be ${read.error.issues[0]?.message}`);
    const typed = [given[name]].flat().map(String);
    const unknown = typed.find((each) => !names?.includes(each)) ?? '';
    if (names) suggestions.push(suggestName(names, { typed: unknown, opening: 'There are' }));
  }
  const hint = suggestions.length > 0 ? { hint: suggestions.join(' ') } : {};
  if (problems.length > 0) throw new SlotstreamError('usage', problems.join('\n'), hint);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value was parsed by the schema of the same name
  return values as ValuesOf<Given>;
}

/** Runs work that a stop signal may end early: then `stopped` is printed and its exit code returned instead of the error. */
export async function unlessStopped(
  { stopping, notify }: Pick<VerbContext, 'stopping' | 'notify'>,
  work: (signal: AbortSignal) => Promise<ExitCode>,
  stopped: { readonly line: string; readonly exitCode: ExitCode },
): Promise<ExitCode> {
  const signal = stopping();
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    notify(stopped.line);
    return stopped.exitCode;
  }
}

/** The schema of an option that is present or absent, such as `--json`. */
export const flag = z.boolean().default(false);

export const asJson = { flags: '--json', help: 'print JSON instead of text', reads: flag } as const satisfies Input;

export const wholeNumberFrom = (least: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `a whole number from ${least}`)
    .transform(Number)
    .refine((value) => value >= least, `a whole number from ${least}`);
