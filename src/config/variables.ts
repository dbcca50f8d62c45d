// Every environment variable Slotstream reads. The same table generates .env.example and the table in docs/configuration.md
// (`npm run settings`), so every variable has a description. `outgoing-variables.ts` has those about what the program sends,
// `mirror-variables.ts` those that all processes of a mirror share.
import { z } from 'zod';
import {
  address,
  addressWithDefault,
  commaList,
  duration,
  schemaName,
  span,
  spanOrOff,
  text,
  webAddress,
  wholeNumber,
  yesOrNo,
} from './readers.ts';
import { mirrorSettings } from './mirror-variables.ts';
import { outgoingSettings } from './outgoing-variables.ts';
import type { Setting } from './readers.ts';

export const settings = {
  DATA_DIR: {
    reads: z.string().default('./data'),
    default: './data',
    meaning:
      'Folder for the embedded queue, the SQLite file, the disk log and generated secrets (readable by the owner only).',
  },
  DATABASE_URL: {
    reads: address('sqlite:', 'postgres://', 'postgresql://').optional(),
    default: 'sqlite:DATA_DIR/mirror.db',
    meaning:
      'The database of the mirror: `sqlite:PATH` or `postgres://…`. On PostgreSQL, `?pool=8` is the most connections of a process, and `postgres://HOST1,HOST2/…?target_session_attrs=read-write` uses the first host that can be written to.',
    secret: true,
  },
  DATABASE_READ_URL: {
    reads: address('postgres://', 'postgresql://').optional(),
    default: '– (DATABASE_URL)',
    meaning:
      'A hot standby of the PostgreSQL of `DATABASE_URL`, with the same database: the API, the pages and AI models read there, on three connections. `behind_seconds` of `GET /api/tables` says how old its rows are.',
    secret: true,
  },
  DATABASE_SCHEMA: {
    reads: schemaName.optional(),
    default: 'slotstream',
    meaning:
      'The schema of PostgreSQL for the tables, beside tables of your own; it is made when it is missing. A queue on PostgreSQL has the schema `slotstream_queue`, beside another name than the default `slotstream_queue_NAME`.',
  },
  QUEUE_URL: {
    reads: address(
      'redis://',
      'rediss://',
      'redis+sentinel://',
      'redis+cluster://',
      'postgres://',
      'postgresql://',
      'embedded:',
    ).optional(),
    default: 'embedded:DATA_DIR/queue',
    meaning:
      'The queue of deliveries: `redis://` `rediss://` `redis+sentinel://` `redis+cluster://` `postgres://` or `embedded:PATH`. `?name=NAME` separates [mirrors](deploy.md#several-mirrors) on one server.',
    secret: true,
    alias: 'REDIS_URL',
  },
  DISK_LOG: {
    reads: z.enum(['every', 'fallback'], 'every or fallback').optional(),
    default: 'every with a Redis queue, otherwise fallback',
    meaning:
      'Which deliveries the receiver writes to disk: `every` one until it is processed, in case Redis loses it; or `fallback`, only those that the queue does not take.',
  },
  DISK_LOG_MAX_MB: {
    reads: wholeNumber(1, 1_048_576).default(1024),
    default: '1024',
    meaning: 'Maximum size of the disk log; what needs it is rejected with 503 when it is full.',
  },
  DISK_LOG_KEEP: {
    reads: spanOrOff.prefault('15m'),
    default: '15m',
    meaning:
      'How long the disk log keeps deliveries that are processed, with `DISK_LOG=every`: when the database goes back, they are enqueued again. They are the first to be deleted when room is needed. `off` keeps none.',
  },
  MIN_FREE_DISK_MB: {
    reads: wholeNumber(0, 1_048_576).default(64),
    default: '64',
    meaning:
      'Stop accepting deliveries below this much free disk, in MB. A warning comes at eight times that. 0 turns the limit off.',
  },
  HOST: {
    reads: z.string().default('0.0.0.0'),
    default: '0.0.0.0',
    meaning: 'Address of the public listener, which serves only the webhook and health checks.',
  },
  PORT: { reads: wholeNumber(0, 65_535).default(8080), default: '8080', meaning: 'Port of the public listener.' },
  ADMIN_HOST: {
    reads: z.string().default('127.0.0.1'),
    default: '127.0.0.1',
    meaning: 'Address of the admin listener, which serves everything else. Do not expose it to the internet.',
  },
  ADMIN_PORT: {
    reads: wholeNumber(0, 65_535).optional(),
    default: '8081, or the next free port',
    meaning:
      'Port of the admin listener; every process has one. When it is set and in use, the process does not start.',
  },
  ADMIN_URL: {
    reads: webAddress,
    default: '– (http://ADMIN_HOST:ADMIN_PORT where other machines can reach that)',
    meaning:
      'The URL under which people reach the admin listener. Browsers may use its host name; alerts have links only when it is known.',
  },
  ADMIN_TOKEN: {
    reads: z.string().min(16, 'at least 16 characters').optional(),
    default: 'generated, stored in DATA_DIR/admin-token',
    meaning: 'Bearer token of the admin listener; `./bin/slotstream status --login` prints the link for a browser.',
    secret: true,
  },
  ADMIN_READ_TOKEN: {
    reads: z.string().min(16, 'at least 16 characters').optional(),
    default: '–',
    meaning:
      'A second bearer token of the admin listener, of at least 16 characters, for dashboards and BI tools: it reads everything and changes nothing. A change is answered 403 and logged.',
    secret: true,
  },
  METRICS_TOKEN: {
    reads: z.string().min(16, 'at least 16 characters').optional(),
    default: '–',
    meaning:
      'Bearer token of `/metrics` on the admin listener, of at least 16 characters, for Prometheus. It opens nothing else.',
    secret: true,
  },
  MCP_TOKEN: {
    reads: z.string().min(16, 'at least 16 characters').optional(),
    default: '– (MCP over HTTP is off)',
    meaning:
      'Bearer token of `/mcp` on the admin listener, of at least 16 characters, with which AI models read the mirror. It opens nothing else, and the other tokens do not open it.',
    secret: true,
  },
  MCP_REVEAL: {
    reads: yesOrNo(false),
    default: 'false',
    meaning: 'Show people and texts to AI models. Otherwise MCP answers with pseudonyms and without texts.',
  },
  PUBLIC_URL: {
    reads: webAddress.refine(
      (value) => value?.endsWith('/webhooks') !== true,
      'an address that does not end in /webhooks, which is added',
    ),
    default: '–',
    meaning: 'The public URL of this receiver; the callback URL is this plus `/webhooks`.',
  },
  SIGNING_KEYS: {
    reads: commaList
      .refine(
        (keys) => keys.every((key) => Buffer.byteLength(key) >= 16),
        'keys of at least 16 bytes (24 or more are recommended)',
      )
      .optional(),
    default: 'generated by `start`, stored in DATA_DIR/signing-keys',
    meaning:
      'Keys that verify deliveries, comma-separated. New subscriptions use the first; all of them verify, so keys can be rotated.',
    secret: true,
    alias: 'SIGNING_KEY',
    blankRefused: true,
  },
  SIGNATURE_SCHEME: {
    reads: z.enum(['timestamped', 'standard-webhooks'], 'timestamped or standard-webhooks').default('timestamped'),
    default: 'timestamped',
    meaning: 'Signature scheme of deliveries: `timestamped` (`t=…,v1=…`) or `standard-webhooks`.',
  },
  SIGNATURE_HEADER: {
    reads: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/, 'the name of an HTTP header')
      .default('Calendly-Webhook-Signature'),
    default: 'Calendly-Webhook-Signature',
    meaning: 'Header that carries the signature (scheme `timestamped`).',
  },
  SIGNATURE_TOLERANCE_SECONDS: {
    reads: wholeNumber(0, 86_400).default(300),
    default: '300',
    meaning: 'Maximum age of a signature, in the past or the future; 0 disables the check.',
  },
  ALLOW_UNSIGNED: {
    reads: yesOrNo(false),
    default: 'false',
    meaning:
      'Accept deliveries without a signature. Anyone can then write into your tables; every start logs a warning.',
  },
  MAX_BODY_BYTES: {
    reads: wholeNumber(1024, 64 * 1024 * 1024).default(1_048_576),
    default: '1048576',
    meaning: 'Maximum size of a delivery; a larger one is rejected with 413.',
  },
  API_BASE_URL: { ...addressWithDefault('https://api.calendly.com'), meaning: 'Address of the API, or of a sandbox.' },
  API_TOKEN: {
    reads: text,
    default: '–',
    meaning: 'A personal access token: in Calendly, Integrations & apps, API & webhooks.',
    secret: true,
  },
  OAUTH_CLIENT_ID: { reads: text, default: '–', meaning: 'OAuth client, instead of a token.' },
  OAUTH_CLIENT_SECRET: { reads: text, default: '–', meaning: 'The secret of the OAuth client.', secret: true },
  AUTH_URL: { ...addressWithDefault('https://calendly.com'), meaning: 'The issuer of OAuth tokens.' },
  ORGANIZATION_URI: {
    reads: webAddress,
    default: 'from `GET /users/me`',
    meaning: 'The organization to subscribe to.',
  },
  USER_URI: { reads: webAddress, default: 'from `GET /users/me`', meaning: 'The user to subscribe to.' },
  GROUP_URI: { reads: webAddress, default: '–', meaning: 'The group to subscribe to, instead of the organization.' },
  ...mirrorSettings,
  RECONCILE_EVERY: {
    reads: duration('1h'),
    default: '1h',
    meaning: 'How often recent changes are compared with the service.',
  },
  SWEEP_EVERY: {
    reads: duration('24h'),
    default: '24h',
    meaning: 'How often everything is compared with the service.',
  },
  POLL_EVERY: {
    reads: span.optional(),
    default: '–',
    meaning:
      'How often the service is read for changes where it has no address to call ([polling](deploy.md#without-a-public-address)): `5m` without this. Needed where a signing key or a shared queue is set; without effect with a public address.',
  },
  WATCH_EVERY: {
    reads: duration('5m'),
    default: '5m',
    meaning: 'How often the webhook subscriptions are checked and repaired.',
  },
  ...outgoingSettings,
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
export type SettingValues = { readonly [Name in SettingName]: z.output<(typeof settings)[Name]['reads']> };
