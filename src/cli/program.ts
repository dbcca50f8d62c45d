// Turns a command line into the call of one verb, and an error into two lines: what happened and what to do about it.
import { Argument, Command, CommanderError, Option } from 'commander';
import { slotstream } from '#src/base/command.ts';
import { anyDiskError } from '#src/base/disk-failure.ts';
import { exitCodeOf, SlotstreamError } from '#src/base/errors.ts';
import { describeError } from '#src/observability/redact.ts';
import type { Verb, VerbContext } from './verb.ts';
import type { VerbEntry } from './verbs.ts';

const badUsage = 2;

export interface Program {
  readonly verbs: readonly VerbEntry[];
  readonly version: string;
  /** Opened only when a verb runs: help and wrong usage need no configuration. */
  readonly openContext: () => Promise<VerbContext>;
  readonly write: { readonly out: (text: string) => void; readonly err: (text: string) => void };
}

/** Runs one command line (without `node` and the script) and returns its exit code. */
export async function runProgram(program: Program, args: readonly string[]): Promise<number> {
  let exitCode = 0;
  let context: VerbContext | undefined;
  const root = new Command(slotstream)
    .description('Your scheduling data, live in your own database.')
    .version(program.version)
    .commandsGroup('Look:')
    .helpCommand('help [command]')
    .exitOverride()
    .configureOutput({ writeOut: program.write.out, writeErr: program.write.err, outputError: () => {} });
  // Only the verb on the command line is loaded. The others need a name and a summary: for `--help` and suggestions.
  const named = args[0] === 'help' ? args[1] : args[0];
  for (const { name, group, summary, load } of program.verbs) {
    const command = new Command(name).description(summary).helpGroup(`${group}:`).copyInheritedSettings(root);
    if (name === named) {
      addInputs(command, await load(), async (verb, given) => {
        context = await program.openContext();
        exitCode = await verb.run(context, given);
      });
    }
    root.addCommand(command);
  }
  try {
    await root.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // No verb was given: commander has already printed the help.
    if (error instanceof CommanderError && error.code === 'commander.help') return badUsage;
    const failure = anyDiskError(error) ?? withUsageHint(error, program.verbs.find(({ name }) => name === named)?.name);
    const debug = /^(debug|trace)$/.test(context?.env['LOG_LEVEL'] ?? '');
    program.write.err(`${failureText(failure, { debug })}\n`);
    return exitCodeOf(failure);
  }
}

function addInputs(
  command: Command,
  verb: Verb,
  action: (verb: Verb, given: Readonly<Record<string, unknown>>) => Promise<void>,
): void {
  command.allowExcessArguments(false);
  for (const { flags, help } of Object.values(verb.arguments)) command.addArgument(new Argument(flags, help));
  for (const { flags, help, repeats } of Object.values(verb.options)) {
    const option = new Option(flags, help);
    command.addOption(repeats ? option.argParser(collect) : option);
  }
  const examples = verb.examples.map((line) => `  ${line.replace(/^slotstream/, slotstream)}`);
  if (examples.length > 0) command.addHelpText('after', ['', 'Examples:', ...examples].join('\n'));
  if (verb.notes.length > 0) command.addHelpText('after', ['', ...verb.notes].join('\n'));
  command.action(async () => {
    const positional = Object.keys(verb.arguments).map((name, index) => [name, command.processedArgs[index]]);
    await action(verb, { ...Object.fromEntries(positional), ...command.opts() });
  });
}

function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

/** Adds where to find the usage to errors about it: those of commander, and those of the inputs' schemas. */
function withUsageHint(error: unknown, verb: string | undefined): unknown {
  const help = `See: ${slotstream} ${verb === undefined ? '' : `${verb} `}--help`;
  if (error instanceof CommanderError) {
    const [message = '', ...suggestion] = error.message.replace(/^error: /, '').split('\n');
    const hint = [suggestion.join(' ').replaceAll(/[()]/g, ''), help].filter((part) => part !== '').join(' ');
    return new SlotstreamError('usage', message, { hint });
  }
  const lacksHint = error instanceof SlotstreamError && error.code === 'usage' && error.hint === undefined;
  return lacksHint ? new SlotstreamError('usage', error.message, { hint: help }) : error;
}

/** An error as a person reads it. It includes a stack only when `debug` is set. */
export function failureText(error: unknown, { debug }: { readonly debug: boolean }): string {
  const described = describeError(
    error instanceof Error ? error : new Error('a value that is not an error was thrown'),
  );
  const isOurs = error instanceof SlotstreamError;
  // Our own messages may have several lines (every problem at once); those of libraries are reduced to what is safe.
  const message = isOurs ? error.message : `${described.type}: ${described.message}`;
  const hint = isOurs ? error.hint : 'Run it again with LOG_LEVEL=debug to see where it happened.';
  const frames = debug && error instanceof Error ? framesOf(error) : [];
  return [
    ...message.split('\n').map((line) => `✗ ${line}`),
    ...(hint === undefined ? [] : [`→ ${hint}`]),
    ...frames,
  ].join('\n');
}

function framesOf(error: Error): readonly string[] {
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  return error.cause instanceof Error ? [...frames, `  caused by ${describeError(error.cause).message}`] : frames;
}
