// What a verb is. A new verb = one file that defines it + one line in verbs.ts; help, checks and exit codes come with it.
import { z } from 'zod';
import type { Config, Environment } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';

/** One argument or option: how it is typed on the command line, what it means, and what its text must read as. */
export interface Input<Value = unknown> {
  /** As commander writes it: `<event>`, `[uri]`, `--count <n>`, `--json`. The key it stands under is its camelCase name. */
  readonly flags: string;
  readonly help: string;
  readonly reads: z.ZodType<Value>;
  /** May be given several times; `reads` then gets a list. */
  readonly repeats?: true;
}

type Inputs = Readonly<Record<string, Input>>;
type ValuesOf<Given extends Inputs> = { readonly [Name in keyof Given]: z.output<Given[Name]['reads']> };

/** Exit codes: 0 well, 1 failed, 2 bad usage or configuration, 3 not as desired. */
export type ExitCode = 0 | 1 | 2 | 3;

/** What a verb may use of the world. Nothing is opened before it is asked for. */
export interface VerbContext {
  readonly env: Environment;
  /** Reads the environment; throws every complaint at once. */
  readonly config: () => Config;
  readonly log: () => Log;
  /** One line of data, to standard output. */
  readonly out: (line: string) => void;
  /** Much data, to standard output; resolves once it is written out, however slow whoever reads it. */
  readonly outAll: (text: string) => Promise<void>;
  /** One line for the person watching, to standard error. */
  readonly say: (line: string) => void;
  /** Aborted by the first SIGINT or SIGTERM; the second ends the process at once. */
  readonly stopping: () => AbortSignal;
  readonly now: () => Date;
}

interface VerbPlan<Arguments extends Inputs, Options extends Inputs> {
  readonly name: string;
  readonly summary: string;
  /** Shown beneath the options by `--help`. */
  readonly examples?: readonly string[];
  readonly arguments: Arguments;
  readonly options: Options;
  run(context: VerbContext, input: ValuesOf<Arguments & Options>): Promise<ExitCode>;
}

export type Verb = VerbPlan<Inputs, Inputs>;

/** Ties the types of `run` to the inputs declared beside it. */
export function defineVerb<Arguments extends Inputs, Options extends Inputs>(plan: VerbPlan<Arguments, Options>): Verb {
  return plan as unknown as Verb;
}

/** `--json`, and every other option that is either there or not. */
export const flag = z.boolean().default(false);

export const asJson = { flags: '--json', help: 'print JSON instead of text', reads: flag } as const satisfies Input;

export const wholeNumberFrom = (least: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `a whole number from ${least}`)
    .transform(Number)
    .refine((value) => value >= least, `a whole number from ${least}`);
