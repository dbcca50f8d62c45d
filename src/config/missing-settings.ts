// The settings without which the service cannot be called, or cannot call: which of them have no value.
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Config } from './load.ts';
import { pollPeriodMs } from './polling.ts';

const examples = {
  API_TOKEN:
    'create a personal access token in Calendly (Integrations & apps, API & webhooks; any plan) with the scopes that docs/configuration.md lists, or set OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET',
  PUBLIC_URL: 'the address at which the service reaches this receiver, such as PUBLIC_URL=https://hooks.example.com',
} as const;
type RequiredName = keyof typeof examples;

export function missingSettings({ api, publicUrl }: Pick<Config, 'api' | 'publicUrl'>): readonly RequiredName[] {
  const given = { API_TOKEN: api.token ?? api.oauth, PUBLIC_URL: publicUrl };
  const names = ['API_TOKEN', 'PUBLIC_URL'] as const;
  return names.filter((name) => given[name] === undefined);
}

/** Those without which the mirror is not updated: it needs no public address to read the service. */
export const neededSettings = (config: Config): readonly RequiredName[] =>
  pollPeriodMs(config) === undefined ? missingSettings(config) : [];

/** Reports all that are missing at once, with the variables that are probably misspelt. */
export function requireSettings(config: Config, needed: readonly RequiredName[]): void {
  const missing = missingSettings(config).filter((name) => needed.includes(name));
  if (missing.length === 0) return;
  const lines = missing.map((name) => `${name} is not set: ${examples[name]}.`);
  const cure = `Set ${missing.length === 1 ? 'it' : 'them'} in the environment or in .env.`;
  // Only PUBLIC_URL is missing then.
  const other = ` Without it, ${slotstream} start reads the service every few minutes, and needs no subscriptions.`;
  throw new SlotstreamError('config', [...lines, ...config.unknownSettings].join('\n'), {
    hint: pollPeriodMs(config) === undefined ? cure : cure + other,
  });
}
