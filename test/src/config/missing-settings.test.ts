// What is said about settings that are missing.
import { expect, it } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { missingSettings, requireSettings } from '#src/config/missing-settings.ts';

it('names every one that is needed, and what is probably misspelt', () => {
  const config = loadConfig({ API_TOKE: 'secret' }, ['API_TOKE']);
  expect(missingSettings(config)).toEqual(['API_TOKEN', 'PUBLIC_URL']);
  expect(() => requireSettings(config, ['API_TOKEN'])).toThrow(
    /^API_TOKEN is not set: create a personal access token in Calendly .*\nAPI_TOKE is not a setting and has no effect\. Did you mean API_TOKEN\?$/,
  );
});

it('passes where none is missing; OAuth stands for a token', () => {
  const oauth = { OAUTH_CLIENT_ID: 'a', OAUTH_CLIENT_SECRET: 'b' };
  const config = loadConfig(oauth);
  expect(() => requireSettings(config, ['API_TOKEN'])).not.toThrow();
  expect(missingSettings(config)).toEqual(['PUBLIC_URL']);
});
