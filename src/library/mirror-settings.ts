// The settings of a mirror as a program gives them: each variable by its camel-case name.
import type { EventKind } from '#schemas/events.ts';
import { nearestName } from '#src/base/did-you-mean.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Environment } from '#src/config/load.ts';
import { settings, type SettingName, type SettingValues } from '#src/config/variables.ts';

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

/** `30s`, `5m`, `1h`, `1d`. */
export type Duration = `${number}${'s' | 'm' | 'h' | 'd'}`;
/** `invitee.*` is every kind that begins so. */
export type EventName = EventKind | `${string}.*`;

/** Where the value that is read does not tell how it is written. */
interface Written {
  readonly EVENTS: 'all' | EventName | readonly EventName[];
  readonly RETENTION_DAYS: number | 'off';
  readonly RECONCILE_EVERY: Duration;
  readonly SWEEP_EVERY: Duration;
  readonly POLL_EVERY: Duration;
  readonly WATCH_EVERY: Duration;
  readonly DISK_LOG_KEEP: Duration | '0' | 'off';
  readonly ALERT_GRACE: Duration | '0';
  readonly ALERT_MAX_AGE: Duration;
  readonly ANSWERS: 'on' | 'off';
}

type WrittenAs<Value> = Value extends readonly string[] ? string | readonly string[] : Value;
type ValueOf<Name extends SettingName> = Name extends keyof Written
  ? Written[Name]
  : WrittenAs<NonNullable<SettingValues[Name]>>;

interface ShortNames {
  readonly DATABASE: 'DATABASE_URL';
  readonly QUEUE: 'QUEUE_URL';
}
type FullName<Name> = Name extends keyof ShortNames ? ShortNames[Name] : Name extends SettingName ? Name : never;

export type MirrorSettings = {
  readonly [Name in SettingName | keyof ShortNames as CamelCase<Name>]?: ValueOf<FullName<Name>> | undefined;
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
