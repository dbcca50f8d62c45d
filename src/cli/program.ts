// Turns verbs into a command line: parses, checks, runs, and makes every failure say what happened and what to do.
import { Argument, Command, CommanderError, Option } from 'commander';
import { exitCodeOf, SlotstreamError } from '#src/base/errors.ts';
import { complaintOf } from './complaint.ts';
import type { Input, Verb, VerbContext } from './verb.ts';

const badUsage = 2;

export interface Program {
  readonly verbs: readonly Verb[];
  readonly version: string;
  readonly context: VerbContext;
  readonly write: { readonly out: (text: string) => void; readonly err: (text: string) => void };
}

/** Runs one command line (without `node` and the script) and gives its exit code. */
export async function runProgram(program: Program, args: readonly string[]): Promise<number> {
  let exitCode = 0;
  const root = new Command('slotstream')
    .description('Your scheduling data, live in your own database.')
    .version(program.version)
    .exitOverride()
    .configureOutput({ writeOut: program.write.out, writeErr: program.write.err, outputError: () => {} });
  for (const verb of program.verbs) {
    root.addCommand(
      commandOf(verb, async (given) => {
        exitCode = await verb.run(program.context, checked(verb, given));
      }).copyInheritedSettings(root),
    );
  }
  try {
    await root.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // Asked nothing: commander has shown the help already.
    if (error instanceof CommanderError && error.code === 'commander.help') return badUsage;
    const failure = error instanceof CommanderError ? usageError(error, program.verbs, args) : error;
    const debug = /^(debug|trace)$/.test(program.context.env['LOG_LEVEL'] ?? '');
    program.write.err(`${complaintOf(failure, { debug })}\n`);
    return exitCodeOf(failure);
  }
}

function commandOf(verb: Verb, action: (given: Record<string, unknown>) => Promise<void>): Command {
  const command = new Command(verb.name).description(verb.summary).allowExcessArguments(false);
  for (const { flags, help } of Object.values(verb.arguments)) command.addArgument(new Argument(flags, help));
  for (const { flags, help, repeats } of Object.values(verb.options)) {
    const option = new Option(flags, help);
    command.addOption(repeats ? option.argParser(collect) : option);
  }
  if (verb.examples)
    command.addHelpText('after', ['', 'Examples:', ...verb.examples.map((line) => `  ${line}`)].join('\n'));
  return command.action(async () => {
    const positional = Object.keys(verb.arguments).map((name, place) => [name, command.processedArgs[place]]);
    await action({ ...Object.fromEntries(positional), ...command.opts() });
  });
}

function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

function checked(verb: Verb, given: Record<string, unknown>): Record<string, never> {
  const complaints: string[] = [];
  const values: Record<string, unknown> = {};
  const inputs: Readonly<Record<string, Input>> = { ...verb.arguments, ...verb.options };
  for (const [name, input] of Object.entries(inputs)) {
    const read = input.reads.safeParse(given[name]);
    if (read.success) values[name] = read.data;
    else complaints.push(`${input.flags} must be ${read.error.issues[0]?.message}`);
  }
  if (complaints.length > 0) throw new SlotstreamError('usage', complaints.join('\n'), { hint: helpHint(verb.name) });
  return values as Record<string, never>;
}

function usageError(error: CommanderError, verbs: readonly Verb[], args: readonly string[]): SlotstreamError {
  const verb = verbs.find(({ name }) => name === args[0]);
  const [what = '', ...suggestion] = error.message.replace(/^error: /, '').split('\n');
  const hint = [suggestion.join(' ').replaceAll(/[()]/g, ''), helpHint(verb?.name)]
    .filter((part) => part !== '')
    .join(' ');
  return new SlotstreamError('usage', what, { hint });
}

function helpHint(name?: string): string {
  return `See: slotstream ${name === undefined ? '' : `${name} `}--help`;
}
