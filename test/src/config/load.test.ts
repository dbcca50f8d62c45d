// What the environment may say, and what is answered when it says something wrong.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allEventKinds } from '#schemas/events.ts';
import { loadConfig, loadEnvFile, type Environment } from '#src/config/load.ts';
import { exitCodeOf, SlotstreamError } from '#src/base/errors.ts';
import { settings } from '#src/config/variables.ts';
import { expectGolden } from '../../harness/golden.ts';

const longKey = 'k'.repeat(32);

function complaintsOf(env: Environment): SlotstreamError {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof SlotstreamError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('configuration', () => {
  it('takes blank variables for unset ones, and REDIS_URL and SIGNING_KEY for other names; the main name wins', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '  ', EVENTS: '' })).toMatchObject({ port: 8080 });
    const queueOf = (env: Environment) => loadConfig({ REDIS_URL: 'redis://r', ...env }).queueUrl;
    expect([{}, { QUEUE_URL: 'redis://q' }, { QUEUE_URL: ' ' }].map(queueOf)).toEqual([
      'redis://r',
      'redis://q',
      'redis://r',
    ]);
    expect(loadConfig({ SIGNING_KEY: longKey }).signing.keys).toEqual([longKey]);
  });

  it('refuses quotes round a value, which `docker run --env-file` leaves there (A29)', () => {
    for (const quoted of ['"a-token"', "'a-token'"])
      expect(complaintsOf({ API_TOKEN: quoted }).message).toBe(
        'API_TOKEN is in quotes, which would be a part of it: leave them out',
      );
    expect(loadConfig({ API_TOKEN: 'a-"token"' }).api.token).toBe('a-"token"');
  });

  it('never repeats the value of a secret', () => {
    const canary = 'canary-5f3a';
    const secrets = Object.entries(settings).filter(([, setting]) => 'secret' in setting);
    const env = Object.fromEntries(secrets.map(([name]) => [name, `,${canary}`]));
    expect(complaintsOf({ ...env, SIGNATURE_SCHEME: 'none' }).message).not.toContain(canary);
  });

  it.each([
    ['SIGNING_KEYS', 'CHANGE-ME-32-characters-or-more'],
    ['SIGNING_KEYS', `${longKey}, changeme-changeme`],
    ['ADMIN_TOKEN', 'Change_Me-32-characters-or-more'],
    ['MCP_TOKEN', 'changeme-changeme'],
    ['API_TOKEN', 'CHANGE-ME'],
    ['DATABASE_URL', 'postgres://slotstream:CHANGE-ME@db/slotstream'],
  ])('refuses a secret of an example: %s=%s', (name, value) => {
    const { message } = complaintsOf({ [name]: value });
    expect([message.startsWith(`${name} has the value of an example`), message.includes(value)]).toEqual([true, false]);
  });

  it('writes every batch to disk with a Redis queue unless it is turned off', () => {
    expect(loadConfig({ QUEUE_URL: 'redis+sentinel://h/m', DISK_LOG_MAX_MB: '2' }).diskLog).toEqual({
      mode: 'every',
      maxBytes: 2 * 1024 ** 2,
      keepMs: 15 * 60_000,
    });
    for (const DISK_LOG_KEEP of ['off', '0', '0m']) expect(loadConfig({ DISK_LOG_KEEP }).diskLog.keepMs).toBe(0);
    expect(loadConfig({ DISK_LOG_KEEP: '2h' }).diskLog.keepMs).toBe(7_200_000);
    expect(loadConfig({ QUEUE_URL: 'redis://h', DISK_LOG: 'fallback' }).diskLog.mode).toBe('fallback');
    expect(loadConfig({}).diskLog.mode).toBe('fallback');
  });

  it('reads a mounted secret from the file that NAME_FILE names, and masks people for AI models by default', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'slotstream-')), 'secret');
    writeFileSync(path, `${longKey}, second-${longKey}\n`);
    expect(loadConfig({ SIGNING_KEYS_FILE: path }).signing.keys).toEqual([longKey, `second-${longKey}`]);
    writeFileSync(path, 'a-token-of-its-own-kind\n');
    expect(loadConfig({ ADMIN_READ_TOKEN_FILE: path }).adminReadToken).toBe('a-token-of-its-own-kind');
    expect(loadConfig({ MCP_TOKEN_FILE: path }).mcp).toEqual({ token: 'a-token-of-its-own-kind', isRevealed: false });
    expect(loadConfig({ MCP_REVEAL: 'true' }).mcp).toEqual({ token: undefined, isRevealed: true });
    expect(loadConfig({ METRICS_TOKEN: longKey }).metricsToken).toBe(longKey);
  });

  it('takes addresses of the feed and of alerts, and kinds of entries to push, with stars at the end', () => {
    const push = { FEED_PUSH_URL: 'https://feed.example.test/in/?a', FEED_PUSH_SECRET: longKey };
    expect(loadConfig(push).feed).toMatchObject({ pushUrl: push.FEED_PUSH_URL, pushAllowPrivate: false });
    const { feed } = loadConfig({ FEED_NATS_URL: 'tls://canary@a:4222,b', FEED_KAFKA_URL: 'kafka://a,b:1/topic' });
    expect(feed.nats).toMatchObject({ stream: 'slotstream', prefix: 'slotstream' });
    expect(feed.kafka).toEqual({ url: 'kafka://a,b:1/topic' });
    const FEED_PUSH_EVENTS = 'contact.*, invitee.created,*';
    expect(loadConfig({ FEED_PUSH_EVENTS }).feed.events).toEqual(['contact.*', 'invitee.created', '*']);
    const webhook = { ALERT_WEBHOOK_URL: 'https://hooks.example.test/in/?a', ALERT_WEBHOOK_SECRET: longKey };
    expect(loadConfig(webhook).alerts.webhookUrl).toBe(webhook.ALERT_WEBHOOK_URL);
  });

  it('links alerts to the admin listener only where other machines reach its address', () => {
    const linkOf = (env: Environment) => loadConfig(env).alerts.adminUrl;
    for (const host of ['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::'])
      expect([host, linkOf({ ADMIN_HOST: host })]).toEqual([host, undefined]);
    expect(linkOf({})).toBeUndefined();
    expect(linkOf({ ADMIN_HOST: '10.0.0.5', ADMIN_PORT: '0' })).toBeUndefined();
    expect(linkOf({ ADMIN_HOST: '10.0.0.5' })).toBe('http://10.0.0.5:8081');
    expect(linkOf({ ADMIN_HOST: 'fd00::5', ADMIN_PORT: '9000' })).toBe('http://[fd00::5]:9000');
    expect(linkOf({ ADMIN_HOST: '0.0.0.0', ADMIN_URL: 'https://slots.example.test/' })).toBe(
      'https://slots.example.test',
    );
  });

  it('takes the trailing slash off PUBLIC_URL, and calls the installation by its host, or by that of the pages', () => {
    const PUBLIC_URL = 'https://hooks.example.test/';
    const ADMIN_URL = 'https://slots.example.test';
    expect(loadConfig({ PUBLIC_URL }).publicUrl).toBe('https://hooks.example.test');
    const names = [{ PUBLIC_URL, ADMIN_URL }, { ADMIN_URL }, {}].map((env) => loadConfig(env).alerts.installation);
    expect(names).toEqual(['hooks.example.test', 'slots.example.test', 'slotstream']);
  });

  it('takes a star for every kind that begins so, and a schema of PostgreSQL', () => {
    const kinds = ['invitee.created', 'invitee.canceled', 'contact.created'];
    expect(loadConfig({ EVENTS: 'invitee.*, contact.created' }).stated.events).toEqual(kinds);
    expect(loadConfig({ EVENTS: 'all' }).stated.events).toEqual(allEventKinds);
    expect([loadConfig({ RETENTION_DAYS: 'off' }), loadConfig({})].map(({ stated }) => stated.retentionDays)).toEqual([
      0,
      undefined,
    ]);
    const addressOf = (DATABASE_URL: string) => loadConfig({ DATABASE_URL, DATABASE_SCHEMA: 'mine' }).databaseUrl;
    expect(addressOf('postgres://h/d')).toBe('postgres://h/d?schema=mine');
    expect(addressOf('postgresql://h/d?sslmode=require')).toBe('postgresql://h/d?sslmode=require&schema=mine');
  });
});

const tokenPath = join(mkdtempSync(join(tmpdir(), 'slotstream-')), 'keys');
writeFileSync(tokenPath, longKey);
const postgres = { DATABASE_URL: 'postgres://h/d' };

/** What is wrong, and nothing secret that may be shown. */
const mistakes: readonly Environment[] = [
  { PORT: '99999', LOG_LEVEL: 'loud', EVENTS: 'contact.merged', WATCH_EVERY: '5 minutes' },
  { PORT: '9000', ADMIN_PORT: '9000' },
  ...['', '  ', 'abc', `${longKey},,${longKey}`].map((SIGNING_KEYS) => ({ SIGNING_KEYS })),
  { SIGNING_KEYS_FILE: tokenPath, SIGNING_KEYS: longKey },
  { SIGNING_KEYS_FILE: '/nowhere' },
  { DATABASE_URL: 'mysql://x', QUEUE_URL: 'amqp://x' },
  { DATABASE_SCHEMA: 'mine' },
  ...['pg_catalog', 'information_schema', 'slotstream_queue_x', 'Mine', 'a-b'].map((DATABASE_SCHEMA) => ({
    ...postgres,
    DATABASE_SCHEMA,
  })),
  { DISK_LOG: 'every' },
  { DISK_LOG: 'every', QUEUE_URL: 'postgres://h/d' },
  { PUBLIC_URL: 'https://hooks.example.test/webhooks/' },
  ...['invitee.created,invitee.moved', 'booking.*'].map((EVENTS) => ({ EVENTS })),
  { OAUTH_CLIENT_ID: 'x' },
  { ADMIN_READ_TOKEN: 'short' },
  { ADMIN_TOKEN: longKey, ADMIN_READ_TOKEN: longKey },
  { MCP_TOKEN: 'short' },
  ...['ADMIN_TOKEN', 'ADMIN_READ_TOKEN'].map((name) => ({ [name]: longKey, MCP_TOKEN: longKey })),
  ...['ADMIN_TOKEN', 'ADMIN_READ_TOKEN', 'MCP_TOKEN'].map((name) => ({ [name]: longKey, METRICS_TOKEN: longKey })),
  { FEED_PUSH_URL: 'https://feed.example.test/in/?canary' },
  { FEED_PUSH_SECRET: 'canary-secret-of-the-feed' },
  { FEED_PUSH_URL: 'https://canary:x@feed.example.test', FEED_PUSH_SECRET: 'canary' },
  ...['contact', '*.created', 'contact.created,'].map((FEED_PUSH_EVENTS) => ({ FEED_PUSH_EVENTS })),
  { FEED_NATS_URL: 'canary:4222', FEED_KAFKA_URL: 'kafka://canary:x@/', FEED_NATS_SUBJECT: 'a.>' },
  { ALERT_WEBHOOK_URL: 'https://hooks.example.test/in/?canary' },
  { ALERT_WEBHOOK_URL: 'https://hooks.example.test/', ALERT_WEBHOOK_SECRET: 'short' },
  { ALERT_WEBHOOK_SECRET: 'canary-secret-of-alerts' },
  { ALERT_SMTP_URL: 'smtp://mail.example.test' },
  { ALERT_EMAIL_TO: 'ada@example.test' },
  { ALERT_NTFY_TOKEN: 'tk_canary' },
  {
    ALERT_SLACK_URL: 'https://canary:x@hooks.example.test',
    ALERT_TEAMS_URL: 'canary',
    ALERT_DISCORD_URL: 'ftp://canary.example.test',
    ALERT_PAGERDUTY_KEY: 'canary',
    ALERT_NTFY_URL: 'https://canary.example.test/',
    ALERT_NTFY_TOKEN: 'canary\r\nx',
    ALERT_WEBHOOK_SECRET: 'canary',
    ALERT_SMTP_URL: 'smtps://canary@mail.example.test?tls=no',
    ALERT_EMAIL_TO: 'Canary <canary@example.test>',
  },
];

describe('a mistake', () => {
  it('is named with its variable, all of them at once, with exit code 2 and without a secret', async () => {
    const parts = mistakes.map((env) => {
      const error = complaintsOf(env);
      expect(exitCodeOf(error)).toBe(2);
      expect(error.message).not.toContain('canary');
      const given = Object.entries(env).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      return [...given, ...error.message.split('\n').map((line) => `    ${line}`)].join('\n');
    });
    await expectGolden(parts.join('\n\n').replaceAll(tokenPath, '/run/secrets/keys'), 'golden/mistakes.txt');
  });
});

describe('the file .env', () => {
  it('adds variables that the environment does not have', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'slotstream-')), '.env');
    writeFileSync(path, 'LOADED_BY_TEST=file\nPATH=/nowhere\n');
    const before = process.env['PATH'];
    try {
      expect(loadEnvFile(path)).toEqual(['LOADED_BY_TEST', 'PATH']);
      expect([process.env['LOADED_BY_TEST'], process.env['PATH']]).toEqual(['file', before]);
    } finally {
      delete process.env['LOADED_BY_TEST'];
    }
  });

  it('is named when it cannot be read, as when it is a folder', () => {
    const path = mkdtempSync(join(tmpdir(), 'slotstream-'));
    expect(() => loadEnvFile(path)).toThrow(`${path} cannot be read (EISDIR).`);
  });
});
