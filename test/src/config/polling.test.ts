import { describe, expect, it } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { missingSettings, neededSettings } from '#src/config/missing-settings.ts';
import { pollPeriodMs } from '#src/config/polling.ts';

const token = { API_TOKEN: 'a-token' };
const key = 'a signing key of thirty-two bytes';
const minuteMs = 60_000;

describe('the service is read for changes', () => {
  it.each([
    ['with a token alone', token, 5 * minuteMs],
    ['with OAuth alone', { OAUTH_CLIENT_ID: 'a', OAUTH_CLIENT_SECRET: 'b' }, 5 * minuteMs],
    ['as often as asked', { ...token, POLL_EVERY: '2m' }, 2 * minuteMs],
    ['beside a signing key, if asked', { ...token, SIGNING_KEYS: key, POLL_EVERY: '1h' }, 60 * minuteMs],
    ['beside a shared queue, if asked', { ...token, QUEUE_URL: 'redis://a', POLL_EVERY: '1m' }, minuteMs],
  ])('%s', (_, env, everyMs) => {
    const config = loadConfig(env);
    expect([pollPeriodMs(config), neededSettings(config)]).toEqual([everyMs, []]);
    expect(missingSettings(config)).toEqual(['PUBLIC_URL']);
  });

  it.each([
    ['a public address', { ...token, PUBLIC_URL: 'https://hooks.example.test', POLL_EVERY: '1m' }],
    ['no token', { POLL_EVERY: '1m' }],
    ['a signing key, for subscriptions that others register', { ...token, SIGNING_KEYS: key }],
    ['unsigned deliveries', { ...token, ALLOW_UNSIGNED: 'true' }],
    ['a queue that receivers elsewhere may share', { ...token, QUEUE_URL: 'redis://a' }],
  ])('but not with %s', (_, env) => {
    expect(pollPeriodMs(loadConfig(env))).toBeUndefined();
  });
});
