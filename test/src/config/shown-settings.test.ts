// What people see of the settings: where each value comes from, and never a secret.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import type { Setting } from '#src/config/readers.ts';
import { showSetting } from '#src/config/shown-settings.ts';
import { settings } from '#src/config/variables.ts';
import { runs } from '../../harness/runs.ts';

const shownIn = (env: Record<string, string>, inFile: readonly string[] = []) =>
  Object.fromEntries(loadConfig(env, inFile).settings.map((each) => [each.name, each]));

const show = (name: keyof typeof settings, text: string) =>
  showSetting({ name, setting: settings[name], from: name, text }, []);

describe('the settings as they are shown', () => {
  it('are all there, each with its meaning and where its value comes from', () => {
    const shown = shownIn({ PORT: '9000', REDIS_URL: 'redis://cache.example.com', LOG_LEVEL: 'warn' }, ['LOG_LEVEL']);
    expect(Object.keys(shown).toSorted()).toEqual(Object.keys(settings).toSorted());
    expect(shown['PORT']).toEqual({
      name: 'PORT',
      group: 'Webhooks',
      value: '9000',
      source: 'environment',
      variable: 'PORT',
      shown: 'whole',
      meaning: settings.PORT.meaning,
    });
    expect(shown['HOST']).toMatchObject({ value: '0.0.0.0', source: 'default', variable: null });
    expect(shown['PUBLIC_URL']).toMatchObject({ value: null, source: 'default' });
    expect(shown['LOG_LEVEL']).toMatchObject({ value: 'warn', source: '.env' });
    expect(shown['QUEUE_URL']).toMatchObject({ value: 'redis://cache.example.com/…', variable: 'REDIS_URL' });
  });

  it.each([
    ['DATABASE_URL', 'postgres://user:pa55word@db.example.com:5432/mirror', 'postgres://db.example.com:5432/…'],
    ['DATABASE_URL', 'postgres://db.example.com/mirror?password=pa55word', 'postgres://db.example.com/…'],
    ['DATABASE_URL', 'sqlite:/srv/mirror.db', 'sqlite:/srv/mirror.db'],
    ['QUEUE_URL', 'redis+sentinel://:pa55word@a:26379,b:26379/main', 'redis+sentinel://a:26379,b:26379/…'],
    ['QUEUE_URL', 'redis://:pa55/word@cache.example.com', 'redis://…'],
    ['QUEUE_URL', 'redis://:pa55?word@cache.example.com', 'redis://…'],
    ['ALERT_SMTP_URL', 'smtps://me:pa55word@mail.example.com?from=me@example.com', 'smtps://mail.example.com/…'],
    ['ALERT_SLACK_URL', 'https://hooks.slack.com/services/pa55word', 'https://hooks.slack.com/…'],
    ['SIGNING_KEYS', 'pa55word-pa55word,pa55word-pa55word', '••••••'],
    ['API_TOKEN', 'pa55word', '••••••'],
    // Not secret, but an operator may have put a password into it.
    ['API_BASE_URL', 'https://me:pa55word@api.example.com', 'https://api.example.com/…'],
    ['PUBLIC_URL', 'https://hooks.example.com/base', 'https://hooks.example.com/base'],
  ] as const)('shows of %s=%s only %s', (name, text, value) => {
    expect(show(name, text).value).toBe(value);
  });

  it('contain no part of a secret, whatever the secret and wherever an address has it', () => {
    const secretSettings = Object.entries<Setting>(settings).filter(([, { secret }]) => secret);
    expect(secretSettings.length).toBeGreaterThan(10);
    const forms = [
      (secret: string) => secret,
      (secret: string) => `postgres://user:${secret}@db.example.com/mirror`,
      (secret: string) => `redis://:${secret}@a:1,b:2/0`,
      (secret: string) => `redis+cluster://${secret}:${secret}@cache.example.com`,
      (secret: string) => `https://hooks.example.com/services/${secret}?token=${secret}`,
      (secret: string) => `smtps://${secret}:${secret}@mail.example.com?from=me@example.com&x=${secret}`,
    ];
    // Long enough not to be in a host by chance; every character that a password may have.
    const secrets = fc.string({ minLength: 3, maxLength: 30, unit: 'grapheme-ascii' }).map((text) => `Zq7${text}Zq7`);
    fc.assert(
      fc.property(
        fc.constantFrom(...secretSettings),
        fc.constantFrom(...forms),
        secrets,
        ([name, setting], form, secret) => {
          const text = form(secret);
          const { value } = showSetting({ name, setting, from: name, text }, []);
          expect(value).not.toContain('Zq7');
        },
      ),
      runs(200),
    );
  });
});
