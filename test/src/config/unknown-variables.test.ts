import { describe, expect, it } from 'vitest';
import { unknownVariables } from '#src/config/unknown-variables.ts';
import { settings } from '#src/config/variables.ts';

const suggested = (name: string, meant: string): string =>
  `${name} is not a setting and has no effect. Did you mean ${meant}?`;

describe('a misspelt variable', () => {
  it.each([
    ['ALERT_SLAK_URL', 'ALERT_SLACK_URL'],
    ['FEED_PUSH_SECRETS', 'FEED_PUSH_SECRET'],
    ['OAUTH_CLIENTID', 'OAUTH_CLIENT_ID'],
    ['DISK_LOG_MAX_M', 'DISK_LOG_MAX_MB'],
    ['SIGNING_KEYS_FLIE', 'SIGNING_KEYS_FILE'],
  ])('with a prefix of ours, %s, is reported with the name that was meant', (name, meant) => {
    expect(unknownVariables([name], [])).toEqual([suggested(name, meant)]);
    expect(unknownVariables([name], [name])).toEqual([suggested(name, meant)]);
  });

  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['PUBLC_URL', 'PUBLIC_URL'],
    ['PUBLIC_ULR', 'PUBLIC_URL'],
    ['APITOKEN', 'API_TOKEN'],
    ['PORTT', 'PORT'],
  ])('without such a prefix, %s, is reported in the environment as in .env (A26)', (name, meant) => {
    expect(unknownVariables([name], [])).toEqual([suggested(name, meant)]);
    expect(unknownVariables([name], [name])).toEqual([suggested(name, meant)]);
  });

  it('with two slips in a short name is reported in .env only: HOME is a name of others', () => {
    expect(unknownVariables(['PROT', 'HOME'], [])).toEqual([]);
    expect(unknownVariables(['PROT'], ['PROT'])).toEqual([suggested('PROT', 'PORT')]);
  });

  it('that resembles no setting is reported where its prefix is ours', () => {
    expect(unknownVariables(['FEED_COLOUR_OF_THE_CAT'], [])).toEqual([expect.stringContaining('.env.example')]);
  });
});

describe('a variable of another program', () => {
  it('is not reported, not even in .env, where the containers have theirs', () => {
    const names = ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'NODE_ENV', 'TZ', 'PATH', 'HOSTNAME', 'COMPOSE_PROJECT_NAME'];
    const inShells = [
      'HOME',
      'HOSTTYPE',
      'LOGNAME',
      'USER',
      'PWD',
      'AWS_DEFAULT_REGION',
      'AWS_PROFILE',
      'DATABASE',
      'DEBUG',
    ];
    expect(unknownVariables(inShells, [])).toEqual([]);
    expect(unknownVariables(names, names)).toEqual([]);
  });

  it('nor is any setting, its file or its alias', () => {
    const names = Object.keys(settings).flatMap((name) => [name, `${name}_FILE`]);
    expect(unknownVariables([...names, 'REDIS_URL', 'SIGNING_KEY'], names)).toEqual([]);
  });
});
