// The settings of a mirror as a plain interface, from the table of settings.
import { z } from 'zod';
import type { Setting } from '#src/config/readers.ts';
import { settings } from '#src/config/variables.ts';
import { camelCase, shortNames } from '#src/library/mirror-settings.ts';

export function settingTypes(): string {
  const all: Readonly<Record<string, Setting>> = settings;
  const typeOf = (name = '') => `${typeText(all[name]?.reads)} | undefined`;
  const lines = Object.entries<Setting>(settings).flatMap(([name, { meaning, default: usual }]) => [
    `  /** ${name}: ${meaning} Default: ${usual}. */`,
    `  readonly ${camelCase(name)}?: ${typeOf(name)};`,
  ]);
  const short = Object.entries(shortNames).flatMap(([name, variable]) => [
    `  /** The same as \`${camelCase(variable)}\`. */`,
    `  readonly ${name}?: ${typeOf(variable)};`,
  ]);
  return [
    '/** `30s`, `5m`, `1h`, `1d`. */',
    "export type Duration = `${number}${'s' | 'm' | 'h' | 'd'}`;",
    '/** `invitee.*` is every kind that begins so. */',
    'export type EventName = EventKind | `${string}.*`;',
    '/** The settings of the command, by their camel-case names (docs/configuration.md). The environment is not read. */',
    `export interface MirrorSettings {\n${[...short, ...lines].join('\n')}\n}`,
  ].join('\n');
}

/** From what a setting makes of some texts; test/api.test.ts compares it with the type of the value. */
function typeText(reads: z.ZodType | undefined): string {
  const read = (text: string): unknown => reads?.safeParse(text).data;
  const has = (type: string, ...texts: readonly string[]) => texts.some((text) => typeof read(text) === type);
  const choices = reads && choicesOf(reads);
  if (read('true') === true) return 'boolean';
  if (choices) return choices.map((choice) => `'${choice}'`).join(' | ');
  // The kinds that it stands for.
  if (String(read('invitee.*')).includes(',')) return "'all' | EventName | readonly EventName[]";
  if (['invitee.*', 'a-key-of-16-bytes-or-more', 'ada@example.test'].some((text) => Array.isArray(read(text))))
    return 'string | readonly string[]';
  if (has('number', '7', '4096')) return read('off') === 0 ? "number | 'off'" : 'number';
  if (has('number', '5m'))
    return ['Duration', ...['0', 'off'].filter((none) => read(none) === 0).map((none) => `'${none}'`)].join(' | ');
  return 'string';
}

/** Of an enumeration, with or without a default. */
function choicesOf(reads: z.ZodType): readonly string[] | undefined {
  if (reads instanceof z.ZodOptional || reads instanceof z.ZodDefault)
    return choicesOf(reads.def.innerType as z.ZodType);
  if (reads instanceof z.ZodPipe) return choicesOf(reads.def.in as z.ZodType);
  return reads instanceof z.ZodEnum ? reads.options.map(String) : undefined;
}
