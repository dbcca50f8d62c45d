// Reads the environment once and reports all invalid variables at once, each by name and never with the value of a secret.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { withSchema } from '#src/base/database-schema.ts';
import { diskError } from '#src/base/disk-failure.ts';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import { placeholder } from '#src/base/placeholder.ts';
import { adminPortOf, conflictsIn, isRedis } from './conflicts.ts';
import { feedOf } from './feed-variables.ts';
import type { Setting } from './readers.ts';
import { groupedSettings } from './setting-groups.ts';
import { showSetting, type SettingView } from './shown-settings.ts';
import { unknownVariables } from './unknown-variables.ts';
import { settings } from './variables.ts';
import type { SettingValues } from './variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Config = ReturnType<typeof shape>;

/** Adds the variables of a `.env` file in the working folder; the real environment takes precedence. Returns their names. */
export function loadEnvFile(path = '.env'): readonly string[] {
  if (!existsSync(path)) return [];
  const names = Object.keys(parseEnv(readEnvFile(path)));
  process.loadEnvFile(path);
  return names;
}

function readEnvFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const failure = diskError(`${resolve(path)} cannot be read`, cause);
    throw (
      failure ??
      new SlotstreamError('config', `${resolve(path)} cannot be read (${codeOf(cause)}).`, {
        hint: 'Make it a file that this user may read (Docker makes a folder where a mounted file is missing), or remove it.',
        cause,
      })
    );
  }
}

/** `inFile`: the names that come from the `.env` file. */
export function loadConfig(env: Environment, inFile: readonly string[] = []): Config {
  const problems: string[] = [];
  const unreadable = new Map<string, SlotstreamError>();
  const values: Record<string, unknown> = {};
  const shownSettings: SettingView[] = [];
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const given = lookUp(env, name, setting);
    if ('problem' in given) problems.push(given.problem);
    else if ('unreadable' in given) unreadable.set(name, given.unreadable);
    else {
      const read = setting.reads.safeParse(given.text);
      shownSettings.push(showSetting({ name, setting, ...given }, inFile));
      if (setting.secret && placeholder.test(given.text ?? ''))
        problems.push(`${given.from} has the value of an example, which everybody knows: give it one of your own`);
      else if (read.success) values[name] = read.data;
      else {
        const message = String(read.error.issues[0]?.message);
        problems.push(`${given.from} must be ${message}${message.endsWith('?') ? '' : shown(given.text, setting)}`);
      }
    }
  }
  // A variable that was rejected above is set, though it has no value here.
  const named = problems.flatMap((problem) => problem.replace('_FILE ', ' ').split(' ', 1));
  const rejected = new Set([...named, ...unreadable.keys()]);
  problems.push(
    ...conflictsIn(values).filter((conflict) => !conflict.split(/[^A-Z_]+/).some((word) => rejected.has(word))),
  );
  if (problems.length > 0) {
    throw new SlotstreamError('config', problems.join('\n'), {
      hint: `Correct ${problems.length === 1 ? 'it' : 'them'} in the environment or in .env; .env.example lists every variable.`,
    });
  }
  for (const failure of unreadable.values()) throw failure;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the loop above parsed every setting, or it was a problem
  const config = shape(values as unknown as SettingValues);
  const unknownSettings = unknownVariables(Object.keys(env), inFile);
  const warnings = [...config.warnings, ...unknownSettings];
  const inGroups = groupedSettings(shownSettings, ({ name }) => name).flatMap(([, those]) => those);
  return { ...config, warnings, unknownSettings, settings: inGroups };
}

type VariableText =
  | { readonly from: string; readonly text: string | undefined }
  | { readonly problem: string }
  /** Its disk failed or is missing: no mistake of the operator. */
  | { readonly unreadable: SlotstreamError };

// A variable, its alias, or the file that `NAME_FILE` points to (how containers mount secrets).
function lookUp(env: Environment, name: string, setting: Setting): VariableText {
  const from =
    unset(env[name], setting) && setting.alias !== undefined && env[setting.alias] !== undefined ? setting.alias : name;
  const text = env[from];
  const path = blank(env[`${name}_FILE`]) ? undefined : env[`${name}_FILE`];
  if (path !== undefined && !blank(text)) return { problem: `${from} and ${name}_FILE are both set: keep one of them` };
  if (path !== undefined) return readSecret(`${name}_FILE`, path);
  if (text !== undefined && blank(text) && setting.blankRefused) {
    return { problem: `${from} is set but blank: give it a value, or remove it` };
  }
  // `docker run --env-file` leaves them on.
  if (/^(["']).*\1$/s.test(text?.trim() ?? ''))
    return { problem: `${from} is in quotes, which would be a part of it: leave them out` };
  return { from, text: blank(text) ? undefined : text?.trim() };
}

/** Blank counts as unset, except where that would be a security risk. */
function unset(text: string | undefined, { blankRefused }: Setting): boolean {
  return text === undefined || (blank(text) && !blankRefused);
}

function blank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}

function readSecret(from: string, path: string): VariableText {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? { problem: `${from} points to an empty file` } : { from, text };
  } catch (error) {
    // A file that is missing in a folder is a mistake. A folder that is missing may be one that is not mounted yet.
    const isMistake = codeOf(error) === 'ENOENT' && existsSync(dirname(path));
    const unreadable = isMistake ? undefined : diskError(`${from} points to ${path}, which cannot be read`, error);
    return unreadable ? { unreadable } : { problem: `${from} points to a file that cannot be read` };
  }
}

function shown(text: string | undefined, setting: Setting): string {
  return setting.secret || text === undefined ? '' : `, not ${JSON.stringify(text.slice(0, 80))}`;
}

function shape(values: SettingValues) {
  const dataDir = resolve(values.DATA_DIR);
  return {
    dataDir,
    databaseReadUrl: values.DATABASE_READ_URL && withSchema(values.DATABASE_READ_URL, values.DATABASE_SCHEMA),
    databaseUrl: withSchema(values.DATABASE_URL ?? `sqlite:${join(dataDir, 'mirror.db')}`, values.DATABASE_SCHEMA),
    queueUrl: withSchema(values.QUEUE_URL ?? `embedded:${join(dataDir, 'queue')}`, values.DATABASE_SCHEMA),
    diskLog: {
      mode: values.DISK_LOG ?? (isRedis(values.QUEUE_URL) ? 'every' : 'fallback'),
      maxBytes: values.DISK_LOG_MAX_MB * 1024 ** 2,
      keepMs: values.DISK_LOG_KEEP,
    },
    minFreeDiskBytes: values.MIN_FREE_DISK_MB * 1024 ** 2,
    host: values.HOST,
    port: values.PORT,
    adminHost: values.ADMIN_HOST,
    adminPort: adminPortOf(values),
    /** Otherwise a process takes the next free port when the usual one is in use. */
    hasAdminPort: values.ADMIN_PORT !== undefined,
    adminToken: values.ADMIN_TOKEN,
    adminReadToken: values.ADMIN_READ_TOKEN,
    metricsToken: values.METRICS_TOKEN,
    mcp: { token: values.MCP_TOKEN, isRevealed: values.MCP_REVEAL },
    publicUrl: values.PUBLIC_URL,
    signing: {
      keys: values.SIGNING_KEYS as readonly string[] | undefined,
      scheme: values.SIGNATURE_SCHEME,
      header: values.SIGNATURE_HEADER,
      toleranceSeconds: values.SIGNATURE_TOLERANCE_SECONDS,
      allowUnsigned: values.ALLOW_UNSIGNED,
    },
    maxBodyBytes: values.MAX_BODY_BYTES,
    api: {
      baseUrl: values.API_BASE_URL,
      token: values.API_TOKEN,
      oauth: oauthOf(values),
      organizationUri: values.ORGANIZATION_URI,
      userUri: values.USER_URI,
      groupUri: values.GROUP_URI,
    },
    answers: values.ANSWERS,
    /** What all processes share. What is not stated here is the mirror's (`store.settings`). */
    stated: {
      events: values.EVENTS,
      eraseOnDelete: values.ERASE_ON_DELETE,
      retentionDays: values.RETENTION_DAYS,
      currencyFields: values.CURRENCY_FIELDS,
      reportTimezone: values.REPORT_TIMEZONE,
    },
    reconcileEveryMs: values.RECONCILE_EVERY,
    sweepEveryMs: values.SWEEP_EVERY,
    pollEveryMs: values.POLL_EVERY,
    watchEveryMs: values.WATCH_EVERY,
    alerts: {
      slackUrl: values.ALERT_SLACK_URL,
      slackApp: slackAppOf(values),
      teamsUrl: values.ALERT_TEAMS_URL,
      discordUrl: values.ALERT_DISCORD_URL,
      pagerdutyKey: values.ALERT_PAGERDUTY_KEY,
      pagerdutyUrl: values.ALERT_PAGERDUTY_URL,
      ntfyUrl: values.ALERT_NTFY_URL,
      ntfyToken: values.ALERT_NTFY_TOKEN,
      webhookUrl: values.ALERT_WEBHOOK_URL,
      webhookSecret: values.ALERT_WEBHOOK_SECRET,
      smtpUrl: values.ALERT_SMTP_URL,
      emailTo: values.ALERT_EMAIL_TO,
      file: values.ALERTS_FILE,
      graceMs: values.ALERT_GRACE,
      maxAgeMs: values.ALERT_MAX_AGE,
      allowPrivate: values.ALERT_ALLOW_PRIVATE,
      adminUrl: values.ADMIN_URL ?? adminUrlOf(values),
      /** What others call this installation. */
      installation: URL.parse(values.PUBLIC_URL ?? values.ADMIN_URL ?? '')?.host ?? 'slotstream',
    },
    feed: feedOf(values),
    storage: {
      accessKeyId: values.AWS_ACCESS_KEY_ID,
      secretAccessKey: values.AWS_SECRET_ACCESS_KEY,
      sessionToken: values.AWS_SESSION_TOKEN,
      region: values.AWS_REGION,
      endpoint: values.AWS_ENDPOINT_URL_S3,
    },
    logLevel: values.LOG_LEVEL,
    /** Every setting for people, without secrets. */
    settings: [] as readonly SettingView[],
    /** A sentence for each variable that is probably misspelt. */
    unknownSettings: [] as readonly string[],
    /** Allowed, but logged at every start and by `doctor`. The key ring warns about weak signing keys. */
    warnings: values.ALLOW_UNSIGNED
      ? ['ALLOW_UNSIGNED is on: anyone who reaches the webhook can write into your tables.']
      : ([] as readonly string[]),
  } as const;
}

/** The listener's own address; undefined when other machines cannot reach it under that: loopback, every interface, any free port. */
function adminUrlOf(values: SettingValues): string | undefined {
  const { ADMIN_HOST: host } = values;
  const port = adminPortOf(values);
  if (port === 0 || /^(127\.|localhost$|::1$|0\.0\.0\.0$|::$)/.test(host)) return undefined;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function slackAppOf({
  ALERT_SLACK_TOKEN: token,
  ALERT_SLACK_APP_TOKEN: appToken,
  ALERT_SLACK_API_URL: url,
  ALERT_ALLOW_PRIVATE: allowPrivate,
}: SettingValues) {
  return token === undefined ? undefined : { token, appToken, apiUrl: url.replace(/\/?$/, '/'), allowPrivate };
}

function oauthOf({ OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET, AUTH_URL }: SettingValues) {
  if (OAUTH_CLIENT_ID === undefined || OAUTH_CLIENT_SECRET === undefined) return undefined;
  return { clientId: OAUTH_CLIENT_ID, clientSecret: OAUTH_CLIENT_SECRET, authUrl: AUTH_URL };
}
