// The settings of a mirror as a plain interface, from the table of settings.
import type { Setting } from '#src/config/readers.ts';
import { settings } from '#src/config/variables.ts';
import { camelCase, shortNames } from '#src/library/mirror-settings.ts';

export function settingTypes(): string {
  const lines = Object.entries<Setting>(settings).flatMap(([name, { meaning, default: usual }]) => [
    `  /** ${name}: ${meaning} Default: ${usual}. */`,
    `  readonly ${camelCase(name)}?: SettingInput | undefined;`,
  ]);
  const short = Object.entries(shortNames).flatMap(([name, variable]) => [
    `  /** The same as \`${camelCase(variable)}\`. */`,
    `  readonly ${name}?: SettingInput | undefined;`,
  ]);
  return [
    'export type SettingInput = string | number | boolean | readonly string[];',
    '/** The settings of the command, by their camel-case names (docs/configuration.md). The environment is not read. */',
    `export interface MirrorSettings {\n${[...short, ...lines].join('\n')}\n}`,
  ].join('\n');
}
