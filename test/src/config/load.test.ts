// What the environment may say, and what is answered when it says something wrong.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig, loadEnvFile } from '#src/config/load.ts';
import type { Environment } from '#src/config/load.ts';
import { exitCodeOf, SlotstreamError } from '#src/base/errors.ts';
import { settings } from '#src/config/variables.ts';

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
  it('needs nothing: the defaults are the embedded queue and a SQLite file in the data folder', () => {
    const config = loadConfig({ DATA_DIR: '/srv/slots' });
    expect(config).toMatchObject({
      dataDir: '/srv/slots',
      databaseUrl: 'sqlite:/srv/slots/mirror.db',
      queueUrl: 'embedded:/srv/slots/queue',
      host: '0.0.0.0',
      port: 8080,
      adminHost: '127.0.0.1',
      adminPort: 8081,
      signing: { keys: undefined, scheme: 'timestamped', header: 'Calendly-Webhook-Signature', toleranceSeconds: 300 },
      maxBodyBytes: 1_048_576,
      eraseOnDelete: true,
      reconcileEveryMs: 3_600_000,
      sweepEveryMs: 86_400_000,
      watchEveryMs: 300_000,
      warnings: [],
    });
    expect(config.events).toHaveLength(14);
  });

  it('takes blank variables for unset ones', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '  ', EVENTS: '' })).toMatchObject({ port: 8080 });
  });

  it('knows REDIS_URL and SIGNING_KEY as other names, and the main name wins', () => {
    expect(loadConfig({ REDIS_URL: 'redis://r' }).queueUrl).toBe('redis://r');
    expect(loadConfig({ REDIS_URL: 'redis://r', QUEUE_URL: 'redis://q' }).queueUrl).toBe('redis://q');
    expect(loadConfig({ REDIS_URL: 'redis://r', QUEUE_URL: ' ' }).queueUrl).toBe('redis://r');
    expect(loadConfig({ SIGNING_KEY: longKey }).signing.keys).toEqual([longKey]);
  });

  it('reads a mounted secret from the file that NAME_FILE names', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'slotstream-')), 'keys');
    writeFileSync(path, `${longKey}, second-${longKey}\n`);
    expect(loadConfig({ SIGNING_KEYS_FILE: path }).signing.keys).toEqual([longKey, `second-${longKey}`]);
    expect(complaintsOf({ SIGNING_KEYS_FILE: path, SIGNING_KEYS: longKey }).message).toContain('both set');
    expect(complaintsOf({ SIGNING_KEYS_FILE: '/nowhere' }).message).toContain('SIGNING_KEYS_FILE');
  });

  it('says every complaint at once, each naming its variable, and asks for exit code 2', () => {
    const error = complaintsOf({
      PORT: '99999',
      LOG_LEVEL: 'loud',
      EVENTS: 'contact.merged',
      WATCH_EVERY: '5 minutes',
    });
    expect(error.message.split('\n')).toHaveLength(4);
    for (const name of ['PORT', 'LOG_LEVEL', 'EVENTS', 'WATCH_EVERY']) expect(error.message).toContain(name);
    expect(error.message).toContain('"loud"');
    expect(exitCodeOf(error)).toBe(2);
  });

  it('never repeats the value of a secret', () => {
    const canary = 'canary-5f3a';
    const secrets = Object.entries(settings).filter(([, setting]) => 'secret' in setting);
    const env = Object.fromEntries(secrets.map(([name]) => [name, `,${canary}`]));
    expect(complaintsOf({ ...env, SIGNATURE_SCHEME: 'none' }).message).not.toContain(canary);
  });

  it.each([
    ['a blank', ''],
    ['a whitespace', '  '],
    ['a three-byte', 'abc'],
    ['a half-empty list of', `${longKey},,${longKey}`],
  ])('refuses %s signing key', (_, SIGNING_KEYS) => {
    expect(complaintsOf({ SIGNING_KEYS }).message).toContain('SIGNING_KEYS');
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

  it('warns about unsigned deliveries', () => {
    expect(loadConfig({ ALLOW_UNSIGNED: 'true' }).warnings).toHaveLength(1);
  });

  it('refuses engines it does not have', () => {
    expect(complaintsOf({ DATABASE_URL: 'mysql://x', QUEUE_URL: 'amqp://x' }).message.split('\n')).toHaveLength(2);
  });

  it('writes every batch to disk with a Redis queue unless it is turned off, and refuses that with another queue', () => {
    expect(loadConfig({ QUEUE_URL: 'redis+sentinel://h/m', DISK_LOG_MAX_MB: '2' }).diskLog).toEqual({
      mode: 'every',
      maxBytes: 2 * 1024 ** 2,
    });
    expect(loadConfig({ QUEUE_URL: 'redis://h', DISK_LOG: 'fallback' }).diskLog.mode).toBe('fallback');
    expect(loadConfig({}).diskLog.mode).toBe('fallback');
    expect(complaintsOf({ DISK_LOG: 'every' }).message).toContain('DISK_LOG=every needs a Redis queue');
    expect(complaintsOf({ DISK_LOG: 'every', QUEUE_URL: 'postgres://h/d' }).message).toContain('DISK_LOG=every needs');
  });

  it('wants the three OAuth settings together and two different ports', () => {
    expect(complaintsOf({ OAUTH_CLIENT_ID: 'x' }).message).toContain('OAUTH_CLIENT_SECRET');
    expect(complaintsOf({ PORT: '9000', ADMIN_PORT: '9000' }).message).toContain('must differ');
  });

  it('wants a read-only admin token that is long enough and not the admin token, and reads it from a file too', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'secret-')), 'token');
    writeFileSync(path, 'a-token-that-can-only-read\n');
    expect(loadConfig({ ADMIN_READ_TOKEN_FILE: path }).adminReadToken).toBe('a-token-that-can-only-read');
    expect(complaintsOf({ ADMIN_READ_TOKEN: 'short' }).message).toBe('ADMIN_READ_TOKEN must be at least 16 characters');
    const same = { ADMIN_TOKEN: longKey, ADMIN_READ_TOKEN: longKey };
    expect(complaintsOf(same).message).toMatch(/^ADMIN_READ_TOKEN must differ from ADMIN_TOKEN/);
  });

  it('wants a token for metrics that is no other token', () => {
    for (const name of ['ADMIN_TOKEN', 'ADMIN_READ_TOKEN', 'MCP_TOKEN'])
      expect(complaintsOf({ [name]: longKey, METRICS_TOKEN: longKey }).message).toMatch(/^METRICS_TOKEN must differ/);
    expect(loadConfig({ METRICS_TOKEN: longKey }).metricsToken).toBe(longKey);
  });

  it('wants a token for MCP that is long enough and opens nothing else, from a file too, and masks people by default', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'secret-')), 'token');
    writeFileSync(path, 'a-token-that-opens-only-mcp\n');
    expect(loadConfig({ MCP_TOKEN_FILE: path }).mcp).toEqual({
      token: 'a-token-that-opens-only-mcp',
      isRevealed: false,
    });
    expect(loadConfig({ MCP_REVEAL: 'true' }).mcp).toEqual({ token: undefined, isRevealed: true });
    expect(complaintsOf({ MCP_TOKEN: 'short' }).message).toBe('MCP_TOKEN must be at least 16 characters');
    for (const name of ['ADMIN_TOKEN', 'ADMIN_READ_TOKEN'])
      expect(complaintsOf({ MCP_TOKEN: longKey, [name]: longKey }).message).toMatch(/^MCP_TOKEN must differ from/);
  });

  it('wants the address of the push and its secret together, and neither of them shown', () => {
    const [url, secret] = ['https://feed.example.test/in/?canary', 'canary-secret-of-the-feed'];
    const { feed } = loadConfig({ FEED_PUSH_URL: url, FEED_PUSH_SECRET: secret });
    expect([feed.pushUrl, feed.pushAllowPrivate]).toEqual([url, false]);
    expect(complaintsOf({ FEED_PUSH_URL: url }).message).toContain('FEED_PUSH_SECRET');
    expect(complaintsOf({ FEED_PUSH_SECRET: secret }).message).toContain('FEED_PUSH_URL');
    const wrong = complaintsOf({ FEED_PUSH_URL: 'https://canary:x@feed.example.test', FEED_PUSH_SECRET: 'canary' });
    expect(wrong.message).toContain('FEED_PUSH_URL must be an address without a user name');
    expect(wrong.message).toContain('FEED_PUSH_SECRET must be at least 16 characters');
    expect(wrong.message).not.toContain('canary');
  });

  it('takes kinds of entries to push, with stars at the end', () => {
    expect(loadConfig({ FEED_PUSH_EVENTS: 'contact.*, invitee.created,*' }).feed.events).toEqual([
      'contact.*',
      'invitee.created',
      '*',
    ]);
    for (const FEED_PUSH_EVENTS of ['contact', '*.created', 'contact.created,'])
      expect(complaintsOf({ FEED_PUSH_EVENTS }).message).toMatch(/^FEED_PUSH_EVENTS must be /);
  });

  it('wants the addresses of brokers whole, and shows nothing of them', () => {
    const { feed } = loadConfig({ FEED_NATS_URL: 'tls://canary@a:4222,b', FEED_KAFKA_URL: 'kafka://a,b:1/topic' });
    expect(feed.nats).toMatchObject({ stream: 'slotstream', prefix: 'slotstream' });
    expect(feed.kafka).toEqual({ url: 'kafka://a,b:1/topic' });
    const wrong = complaintsOf({
      FEED_NATS_URL: 'canary:4222',
      FEED_KAFKA_URL: 'kafka://canary:x@/',
      FEED_NATS_SUBJECT: 'a.>',
    });
    expect(wrong.message).toContain('FEED_NATS_URL must be an address such as nats://');
    expect(wrong.message).toContain('FEED_KAFKA_URL must be an address such as kafka://');
    expect(wrong.message).toContain('FEED_NATS_SUBJECT must be a subject such as');
    expect(wrong.message).not.toContain('canary');
  });

  it('does not call a variable unset that has a wrong value', () => {
    const short = { ALERT_WEBHOOK_URL: 'https://hooks.example.test/', ALERT_WEBHOOK_SECRET: 'short' };
    expect(complaintsOf(short).message).toBe('ALERT_WEBHOOK_SECRET must be at least 16 characters');
  });

  it('wants what belongs to an alert channel together, and shows none of it', () => {
    const webhook = { ALERT_WEBHOOK_URL: 'https://hooks.example.test/in/?canary' };
    expect(complaintsOf(webhook).message).toContain('ALERT_WEBHOOK_SECRET');
    expect(complaintsOf({ ALERT_WEBHOOK_SECRET: 'canary-secret-of-alerts' }).message).toContain('ALERT_WEBHOOK_URL');
    expect(complaintsOf({ ALERT_SMTP_URL: 'smtp://mail.example.test' }).message).toContain('ALERT_EMAIL_TO');
    expect(complaintsOf({ ALERT_EMAIL_TO: 'ada@example.test' }).message).toContain('ALERT_SMTP_URL');
    expect(complaintsOf({ ALERT_NTFY_TOKEN: 'tk_canary' }).message).toContain('ALERT_NTFY_URL');
    const wrong = complaintsOf({
      ALERT_SLACK_URL: 'https://canary:x@hooks.example.test',
      ALERT_TEAMS_URL: 'canary',
      ALERT_DISCORD_URL: 'ftp://canary.example.test',
      ALERT_PAGERDUTY_KEY: 'canary',
      ALERT_NTFY_URL: 'https://canary.example.test/',
      ALERT_NTFY_TOKEN: 'canary\r\nx',
      ALERT_WEBHOOK_SECRET: 'canary',
      ALERT_SMTP_URL: 'smtps://canary@mail.example.test?tls=no',
      ALERT_EMAIL_TO: 'Canary <canary@example.test>',
    });
    expect(wrong.message.split('\n')).toEqual([
      'ALERT_SLACK_URL must be an address without a user name',
      'ALERT_TEAMS_URL must be an address such as https://… or http://…',
      'ALERT_DISCORD_URL must be an address such as https://… or http://…',
      'ALERT_PAGERDUTY_KEY must be an integration key of the Events API v2: 32 letters and digits',
      'ALERT_NTFY_URL must be the address of a topic, such as https://ntfy.sh/TOPIC',
      'ALERT_NTFY_TOKEN must be an access token of ntfy, such as tk_…',
      'ALERT_WEBHOOK_SECRET must be at least 16 characters',
      'ALERT_SMTP_URL must be an address with only from=ADDRESS after its ?',
      'ALERT_EMAIL_TO must be mail addresses without names, separated by commas',
    ]);
    expect(loadConfig({ ...webhook, ALERT_WEBHOOK_SECRET: longKey }).alerts.webhookUrl).toBe(webhook.ALERT_WEBHOOK_URL);
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

  it('calls the installation by its public host', () => {
    const nameOf = (env: Environment) => loadConfig(env).alerts.installation;
    expect(nameOf({ PUBLIC_URL: 'https://hooks.example.test', ADMIN_URL: 'http://127.0.0.1:8081' })).toBe(
      'hooks.example.test',
    );
    expect(nameOf({ ADMIN_URL: 'https://slots.example.test' })).toBe('slots.example.test');
    expect(nameOf({})).toBe('slotstream');
  });

  it('takes a star for every kind that begins so, and names a kind that does not exist', () => {
    expect(loadConfig({ EVENTS: 'invitee.*, contact.created' }).events).toEqual([
      'invitee.created',
      'invitee.canceled',
      'contact.created',
    ]);
    expect(complaintsOf({ EVENTS: 'invitee.created,invitee.moved' })).toMatchObject({
      message:
        'EVENTS must be kinds such as invitee.created or invitee.*. "invitee.moved" is no kind. Did you mean invitee.created?',
      hint: expect.stringMatching(/^Correct it in/) as string,
    });
    expect(complaintsOf({ EVENTS: 'booking.*' }).message).toMatch(/"booking\.\*" is no kind\. Is it one of .*\?$/);
  });

  it('refuses a DATABASE_SCHEMA that PostgreSQL or the queue has, or that is without PostgreSQL', () => {
    const DATABASE_URL = 'postgres://h/d';
    for (const DATABASE_SCHEMA of ['pg_catalog', 'information_schema', 'slotstream_queue_x', 'Mine', 'a-b'])
      expect(complaintsOf({ DATABASE_URL, DATABASE_SCHEMA }).message).toContain('DATABASE_SCHEMA must be a name');
    expect(complaintsOf({ DATABASE_SCHEMA: 'mine' }).message).toContain('DATABASE_SCHEMA needs PostgreSQL');
    expect(loadConfig({ DATABASE_URL, DATABASE_SCHEMA: 'mine' }).databaseUrl).toBe('postgres://h/d?schema=mine');
  });

  it('refuses a PUBLIC_URL that ends in /webhooks, which is added to it', () => {
    expect(complaintsOf({ PUBLIC_URL: 'https://hooks.example.test/webhooks/' }).message).toBe(
      'PUBLIC_URL must be an address that does not end in /webhooks, which is added, not "https://hooks.example.test/webhooks/"',
    );
  });

  it('takes the trailing slash off PUBLIC_URL', () => {
    expect(loadConfig({ PUBLIC_URL: 'https://hooks.example.test/' }).publicUrl).toBe('https://hooks.example.test');
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
