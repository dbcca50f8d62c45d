// The settings of a mirror as a program gives them: each variable by its camel-case name.
import { nearestName } from '#src/base/did-you-mean.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Environment } from '#src/config/load.ts';
import { settings, type SettingName } from '#src/config/variables.ts';

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

type SettingInput = string | number | boolean | readonly string[];

export type MirrorSettings = {
  readonly [Name in SettingName | 'DATABASE' | 'QUEUE' as CamelCase<Name>]?: SettingInput | undefined;
};

/** The short names of the two that every program has. */
export const shortNames: Readonly<Record<string, SettingName>> = { database: 'DATABASE_URL', queue: 'QUEUE_URL' };

export const camelCase = (variable: string): string =>
  variable.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const variables = new Map<string, string>([
  ...Object.keys(settings).map((name) => [camelCase(name), name] as const),
  ...Object.entries(shortNames),
]);

export function environmentOf(given: MirrorSettings): Environment {
  const entries = Object.entries(given).flatMap(([name, value]) => {
    const variable = variables.get(name);
    if (variable === undefined) throw unknownSetting(name);
    return value === undefined ? [] : [[variable, [value].flat().join()]];
  });
  return Object.fromEntries(entries);
}

function unknownSetting(name: string): SlotstreamError {
  const nearest = nearestName([...variables.keys()], name);
  return new SlotstreamError('config', `${name} is no setting.`, {
    hint: nearest === undefined ? 'docs/configuration.md lists them.' : `Did you mean ${nearest}?`,
  });
}
