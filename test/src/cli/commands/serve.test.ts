import { describe, expect, it } from 'vitest';
import { nextStep } from '#src/cli/commands/serve.ts';
import { loadConfig } from '#src/config/load.ts';

describe('the last line of a start', () => {
  it('names the settings that are missing, and what can be tried without them', () => {
    expect(nextStep(loadConfig({}), false)).toMatch(
      /^set API_TOKEN and PUBLIC_URL in \.env and start again; or .*trigger invitee\.created$/,
    );
    const api = { API_BASE_URL: 'https://api.example.test', API_TOKEN: 't' };
    const receiver = loadConfig({ ...api, SIGNING_KEYS: 'a signing key of thirty-two bytes' });
    expect(nextStep(receiver, true)).toMatch(/^set PUBLIC_URL in /);
    expect(nextStep(loadConfig(api), false)).toBeUndefined();
  });

  it('names the commands that fill an empty mirror, and nothing once it is registered or has entries', () => {
    const config = loadConfig({
      API_BASE_URL: 'https://api.example.test',
      API_TOKEN: 't',
      PUBLIC_URL: 'https://hooks.example.test',
    });
    expect(nextStep(config, false)).toMatch(/bootstrap, then .*backfill$/);
    expect(nextStep(config, true)).toBeUndefined();
  });
});
