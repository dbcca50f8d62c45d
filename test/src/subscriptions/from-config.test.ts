// The keys bootstrap registers with: stored before anything else, added without ever losing an old one.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callbackOf, callersOf, chooseKeys } from '#src/subscriptions/from-config.ts';
import { loadConfig } from '#src/config/load.ts';
import { exitCodeOf } from '#src/base/errors.ts';
import { addKey } from '#src/signing/key-ring.ts';

let dataDir: string;
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'slotstream-bootstrap-keys-'))));
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const file = (): string => join(dataDir, 'signing-keys');
const oauth = { OAUTH_CLIENT_ID: 'id', OAUTH_CLIENT_SECRET: 'secret', AUTH_URL: 'https://auth.example.com' };
const configOf = (env: Record<string, string>) =>
  loadConfig({ DATA_DIR: dataDir, API_BASE_URL: 'https://api.example.com', ...env });
const choose = (env: Record<string, string>, { rotates = false, isDry = false } = {}) => {
  const config = configOf({ API_TOKEN: 'token', ...env });
  return chooseKeys(config, { callers: callersOf(config), rotates, isDry });
};

describe('the key to register with', () => {
  it('must be configured with OAuth: exit code 2, and nothing is created', () => {
    const config = configOf(oauth);
    const callers = { main: callersOf(configOf({ API_TOKEN: 'token' })).main, logins: new Map() };
    try {
      chooseKeys(config, { callers, rotates: false, isDry: false });
      expect.unreachable();
    } catch (error) {
      expect(exitCodeOf(error)).toBe(2);
    }
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('is rejected, not replaced, when the file is invalid', () => {
    writeFileSync(file(), 'short\n');
    expect(() => choose({})).toThrow(/shorter/);
    expect(() => addKey(dataDir, 'a key that is long enough')).toThrow(/shorter/);
    expect(readFileSync(file(), 'utf8')).toBe('short\n');
  });
});

describe('the callback', () => {
  it('is PUBLIC_URL and /webhooks, in the form the service returns', () => {
    expect(callbackOf({ publicUrl: 'https://Hooks.Example.com:443/mirror' })).toBe(
      'https://hooks.example.com/mirror/webhooks',
    );
  });

  it('is rejected without PUBLIC_URL, or with one that contains more than an address', () => {
    expect(() => callbackOf({ publicUrl: undefined })).toThrow(/PUBLIC_URL is not set/);
    for (const publicUrl of ['https://a.example.com?x=1', 'https://a.example.com#x', 'https://u:p@a.example.com'])
      expect(() => callbackOf({ publicUrl })).toThrow(/PUBLIC_URL contains/);
  });
});
