// What is said about settings that are missing.
import { expect, it } from 'vitest';
import type { SlotstreamError } from '#src/base/errors.ts';
import { loadConfig } from '#src/config/load.ts';
import { missingSettings, requireSettings } from '#src/config/missing-settings.ts';

it('names every one that is needed, and what is probably misspelt', () => {
  const config = loadConfig({ API_TOKE: 'secret' }, ['API_TOKE']);
  expect(missingSettings(config)).toEqual(['API_TOKEN', 'PUBLIC_URL']);
  expect(() => requireSettings(config, ['API_TOKEN'])).toThrow(
    /^API_TOKEN is not set: create a personal access token in Calendly .*\nAPI_TOKE is not a setting and has no effect\. Did you mean API_TOKEN\?$/,
  );
});

it('says how a mirror without a public address works, where it would', () => {
  const hintFor = (settings: Readonly<Record<string, string>>): unknown => {
    try {
      return requireSettings(loadConfig(settings), ['API_TOKEN', 'PUBLIC_URL']);
    } catch (error) {
      return (error as SlotstreamError).hint;
    }
  };
  const cure = 'Set it in the environment or in .env.';
  expect(hintFor({ API_TOKEN: 'secret' })).toBe(
    `${cure} Without it, ./bin/slotstream start reads the service every few minutes, and needs no subscriptions.`,
  );
  expect(hintFor({ API_TOKEN: 'secret', SIGNING_KEYS: 'a'.repeat(32) })).toBe(cure);
});
