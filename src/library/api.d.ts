// Everything that programs can import, made by `npm run api`: a change here is a change for its users (docs/typescript.md).

// slotstream
/** `30s`, `5m`, `1h`, `1d`. */
export type Duration = `${number}${'s' | 'm' | 'h' | 'd'}`;
/** `invitee.*` is every kind that begins so. */
export type EventName = EventKind | `${string}.*`;
/** The settings of the command, by their camel-case names (docs/configuration.md). The environment is not read. */
export interface MirrorSettings {
  /** The same as `databaseUrl`. */
  readonly database?: string | undefined;
  /** The same as `queueUrl`. */
  readonly queue?: string | undefined;
  /** DATA_DIR: Folder for the embedded queue, the SQLite file, the disk log and generated secrets (readable by the owner only). Default: ./data. */
  readonly dataDir?: string | undefined;
  /** DATABASE_URL: The database of the mirror: `sqlite:PATH` or `postgres://…`. On PostgreSQL, `?pool=8` is the most connections of a process, and `postgres://HOST1,HOST2/…?target_session_attrs=read-write` uses the first host that can be written to. Default: sqlite:DATA_DIR/mirror.db. */
  readonly databaseUrl?: string | undefined;
  /** DATABASE_READ_URL: A hot standby of the PostgreSQL of `DATABASE_URL`, with the same database: the API, the pages and AI models read there, on three connections. `behind_seconds` of `GET /api/tables` says how old its rows are. Default: – (DATABASE_URL). */
  readonly databaseReadUrl?: string | undefined;
  /** DATABASE_SCHEMA: The schema of PostgreSQL for the tables, beside tables of your own; it is made when it is missing. A queue on PostgreSQL has the schema `slotstream_queue`, beside another name than the default `slotstream_queue_NAME`. Default: slotstream. */
  readonly databaseSchema?: string | undefined;
  /** QUEUE_URL: The queue of deliveries: `redis://` `rediss://` `redis+sentinel://` `redis+cluster://` `postgres://` or `embedded:PATH`. `?name=NAME` separates [mirrors](deploy.md#several-mirrors) on one server. Default: embedded:DATA_DIR/queue. */
  readonly queueUrl?: string | undefined;
  /** DISK_LOG: Which deliveries the receiver writes to disk: `every` one until it is processed, in case Redis loses it; or `fallback`, only those that the queue does not take. Default: every with a Redis queue, otherwise fallback. */
  readonly diskLog?: 'every' | 'fallback' | undefined;
  /** DISK_LOG_MAX_MB: Maximum size of the disk log; what needs it is rejected with 503 when it is full. Default: 1024. */
  readonly diskLogMaxMb?: number | undefined;
  /** DISK_LOG_KEEP: How long the disk log keeps deliveries that are processed, with `DISK_LOG=every`: when the database goes back, they are enqueued again. They are the first to be deleted when room is needed. `off` keeps none. Default: 15m. */
  readonly diskLogKeep?: Duration | '0' | 'off' | undefined;
  /** MIN_FREE_DISK_MB: Stop accepting deliveries below this much free disk, in MB. A warning comes at eight times that. 0 turns the limit off. Default: 64. */
  readonly minFreeDiskMb?: number | undefined;
  /** HOST: Address of the public listener, which serves only the webhook and health checks. Default: 0.0.0.0. */
  readonly host?: string | undefined;
  /** PORT: Port of the public listener. Default: 8080. */
  readonly port?: number | undefined;
  /** ADMIN_HOST: Address of the admin listener, which serves everything else. Do not expose it to the internet. Default: 127.0.0.1. */
  readonly adminHost?: string | undefined;
  /** ADMIN_PORT: Port of the admin listener; every process has one. When it is set and in use, the process does not start. Default: 8081, or the next free port. */
  readonly adminPort?: number | undefined;
  /** ADMIN_URL: The URL under which people reach the admin listener. Browsers may use its host name; alerts have links only when it is known. Default: – (http://ADMIN_HOST:ADMIN_PORT where other machines can reach that). */
  readonly adminUrl?: string | undefined;
  /** ADMIN_TOKEN: Bearer token of the admin listener; `./bin/slotstream status --login` prints the link for a browser. Default: generated, stored in DATA_DIR/admin-token. */
  readonly adminToken?: string | undefined;
  /** ADMIN_READ_TOKEN: A second bearer token of the admin listener, of at least 16 characters, for dashboards and BI tools: it reads everything and changes nothing. A change is answered 403 and logged. Default: –. */
  readonly adminReadToken?: string | undefined;
  /** METRICS_TOKEN: Bearer token of `/metrics` on the admin listener, of at least 16 characters, for Prometheus. It opens nothing else. Default: –. */
  readonly metricsToken?: string | undefined;
  /** MCP_TOKEN: Bearer token of `/mcp` on the admin listener, of at least 16 characters, with which AI models read the mirror. It opens nothing else, and the other tokens do not open it. Default: – (MCP over HTTP is off). */
  readonly mcpToken?: string | undefined;
  /** MCP_REVEAL: Show people and texts to AI models. Otherwise MCP answers with pseudonyms and without texts. Default: false. */
  readonly mcpReveal?: boolean | undefined;
  /** PUBLIC_URL: The public URL of this receiver; the callback URL is this plus `/webhooks`. Default: –. */
  readonly publicUrl?: string | undefined;
  /** SIGNING_KEYS: Keys that verify deliveries, comma-separated. New subscriptions use the first; all of them verify, so keys can be rotated. Default: generated by `start`, stored in DATA_DIR/signing-keys. */
  readonly signingKeys?: string | readonly string[] | undefined;
  /** SIGNATURE_SCHEME: Signature scheme of deliveries: `timestamped` (`t=…,v1=…`) or `standard-webhooks`. Default: timestamped. */
  readonly signatureScheme?: 'timestamped' | 'standard-webhooks' | undefined;
  /** SIGNATURE_HEADER: Header that carries the signature (scheme `timestamped`). Default: Calendly-Webhook-Signature. */
  readonly signatureHeader?: string | undefined;
  /** SIGNATURE_TOLERANCE_SECONDS: Maximum age of a signature, in the past or the future; 0 disables the check. Default: 300. */
  readonly signatureToleranceSeconds?: number | undefined;
  /** ALLOW_UNSIGNED: Accept deliveries without a signature. Anyone can then write into your tables; every start logs a warning. Default: false. */
  readonly allowUnsigned?: boolean | undefined;
  /** MAX_BODY_BYTES: Maximum size of a delivery; a larger one is rejected with 413. Default: 1048576. */
  readonly maxBodyBytes?: number | undefined;
  /** API_BASE_URL: Address of the API, or of a sandbox. Default: https://api.calendly.com. */
  readonly apiBaseUrl?: string | undefined;
  /** API_TOKEN: A personal access token: in Calendly, Integrations & apps, API & webhooks. Default: –. */
  readonly apiToken?: string | undefined;
  /** OAUTH_CLIENT_ID: OAuth client, instead of a token. Default: –. */
  readonly oauthClientId?: string | undefined;
  /** OAUTH_CLIENT_SECRET: The secret of the OAuth client. Default: –. */
  readonly oauthClientSecret?: string | undefined;
  /** AUTH_URL: The issuer of OAuth tokens. Default: https://calendly.com. */
  readonly authUrl?: string | undefined;
  /** ORGANIZATION_URI: The organization to subscribe to. Default: from `GET /users/me`. */
  readonly organizationUri?: string | undefined;
  /** USER_URI: The user to subscribe to. Default: from `GET /users/me`. */
  readonly userUri?: string | undefined;
  /** GROUP_URI: The group to subscribe to, instead of the organization. Default: –. */
  readonly groupUri?: string | undefined;
  /** EVENTS: Event kinds to mirror, comma-separated; `invitee.*` is every kind that begins so, `all` is every kind. Default: the mirror's; at first all. */
  readonly events?: 'all' | EventName | readonly EventName[] | undefined;
  /** ERASE_ON_DELETE: Redact deleted contacts: their values are removed from the tables and the log. Default: the mirror's; at first true. */
  readonly eraseOnDelete?: boolean | undefined;
  /** RETENTION_DAYS: Prune log bodies older than this many days, unless a current row still uses a value from them; `off` keeps them. Default: the mirror's; at first off. */
  readonly retentionDays?: number | 'off' | undefined;
  /** REPORT_TIMEZONE: The time zone in which the views and the dashboard count days and months. Default: the mirror's; at first UTC. */
  readonly reportTimezone?: string | undefined;
  /** CURRENCY_FIELDS: Unit in which the service sends the amounts of custom fields of the type `currency`: `minor` (cents), as its specification says, or `major` (units of the currency). `contacts_wide` and the dashboard follow it. Default: the mirror's; at first minor. */
  readonly currencyFields?: 'minor' | 'major' | undefined;
  /** RECONCILE_EVERY: How often recent changes are compared with the service. Default: 1h. */
  readonly reconcileEvery?: Duration | undefined;
  /** SWEEP_EVERY: How often everything is compared with the service. Default: 24h. */
  readonly sweepEvery?: Duration | undefined;
  /** POLL_EVERY: How often the service is read for changes where it has no address to call ([polling](deploy.md#without-a-public-address)): `5m` without this. Needed where a signing key or a shared queue is set; without effect with a public address. Default: –. */
  readonly pollEvery?: Duration | undefined;
  /** WATCH_EVERY: How often the webhook subscriptions are checked and repaired. Default: 5m. */
  readonly watchEvery?: Duration | undefined;
  /** ALERT_SLACK_URL: Incoming webhook for alerts, of Slack or a compatible service. Default: –. */
  readonly alertSlackUrl?: string | undefined;
  /** ALERT_SLACK_TOKEN: Bot token of a Slack app: messages to hosts are direct messages. Needs ALERT_SLACK_URL for all others. Default: –. */
  readonly alertSlackToken?: string | undefined;
  /** ALERT_SLACK_APP_TOKEN: App-level token of that app, for Socket Mode: direct messages have buttons. Default: –. */
  readonly alertSlackAppToken?: string | undefined;
  /** ALERT_SLACK_API_URL: The Web API of Slack; `https://slack-gov.com/api/` for GovSlack. Default: https://slack.com/api/. */
  readonly alertSlackApiUrl?: string | undefined;
  /** ALERT_TEAMS_URL: Webhook of a Microsoft Teams workflow for alerts. Default: –. */
  readonly alertTeamsUrl?: string | undefined;
  /** ALERT_DISCORD_URL: Webhook of a Discord channel for alerts. Default: –. */
  readonly alertDiscordUrl?: string | undefined;
  /** ALERT_PAGERDUTY_KEY: Integration key of a PagerDuty service (Events API v2) for alerts. Default: –. */
  readonly alertPagerdutyKey?: string | undefined;
  /** ALERT_PAGERDUTY_URL: The Events API of PagerDuty; `https://events.eu.pagerduty.com/v2/enqueue` for an account in the EU. Default: https://events.pagerduty.com/v2/enqueue. */
  readonly alertPagerdutyUrl?: string | undefined;
  /** ALERT_NTFY_URL: Topic of ntfy for alerts, such as `https://ntfy.sh/TOPIC`. Default: –. */
  readonly alertNtfyUrl?: string | undefined;
  /** ALERT_NTFY_TOKEN: Access token of ntfy, for a protected topic. Default: –. */
  readonly alertNtfyToken?: string | undefined;
  /** ALERT_WEBHOOK_URL: Your own webhook for alerts, signed (Standard Webhooks). Default: –. */
  readonly alertWebhookUrl?: string | undefined;
  /** ALERT_WEBHOOK_SECRET: Signing secret for ALERT_WEBHOOK_URL: `whsec_` and base64, or any text. Default: –. */
  readonly alertWebhookSecret?: string | undefined;
  /** ALERT_SMTP_URL: Mail server for alerts: `smtps://USER:PASSWORD@HOST?from=ADDRESS`. Default: –. */
  readonly alertSmtpUrl?: string | undefined;
  /** ALERT_EMAIL_TO: Recipients of alerts by e-mail, comma-separated. Default: –. */
  readonly alertEmailTo?: string | readonly string[] | undefined;
  /** ALERTS_FILE: File with alert rules. Default: –. */
  readonly alertsFile?: string | undefined;
  /** ANSWERS: `on`: answer whether invitees came, on the dashboard and over the API. An answer marks a no-show at the service, or removes the mark; the token needs `scheduled_events:write`. Default: off. */
  readonly answers?: 'on' | 'off' | undefined;
  /** ALERT_GRACE: Delay before an alert about a booking is sent; `0` for none. Default: 2m. */
  readonly alertGrace?: Duration | '0' | undefined;
  /** ALERT_MAX_AGE: Events older than this never cause an alert. Default: 24h. */
  readonly alertMaxAge?: Duration | undefined;
  /** ALERT_ALLOW_PRIVATE: Allow alerts to private network addresses, and without encryption by mail and by the Slack app. Default: false. */
  readonly alertAllowPrivate?: boolean | undefined;
  /** FEED_PUSH_URL: Webhook that receives every new entry of the feed, signed (Standard Webhooks). Default: –. */
  readonly feedPushUrl?: string | undefined;
  /** FEED_PUSH_SECRET: Signing secret for FEED_PUSH_URL: `whsec_` and base64, or any text. Default: –. */
  readonly feedPushSecret?: string | undefined;
  /** FEED_PUSH_ALLOW_PRIVATE: Allow FEED_PUSH_URL to lead to a private network address. Default: false. */
  readonly feedPushAllowPrivate?: boolean | undefined;
  /** FEED_PUSH_FORMAT: What FEED_PUSH_URL receives: `slotstream` or `cloudevents` (CloudEvents 1.0, one event per request). Default: slotstream. */
  readonly feedPushFormat?: 'slotstream' | 'cloudevents' | undefined;
  /** FEED_PUSH_EVENTS: Push only these kinds, to every sink: `invitee.*,contact.updated`. Default: all. Default: –. */
  readonly feedPushEvents?: string | readonly string[] | undefined;
  /** FEED_INCLUDE: `row`: entries that are pushed carry the rows they are about, as they are then. Default: –. */
  readonly feedInclude?: 'row' | undefined;
  /** FEED_STREAM_URL: Redis with a stream to which every new entry of the feed is appended. Default: –. */
  readonly feedStreamUrl?: string | undefined;
  /** FEED_STREAM_KEY: Name of that stream. Default: slotstream:feed. */
  readonly feedStreamKey?: string | undefined;
  /** FEED_STREAM_MAX_LENGTH: Approximate maximum number of entries in that stream; 0 for all. Default: 1000000. */
  readonly feedStreamMaxLength?: number | undefined;
  /** FEED_NATS_URL: NATS with a JetStream stream to which every new entry of the feed is published: `nats://` or `tls://`, `USER:PASSWORD@` or `TOKEN@`, hosts separated by commas. Default: –. */
  readonly feedNatsUrl?: string | undefined;
  /** FEED_NATS_CREDENTIALS: Credentials file (`.creds`) for that NATS. Default: –. */
  readonly feedNatsCredentials?: string | undefined;
  /** FEED_NATS_STREAM: Name of that stream; created when there is none. Default: slotstream. */
  readonly feedNatsStream?: string | undefined;
  /** FEED_NATS_SUBJECT: Beginning of the NATS subjects, which end with the event: `slotstream.contact.updated`. Default: slotstream. */
  readonly feedNatsSubject?: string | undefined;
  /** FEED_KAFKA_URL: Kafka topic to which every new entry of the feed is sent: `kafka://USER:PASSWORD@HOST:9092,HOST2:9092/TOPIC`, `kafkas://` with TLS, `?sasl=SCRAM-SHA-512` for another login than `PLAIN`. Default: –. */
  readonly feedKafkaUrl?: string | undefined;
  /** AWS_ACCESS_KEY_ID: Access key for exports to `s3://…`. Default: – (the AWS SDK finds a profile, web identity or role). */
  readonly awsAccessKeyId?: string | undefined;
  /** AWS_SECRET_ACCESS_KEY: The secret of that access key. Default: –. */
  readonly awsSecretAccessKey?: string | undefined;
  /** AWS_SESSION_TOKEN: Session token, with temporary credentials. Default: –. */
  readonly awsSessionToken?: string | undefined;
  /** AWS_REGION: Region of the bucket; `auto` or any name where the service has no regions. Default: – (the region of the profile, else `us-east-1`). */
  readonly awsRegion?: string | undefined;
  /** AWS_ENDPOINT_URL_S3: URL of an S3-compatible service other than AWS. The bucket is then in the path, not in the host name. Default: – (AWS, in AWS_REGION). */
  readonly awsEndpointUrlS3?: string | undefined;
  /** LOG_LEVEL: Log level. The log is JSON lines, pretty on a terminal. Default: info. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | undefined;
}
/** An entry of the log, after its commit. */
export interface LoggedEvent {
  readonly entry: Omit<FeedEntry, "done" | "row">;
  /** Table → the row that the entry is about, as it is now; null in place of a deleted row. Null when the entry changes no row. */
  readonly row: NonNullable<FeedEntry["row"]> | null;
}
export interface MirrorOptions extends MirrorSettings {
  /**
  * Registers for webhooks before the promise resolves, as `bootstrap()` does; at every start, which changes nothing where all is as it
  * should be. For a mirror that listens itself: the service sends to `publicUrl` from then on. Default: false.
  */
  readonly register?: boolean;
}
/** A kind of entry: of a webhook, of what was read from the service (`invitee.read`), or the beginning of several (`invitee.*`). */
export type LogEvent = EventKind | `attendance.${"confirmed" | "withdrawn"}` | `${string}.${"read" | "gone" | "*"}` | "*";
export interface RegistrationOptions {
  /** Deletes subscriptions of this mirror that are no longer needed. */
  readonly prune?: boolean;
  /** Registers with a new signing key; deliveries signed with the old one are still accepted. */
  readonly rotateKey?: boolean;
  /** Registers also where nothing answers at `publicUrl` from here; never where someone else answers. */
  readonly anyway?: boolean;
}
export interface Registration {
  /** False where something will not arrive: `notes` say what, and what to do. */
  readonly complete: boolean;
  readonly organization: string;
  /** Where the service sends to. */
  readonly callback: string;
  /** How many subscriptions were created, found, deleted, refused and so on. */
  readonly summary: Readonly<Record<string, number>>;
  readonly conclusion: string;
  readonly notes: readonly string[];
}
/** What the service has lists of; `scheduled_events` includes the invitees. */
export type ResourceName = "contacts" | "custom_field_definitions" | "event_types" | "meeting_recaps" | "organization_memberships" | "routing_forms" | "scheduled_events";
export interface BackfillOptions {
  /** Default: everything that the setting `events` requires. */
  readonly only?: readonly ResourceName[];
  /** Starts over instead of resuming. */
  readonly restart?: boolean;
}
export interface BackfillResult {
  /** False where it was stopped: the next one resumes. */
  readonly complete: boolean;
  readonly resources: readonly {
    readonly name: ResourceName;
    readonly state: string;
    readonly rows: number;
    readonly created: number;
    readonly updated: number;
    readonly unchanged: number;
    readonly quarantined: number;
    readonly left_out: number;
    /** The first of what was left out, and how to fix it. */
    readonly missing: readonly string[];
  }[];
  readonly elapsed_ms: number;
}
export interface Mirror extends AsyncDisposable {
  /** Takes a delivery, at any path: 202 once it is safe, 401, 413 and so on otherwise. With `answers`, `/answers/…` is the page of a signed link. */
  receive(request: Request): Promise<Response>;
  /**
  * Calls your function for each entry of these kinds (`invitee.created`, `invitee.*`), after its commit: at least once, in the order of
  * the log for each subject, and again with growing delays until it does not fail. `name` is its offset in the database: where it stopped,
  * it continues. A new name begins at the end of the log: wait for the promise to miss nothing. Of many processes, one at a time calls it.
  */
  on(event: LogEvent | readonly LogEvent[], name: string, handler: (logged: LoggedEvent) => unknown): Promise<void>;
  /** Registers for the webhooks that the setting `events` requires, as `slotstream bootstrap` does. Rejects where nothing is registered. */
  bootstrap(options?: RegistrationOptions): Promise<Registration>;
  /** Copies what the service already has, as `slotstream backfill` does. */
  backfill(options?: BackfillOptions): Promise<BackfillResult>;
  /** As `slotstream status --json`. */
  status(): Promise<object>;
  /** Of the listener for webhooks; undefined where there is no `port`. */
  readonly port: number | undefined;
  /** The address of the dashboard and the API; undefined where there is no `adminPort`. */
  readonly adminUrl: string | undefined;
  readonly adminToken: string;
  /** Finishes what was accepted, and closes everything. */
  close(): Promise<void>;
}
/** Opens the mirror: it receives, works, and does everything that `slotstream start` does. */
export declare function createMirror({ register: registers, ...settings }?: MirrorOptions): Promise<Mirror>;

// slotstream/webhooks
/** The payload of each kind. Fields that the service adds later are there too, as unknown. */
export interface Payloads {
  'invitee.created': InviteePayload;
  'invitee.canceled': InviteePayload;
  'invitee_no_show.created': InviteePayload;
  'invitee_no_show.deleted': InviteePayload;
  'meeting_recap.created': MeetingRecapPayload;
  'meeting_recap.updated': MeetingRecapPayload;
  'meeting_recap.deleted': MeetingRecapPayload;
  'routing_form_submission.created': RoutingFormSubmissionPayload;
  'contact.created': ContactPayload;
  'contact.updated': ContactPayload;
  'contact.deleted': DeletedContactPayload;
  'event_type.created': EventTypePayload;
  'event_type.updated': EventTypePayload;
  'event_type.deleted': EventTypePayload;
}
export type EventKind =
  | 'invitee.created'
  | 'invitee.canceled'
  | 'invitee_no_show.created'
  | 'invitee_no_show.deleted'
  | 'meeting_recap.created'
  | 'meeting_recap.updated'
  | 'meeting_recap.deleted'
  | 'routing_form_submission.created'
  | 'contact.created'
  | 'contact.updated'
  | 'contact.deleted'
  | 'event_type.created'
  | 'event_type.updated'
  | 'event_type.deleted';
export type PayloadOf<Kind extends EventKind> = Payloads[Kind];
export interface InviteePayload {
  uri: string;
  email?: string | null | undefined;
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  name?: string | null | undefined;
  status?: string | null | undefined;
  questions_and_answers?: Array<{
    question?: string | null | undefined;
    answer?: string | null | undefined;
    position?: number | null | undefined;
    [field: string]: unknown;
  }> | null | undefined;
  timezone?: string | null | undefined;
  event?: string | null | undefined;
  created_at?: string | null | undefined;
  updated_at?: string | null | undefined;
  tracking?: {
    utm_campaign?: string | null | undefined;
    utm_source?: string | null | undefined;
    utm_medium?: string | null | undefined;
    utm_content?: string | null | undefined;
    utm_term?: string | null | undefined;
    salesforce_uuid?: string | null | undefined;
    [field: string]: unknown;
  } | null | undefined;
  text_reminder_number?: string | null | undefined;
  rescheduled?: boolean | null | undefined;
  old_invitee?: string | null | undefined;
  new_invitee?: string | null | undefined;
  cancel_url?: string | null | undefined;
  reschedule_url?: string | null | undefined;
  routing_form_submission?: string | null | undefined;
  payment?: {
    external_id?: string | null | undefined;
    provider?: string | null | undefined;
    amount?: number | string | null | undefined;
    currency?: string | null | undefined;
    terms?: string | null | undefined;
    successful?: boolean | null | undefined;
    [field: string]: unknown;
  } | null | undefined;
  no_show?: {
    uri?: string | null | undefined;
    created_at?: string | null | undefined;
    [field: string]: unknown;
  } | null | undefined;
  reconfirmation?: {
    created_at?: string | null | undefined;
    confirmed_at?: string | null | undefined;
    [field: string]: unknown;
  } | null | undefined;
  scheduling_method?: string | null | undefined;
  invitee_scheduled_by?: string | null | undefined;
  cancellation?: {
    canceled_by?: string | null | undefined;
    reason?: string | null | undefined;
    canceler_type?: string | null | undefined;
    created_at?: string | null | undefined;
    [field: string]: unknown;
  } | null | undefined;
  canceled?: boolean | null | undefined;
  scheduled_event?: ScheduledEventPayload | null | undefined;
  [field: string]: unknown;
}
export interface ScheduledEventPayload {
  uri: string;
  name?: string | null | undefined;
  meeting_notes_plain?: string | null | undefined;
  meeting_notes_html?: string | null | undefined;
  status?: string | null | undefined;
  start_time?: string | null | undefined;
  end_time?: string | null | undefined;
  event_type?: string | null | undefined;
  location?: unknown;
  invitees_counter?: unknown;
  created_at?: string | null | undefined;
  updated_at?: string | null | undefined;
  event_memberships?: unknown;
  event_guests?: unknown;
  cancellation?: unknown;
  [field: string]: unknown;
}
export interface ContactPayload {
  uri: string;
  emails?: Array<{
    email?: string | null | undefined;
    is_primary?: boolean | null | undefined;
    [field: string]: unknown;
  }> | null | undefined;
  created_at?: string | null | undefined;
  updated_at?: string | null | undefined;
  name?: string | null | undefined;
  phone_numbers?: Array<{
    phone_number?: string | null | undefined;
    [field: string]: unknown;
  }> | null | undefined;
  timezone?: string | null | undefined;
  job_title?: string | null | undefined;
  company?: string | null | undefined;
  country?: string | null | undefined;
  state?: string | null | undefined;
  city?: string | null | undefined;
  linkedin?: string | null | undefined;
  custom_fields?: Array<{
    uri?: string | null | undefined;
    label?: string | null | undefined;
    value?: unknown;
    [field: string]: unknown;
  }> | null | undefined;
  first_email_date?: string | null | undefined;
  last_email_date?: string | null | undefined;
  next_meeting_date?: string | null | undefined;
  last_meeting_date?: string | null | undefined;
  last_interaction_date?: string | null | undefined;
  creation_source?: string | null | undefined;
  user_uuid?: string | null | undefined;
  [field: string]: unknown;
}
export interface DeletedContactPayload {
  uri: string;
  deleted_at?: string | null | undefined;
  [field: string]: unknown;
}
export interface EventTypePayload {
  uri: string;
  name?: string | null | undefined;
  active?: boolean | null | undefined;
  slug?: string | null | undefined;
  scheduling_url?: string | null | undefined;
  duration?: number | null | undefined;
  kind?: string | null | undefined;
  pooling_type?: string | null | undefined;
  type?: string | null | undefined;
  color?: string | null | undefined;
  created_at?: string | null | undefined;
  updated_at?: string | null | undefined;
  internal_note?: string | null | undefined;
  description_plain?: string | null | undefined;
  description_html?: string | null | undefined;
  profile?: {
    type?: string | null | undefined;
    name?: string | null | undefined;
    owner?: string | null | undefined;
    [field: string]: unknown;
  } | null | undefined;
  secret?: boolean | null | undefined;
  booking_method?: string | null | undefined;
  custom_questions?: unknown;
  deleted_at?: string | null | undefined;
  admin_managed?: boolean | null | undefined;
  locations?: unknown;
  position?: number | null | undefined;
  locale?: string | null | undefined;
  [field: string]: unknown;
}
export interface MeetingRecapPayload {
  uri: string;
  transcript?: string | null | undefined;
  summary_md?: string | null | undefined;
  action_items_md?: string | null | undefined;
  discussion_md?: string | null | undefined;
  share_link?: string | null | undefined;
  created_at?: string | null | undefined;
  updated_at?: string | null | undefined;
  deleted_at?: string | null | undefined;
  event?: {
    uri?: string | null | undefined;
    name?: string | null | undefined;
    start_time?: string | null | undefined;
    end_time?: string | null | undefined;
    location?: unknown;
    attendees?: unknown;
    [field: string]: unknown;
  } | null | undefined;
  [field: string]: unknown;
}
export interface RoutingFormSubmissionPayload {
  uri: string;
  routing_form?: string | null | undefined;
  questions_and_answers?: Array<{
    question_uuid?: string | null | undefined;
    question?: string | null | undefined;
    answer?: string | null | undefined;
    [field: string]: unknown;
  }> | null | undefined;
  tracking?: {
    utm_campaign?: string | null | undefined;
    utm_source?: string | null | undefined;
    utm_medium?: string | null | undefined;
    utm_content?: string | null | undefined;
    utm_term?: string | null | undefined;
    salesforce_uuid?: string | null | undefined;
    [field: string]: unknown;
  } | null | undefined;
  result?: {
    type?: string | null | undefined;
    value?: unknown;
    [field: string]: unknown;
  } | null | undefined;
  submitter?: string | null | undefined;
  submitter_type?: string | null | undefined;
  created_at?: string | null | undefined;
  updated_at?: string | null | undefined;
  [field: string]: unknown;
}
/** How deliveries are signed; the defaults are those of the service. */
export interface SignatureOptions {
  readonly scheme?: "timestamped" | "standard-webhooks";
  /** The header of the `timestamped` scheme. Default: `Calendly-Webhook-Signature`. */
  readonly header?: string;
}
export interface VerificationOptions extends SignatureOptions {
  /** All of them verify: during a rotation, the new key and the previous one. */
  readonly keys: readonly string[];
  /** In both directions. Default: 300. 0: the age is not checked. */
  readonly toleranceSeconds?: number;
}
export interface WebhookInput extends VerificationOptions {
  /** As it arrived: parsed JSON cannot be verified. */
  readonly body: Uint8Array | ArrayBuffer | string;
  /** Of a web request, or of Node's (`req.headers`). */
  readonly headers: {
    get(name: string): string | null;
  } | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Default: the time of the machine. */
  readonly now?: Date;
}
/** `stale_signed`: correctly signed, but outside the tolerance. The cause is a clock or a slow retry, not an attack. */
export type Refusal = "missing" | "malformed" | "wrong" | "stale" | "stale_signed";
/** A verified delivery of a kind that this version knows. */
export interface Webhook<Kind extends EventKind = EventKind> {
  readonly ok: true;
  readonly known: true;
  /** The same for every attempt to deliver the same fact, also to two subscriptions. */
  readonly id: string;
  readonly event: Kind;
  /** The same as `event`. */
  readonly name: Kind;
  /** UTC with six fractional digits, as every time in the payload. */
  readonly createdAt: string;
  readonly payload: PayloadOf<Kind>;
  /** Names values that were set aside because they are not as specified. */
  readonly notes: readonly string[];
}
/** A verified delivery of another kind, or one that cannot be read. Answer it as any other: sending it again would not help. */
export interface UnknownWebhook {
  readonly ok: true;
  readonly known: false;
  readonly id: string;
  readonly event: null;
  /** The kind that it names. */
  readonly name: string | null;
  /** Why a delivery of a known kind cannot be read; null for an unknown kind. */
  readonly problem: string | null;
}
export interface RefusedWebhook {
  readonly ok: false;
  readonly known: false;
  readonly event: null;
  readonly name: null;
  readonly refusal: Refusal;
}
export type WebhookResult = { [Kind in EventKind]: Webhook<Kind> }[EventKind] | UnknownWebhook | RefusedWebhook;
/** Verifies the signature over the exact bytes, then reads them. Nothing unverified is parsed. */
export declare function readWebhook(input: WebhookInput): WebhookResult;
export interface WebhookToSign extends SignatureOptions {
  readonly body: Uint8Array | ArrayBuffer | string;
  readonly key: string;
  /** In seconds since 1970. Default: now. */
  readonly timestamp?: number;
  /** Only Standard Webhooks sends it. */
  readonly id?: string;
}
/** The headers of a genuine delivery, for tests. */
export declare function signWebhook(webhook: WebhookToSign): Record<string, string>;
export interface WebhooksOptions extends VerificationOptions {
  /** Larger bodies get 413. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Where an error of a handler is reported. The delivery gets 500, so that it is sent again. Default: `console.error`. */
  readonly onError?: (error: unknown, webhook: Webhook) => void;
}
/** The part of Node's request that is read; those of Express and Fastify (`request.raw`) have it. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly readableDidRead?: boolean;
  /** Where `express.raw()` put it. */
  readonly body?: unknown;
}
export interface NodeResponse {
  writeHead(status: number): unknown;
  end(): unknown;
}
/** Calls your functions for verified deliveries: 200 once all of them have ended, 500 when one fails. */
export declare class Webhooks {
  #private;
  constructor(options: WebhooksOptions);
  /** The handlers of a kind run one after the other. A delivery can arrive twice: use its `id`. */
  on<Kind extends EventKind>(event: Kind | readonly Kind[], handler: (webhook: Webhook<Kind>) => unknown): this;
  /** For Hono, Next, Bun, Deno and others with web requests. */
  fetch(request: Request): Promise<Response>;
  /** For Express, and for Fastify with `request.raw` and `reply.raw`. Mount it before what parses JSON. */
  node(request: NodeRequest, response: NodeResponse): Promise<void>;
}

// slotstream/client
export interface ClientOptions {
  /** The address of the admin listener: `http://127.0.0.1:8081`. */
  readonly url: string;
  /** ADMIN_READ_TOKEN; a consumer of the feed and the table `admin_actions` need ADMIN_TOKEN. */
  readonly token: string;
  /** Is called before a failed request is repeated: the mirror does not answer, or answers 429 or 5xx. */
  readonly onRetry?: (error: unknown, delayMs: number) => void;
}
/** Items that are read as a loop reaches them: `for await (const item of list)`. Each loop begins anew. */
export interface List<Item> extends AsyncIterable<Item> {
  /** All of them, in memory. */
  all(): Promise<Item[]>;
}
export interface Client {
  /** The rows that answer a question, page by page. A request that fails seven times in a row throws. */
  rows<
    Name extends ReadableTable,
    const Select extends readonly Selectable<Name>[] | undefined = undefined
  >(table: Name, question?: Question<Name, Select>): List<RowOf<Name, Select>>;
  /** How many rows there are. */
  count<Name extends ReadableTable>(table: Name, question?: {
    readonly where?: Where<Name>;
    readonly signal?: AbortSignal;
  }): Promise<number>;
  /** The entries of the feed. Repeats what fails until it works. */
  feed(options?: FeedOptions): List<FeedEntry>;
}
export interface Question<
  Name extends ReadableTable,
  Select extends readonly Selectable<Name>[] | undefined = undefined
> {
  /** All of these hold. */
  readonly where?: Where<Name>;
  /** Columns: `['uri', 'start_time']`. With `count()`, `sum(…)`, `avg(…)`, `min(…)` or `max(…)`, a row is a group with equal values in the other columns. */
  readonly select?: Select;
  /** `['start_time.desc', 'uri']`; of groups, columns of the answer: `['count.desc']`. Rows without a value come last. */
  readonly order?: readonly OrderTerm<OrderedBy<Name, NoInfer<Select>>>[];
  /** At most so many rows in all. */
  readonly limit?: number;
  /** The loop throws its reason once it aborts. */
  readonly signal?: AbortSignal;
}
/**
* A value is `eq`, a list is `in`, null is `is.null`. `{ gte: …, lt: … }` has operators, all of which hold. `or` and `and` have more
* conditions; `not` is the opposite. As in SQL, no condition but null holds for a column without a value, nor does its opposite.
*/
export type Where<Name extends ReadableTable> = { readonly [Column in keyof Row<Name, AskedValues>]?: Test<NonNullable<Row<Name, AskedValues>[Column]>> } & {
  readonly or?: readonly Where<Name>[];
  readonly and?: readonly Where<Name>[];
  readonly not?: Where<Name>;
};
/** What a column is compared with. JSON is not compared. */
interface AskedValues extends ColumnValues {
  text: string;
  time: string | Date;
  /** A day: `2026-11-01`. */
  date: string;
  json: never;
  flag: boolean;
  integer: number;
  number: number;
}
type Test<Value> = unknown extends Value ? unknown : [Value] extends [never] ? null | {
  readonly is?: null;
  readonly not?: null | {
    readonly is?: null;
  };
} : Value | null | readonly Value[] | Operators<Value>;
interface Operators<Value> {
  readonly eq?: Value;
  readonly neq?: Value;
  readonly gt?: Value;
  readonly gte?: Value;
  readonly lt?: Value;
  readonly lte?: Value;
  readonly in?: readonly Value[];
  readonly is?: [Value] extends [boolean] ? boolean | null : null;
  /** `*` and `%` stand for any text, `_` for one character; `literal(text)` takes that away. */
  readonly like?: [Value] extends [string] ? string : never;
  /** Ignores the case of A to Z. */
  readonly ilike?: [Value] extends [string] ? string : never;
  readonly not?: Test<Value>;
}
/** A column, or a number computed from the rows of a group. */
type Selectable<Name extends ReadableTable> = ColumnOf<Name> | "count()" | `${"sum" | "avg"}(${ColumnOf<Name, ["number"]>})` | `${"min" | "max"}(${ColumnOf<Name, ["number"] | ["text"] | string>})`;
/** The columns of a kind; of a table with columns of custom fields, any. */
type ColumnOf<
  Name extends ReadableTable,
  Kind = unknown
> = string extends keyof Row<Name, KindNames> ? string : { [Column in keyof Row<Name, KindNames>]: [NonNullable<Row<Name, KindNames>[Column]>] extends [Kind] ? Column : never }[keyof Row<Name, KindNames>] & string;
/** Columns with listed values have these instead. */
interface KindNames extends ColumnValues {
  text: ["text"];
  time: ["text"];
  date: ["text"];
  json: ["json"];
  flag: ["flag"];
  integer: ["number"];
  number: ["number"];
}
type OrderTerm<Column extends string> = Column | `${Column}.asc` | `${Column}.desc`;
type OrderedBy<
  Name extends ReadableTable,
  Select
> = IsGrouped<Select> extends true ? OutputName<Extract<Select, readonly string[]>[number]> : ColumnOf<Name, ["number"] | ["text"] | ["flag"] | string>;
type IsGrouped<Select> = Select extends readonly string[] ? Extract<Select[number], `${string}()` | `${string}(${string})`> extends never ? false : true : false;
/** `sum(payment_amount)` is the column `sum_payment_amount` of the answer. */
type OutputName<Item extends string> = Item extends "count()" ? "count" : Item extends `${infer Word}(${infer Column})` ? `${Word}_${Column}` : Item;
/** A row of the answer: the whole row, the columns of `select`, or a group. */
export type RowOf<
  Name extends ReadableTable,
  Select
> = Select extends readonly string[] ? number extends Select["length"] ? Partial<Selected<Name, Select[number]>> : Selected<Name, Select[number]> : Row<Name, JsonValues>;
type Selected<
  Name extends ReadableTable,
  Item extends string
> = { [Each in Item as OutputName<Each>]: Each extends "count()" ? number : Each extends `${"sum" | "avg"}(${string})` ? number | null : Each extends `${"min" | "max"}(${infer Column})` ? ValueIn<Name, Column> | null : ValueIn<Name, Each> };
type ValueIn<
  Name extends ReadableTable,
  Column extends string
> = Column extends keyof Row<Name, JsonValues> ? Row<Name, JsonValues>[Column] : never;
export interface FeedOptions {
  /** The mirror has the offset of this name: a reader of the same name continues there. */
  readonly consumer?: string;
  /** Begins after this entry, where there is no `consumer`. Default: 0, the beginning. */
  readonly after?: number;
  /** Only these kinds: `['invitee.*', 'contact.deleted']`. */
  readonly event?: readonly string[];
  /** Only entries about this URI. */
  readonly subject?: string;
  readonly outcome?: readonly string[];
  /** `row`: with the rows that an entry is about, as they are now. `none`: without changes and payload. */
  readonly include?: "row" | "none";
  /** Whether to wait for new entries at the end. Default: true. */
  readonly follow?: boolean;
  /** Ends the loop without an error. */
  readonly signal?: AbortSignal;
}
export interface FeedEntry {
  /** Its position in the log. Rises; numbers may be missing. */
  readonly seq: number;
  readonly event: string | null;
  readonly source: string;
  readonly subject_uri: string | null;
  readonly occurred_at: string | null;
  readonly received_at: string;
  readonly outcome: string;
  /** Table → column → [before, after]. */
  readonly changes: Readonly<Record<string, Readonly<Record<string, readonly [unknown, unknown]>>>> | null;
  readonly payload: unknown;
  /** With `include: 'row'`: table → the row as it is now. */
  readonly row?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>> | null;
  /** Acknowledges this entry and all before it. A reader that ends without it gets the entry again. */
  done(): Promise<void>;
}
/** The mirror refuses the request: 400 for a question that it does not understand, 401 and 403 for a wrong token. Repeating it would not help. */
export declare class RejectedRequest extends Error {
  readonly status: number;
  /** What is wrong: a parameter, and what about it. */
  readonly details: readonly {
    readonly message: string;
    readonly parameter?: string;
  }[];
  constructor(status: number, text: string);
}
export declare function createClient(options: ClientOptions): Client;
/** In `like` and `ilike`: this text, in which nothing stands for another text. */
export declare const literal: (text: string) => string;

// slotstream/sandbox
export interface SandboxOptions {
  /** The same seed makes the same data. Default: 1. */
  readonly seed?: number;
  /** Answers and webhooks as in the specification, or as at the public service. Default: `specification`. */
  readonly as?: "specification" | "public";
  /** Default: any free port. */
  readonly port?: number;
  readonly contacts?: number;
  readonly bookings?: number;
  /** The share of these bookings that began with a routing form, from 0 to 1. Default: 0. */
  readonly routed?: number;
  /** Accepts subscriptions to `event_type.*` too. */
  readonly eventTypes?: boolean;
  /** Answers 429 after too many calls. Default: false. */
  readonly rateLimits?: boolean;
}
/** What is to be booked; the rest is made up. */
export interface BookingRequest {
  /** The URI of an event type. */
  readonly eventType?: string;
  readonly startTime?: Date;
  readonly email?: string;
  readonly name?: string;
}
/** A record as the service answers it. */
export interface SandboxRecord {
  readonly uri: string;
  readonly [field: string]: unknown;
}
/** Probabilities from 0 to 1, as in docs/sandbox.md. */
export interface SandboxFaults {
  readonly duplicate?: number;
  readonly drop?: number;
  readonly shuffle?: number;
  readonly delay_ms?: number;
  readonly corrupt_signature?: number;
  readonly stale_retries?: number;
  readonly same_second?: number;
  /** A probability, or a status from 500 to 599 for every answer. */
  readonly status?: number;
  readonly rate_limit?: number;
  readonly latency_ms?: number;
}
export interface Sandbox extends AsyncDisposable {
  /** API_BASE_URL. */
  readonly url: string;
  /** API_TOKEN: of the owner, with every scope. */
  readonly token: string;
  readonly organization: string;
  readonly user: string;
  /** The URIs of event types. */
  readonly eventTypes: {
    readonly solo: string;
    readonly group: string;
    readonly round_robin: string;
  };
  readonly clock: {
    now(): Date;
    /** `90m`, `24h`, `3d`: retries of deliveries, conference links and the end of subscriptions follow. */
    advance(duration: string): Promise<void>;
  };
  /** An invitee books. Each booking without a time has one of its own. */
  book(request?: BookingRequest): Promise<SandboxRecord>;
  cancel(invitee: string, cancellation?: {
    readonly by?: "host" | "invitee";
    readonly reason?: string;
  }): Promise<SandboxRecord>;
  reschedule(invitee: string, startTime: Date): Promise<SandboxRecord>;
  noShow(invitee: string): Promise<SandboxRecord>;
  undoNoShow(invitee: string): Promise<SandboxRecord>;
  /** Replaces the faults; without any, there are none. */
  faults(faults?: SandboxFaults): Promise<void>;
  /** Everything that the service sent, with the answers. */
  deliveries(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Any operation of the service, or of the controls under `/_sandbox`. Throws when it is not 2xx. */
  call(method: string, path: string, body?: object): Promise<unknown>;
  close(): Promise<void>;
}
export declare function startSandbox({ rateLimits, ...options }?: SandboxOptions): Promise<Sandbox>;

// slotstream/tables
/** What node-postgres returns for each kind of column. */
export interface PostgresValues {
  text: string;
  /** Has microseconds in the database, and milliseconds here. */
  time: Date;
  date: Date;
  json: Json;
  flag: boolean;
  integer: string;
  number: number;
}
/** What SQLite stores for each kind of column: JSON as text, flags as 0 and 1. */
export interface SqliteValues {
  text: string;
  time: string;
  date: string;
  json: string;
  flag: number;
  integer: number;
  number: number;
}
/** What the HTTP API answers for each kind of column. */
export interface JsonValues {
  text: string;
  /** `2026-11-01T09:00:00.000000Z`; `new Date(…)` reads it. */
  time: string;
  /** `2026-11-01` */
  date: string;
  json: Json;
  flag: boolean;
  integer: number;
  number: number;
}
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
/** For a driver of your own, or one with other parsers: the types of its values. */
export type ColumnValues = Record<keyof PostgresValues, unknown>;
/** For PostgreSQL: `new Kysely<Database>(…)`. */
export type Database = Tables<PostgresValues>;
export type SqliteDatabase = Tables<SqliteValues>;
/** A row of a table or a view: `Row<'contacts'>`. */
export type Row<Name extends keyof Tables<PostgresValues>, Values extends ColumnValues = PostgresValues> = Tables<Values>[Name];
/** What `slotstream/client` reads: every table and view, except those that only the program reads. */
export type ReadableTable = Exclude<keyof Tables<JsonValues>, 'key_values' | 'sync_checkpoints'>;
export interface Tables<Values extends ColumnValues> {
  contacts: ContactsRow<Values>;
  contact_emails: ContactEmailsRow<Values>;
  contact_phone_numbers: ContactPhoneNumbersRow<Values>;
  custom_field_definitions: CustomFieldDefinitionsRow<Values>;
  users: UsersRow<Values>;
  organization_memberships: OrganizationMembershipsRow<Values>;
  scheduled_events: ScheduledEventsRow<Values>;
  invitees: InviteesRow<Values>;
  no_shows: NoShowsRow<Values>;
  event_types: EventTypesRow<Values>;
  meeting_recaps: MeetingRecapsRow<Values>;
  routing_forms: RoutingFormsRow<Values>;
  routing_form_submissions: RoutingFormSubmissionsRow<Values>;
  event_log: EventLogRow<Values>;
  webhook_subscriptions: WebhookSubscriptionsRow<Values>;
  alerts: AlertsRow<Values>;
  booking_invitees: BookingInviteesRow<Values>;
  contacts_wide_columns: ContactsWideColumnsRow<Values>;
  time_zones: TimeZonesRow<Values>;
  mirror_settings: MirrorSettingsRow<Values>;
  key_values: KeyValuesRow<Values>;
  sync_checkpoints: SyncCheckpointsRow<Values>;
  processes: ProcessesRow<Values>;
  admin_actions: AdminActionsRow<Values>;
  feed_consumers: FeedConsumersRow<Values>;
  booking_moments: BookingMomentsRow<Values>;
  bookings: BookingsRow<Values>;
  bookings_daily: BookingsDailyRow<Values>;
  contact_custom_fields: ContactCustomFieldsRow<Values>;
  contacts_wide: ContactsWideRow<Values>;
  invitee_answers: InviteeAnswersRow<Values>;
  no_show_rate: NoShowRateRow<Values>;
  payments: PaymentsRow<Values>;
  people: PeopleRow<Values>;
  revenue: RevenueRow<Values>;
  routing_form_answers: RoutingFormAnswersRow<Values>;
  routing_form_results: RoutingFormResultsRow<Values>;
  routing_funnel: RoutingFunnelRow<Values>;
  scheduled_event_guests: ScheduledEventGuestsRow<Values>;
  scheduled_event_hosts: ScheduledEventHostsRow<Values>;
  unbooked_submissions: UnbookedSubmissionsRow<Values>;
}
/** One row per contact. A deleted contact keeps its row, with `deleted_at`. */
export interface ContactsRow<Values extends ColumnValues> {
  /** URI of the contact */
  uri: Values['text'];
  /** full name */
  name: Values['text'] | null;
  /** the address marked primary, else the first */
  primary_email: Values['text'] | null;
  /** all addresses: `email`, `is_primary`; one row each in `contact_emails` */
  emails: Values['json'] | null;
  /** all numbers; one row each in `contact_phone_numbers` */
  phone_numbers: Values['json'] | null;
  /** time zone, such as `Europe/Berlin` */
  timezone: Values['text'] | null;
  /** job title */
  job_title: Values['text'] | null;
  /** company */
  company: Values['text'] | null;
  /** country */
  country: Values['text'] | null;
  /** state or region */
  state: Values['text'] | null;
  /** city */
  city: Values['text'] | null;
  /** address of the LinkedIn profile */
  linkedin: Values['text'] | null;
  /** values of custom fields; one row each in the view `contact_custom_fields`, one column each in the view `contacts_wide` */
  custom_fields: Values['json'] | null;
  /** how the contact came to be at the service */
  creation_source: Values['text'] | null;
  /** UUID of the user whose contact it is; only deliveries of the service say it, and not all of them */
  owner_uuid: Values['text'] | null;
  /** first e-mail; the service sends no webhook when it changes */
  first_email_date: Values['time'] | null;
  /** last e-mail; the service sends no webhook when it changes */
  last_email_date: Values['time'] | null;
  /** next meeting; the service sends no webhook when it changes */
  next_meeting_date: Values['time'] | null;
  /** last meeting; the service sends no webhook when it changes */
  last_meeting_date: Values['time'] | null;
  /** last interaction; the service sends no webhook when it changes */
  last_interaction_date: Values['time'] | null;
  /** when it was created at the service */
  created_at: Values['time'] | null;
  /** when it was last changed at the service */
  updated_at: Values['time'] | null;
  /** when it was deleted; null while it exists */
  deleted_at: Values['time'] | null;
  /** what reported the deletion: `webhook`, `reconcile` or `operator` */
  deleted_source: 'webhook' | 'reconcile' | 'operator' | null;
  /** when the newest fact in the row was observed, by the clock of the service */
  as_of: Values['time'] | null;
  /** the greatest version among the fields of the row; it decides which of two facts is newer */
  version: Values['text'] | null;
  /** versions of the fields that are older than `version`; usually empty */
  lagging: Values['json'] | null;
  /** fields of the service that have no column; null when there are none */
  extra: Values['json'] | null;
}
/** One row per e-mail address of a contact. */
export interface ContactEmailsRow<Values extends ColumnValues> {
  /** the contact */
  contact_uri: Values['text'];
  /** the address, as sent */
  email: Values['text'];
  /** true for the primary address */
  is_primary: Values['flag'] | null;
}
/** One row per phone number of a contact. */
export interface ContactPhoneNumbersRow<Values extends ColumnValues> {
  /** the contact */
  contact_uri: Values['text'];
  /** the number, as sent */
  phone_number: Values['text'];
  /** true for the primary number */
  is_primary: Values['flag'] | null;
}
/** One row per custom field of contacts. `retired_at` is in `extra`. */
export interface CustomFieldDefinitionsRow<Values extends ColumnValues> {
  /** URI of the definition */
  uri: Values['text'];
  /** label */
  label: Values['text'] | null;
  /** type of its values: `text`, `number`, `currency`, `tags`, `date`, `single_select`, `invitee_question`, `boolean`, or a value that is new */
  field_type: 'text' | 'number' | 'currency' | 'tags' | 'date' | 'single_select' | 'invitee_question' | 'boolean' | (string & {}) | null;
  /** options of a `single_select`: `uuid`, `label` */
  options: Values['json'] | null;
  /** currency of a `currency` field */
  currency: Values['text'] | null;
  /** when it was created at the service */
  created_at: Values['time'] | null;
  /** when it was last changed at the service */
  updated_at: Values['time'] | null;
  /** when it was deleted; null while it exists */
  deleted_at: Values['time'] | null;
  /** when the newest fact in the row was observed, by the clock of the service */
  as_of: Values['time'] | null;
  /** the greatest version among the fields of the row; it decides which of two facts is newer */
  version: Values['text'] | null;
  /** versions of the fields that are older than `version`; usually empty */
  lagging: Values['json'] | null;
  /** fields of the service that have no column; null when there are none */
  extra: Values['json'] | null;
}
/** One row per user of the organization. */
export interface UsersRow<Values extends ColumnValues> {
  /** URI of the user */
  uri: Values['text'];
  /** full name */
  name: Values['text'] | null;
  /** e-mail address */
  email: Values['text'] | null;
  /** last part of the address of their booking page */
  slug: Values['text'] | null;
  /** time zone */
  timezone: Values['text'] | null;
  /** when it was created at the service */
  created_at: Values['time'] | null;
  /** when it was last changed at the service */
  updated_at: Values['time'] | null;
  /** when the newest fact in the row was observed, by the clock of the service */
  as_of: Values['time'] | null;
  /** the greatest version among the fields of the row; it decides which of two facts is newer */
  version: Values['text'] | null;
  /** versions of the fields that are older than `version`; usually empty */
  lagging: Values['json'] | null;
  /** fields of the service that have no column; null when there are none */
  extra: Values['json'] | null;
}
/** One row per member of the organization. */
export interface OrganizationMembershipsRow<Values extends ColumnValues> {
  /** URI of the membership */
  uri: Values['text'];
  /** role in the organization: `owner`, `admin`, `user`, or a value that is new */
  role: 'owner' | 'admin' | 'user' | (string & {}) | null;
  /** the user */
  user_uri: Values['text'] | null;
  /** URI of the organization */
  organization_uri: Values['text'] | null;
  /** when it was created at the service */
  created_at: Values['time'] | null;
  /** when it was last changed at the service */
  updated_at: Values['time'] | null;
  /** when it was deleted; null while it exists */
  deleted_at: Values['time'] | null;
  /** when the newest fact in the row was observed, by the clock of the service */
  as_of: Values['time'] | null;
  /** the greatest version among the fields of the row; it decides which of two facts is newer */
  version: Values['text'] | null;
  /** versions of the fields that are older than `version`; usually empty */
  lagging: Values['json'] | null;
  /** fields of the service that have no column; null when there are none */
  extra: Values['json'] | null;
}
/** One row per meeting. Several invitees share a group meeting. A meeting that an invitee names and nothing has described has a row too, in which only `uri` is set: `version` is null there, and lists, counts, exports and the feed leave it out. */
export interface ScheduledEventsRow<Values extends ColumnValues> {
  /** URI of the meeting */
  uri: Values['text'];
  /** name of the meeting */
  name: Values['text'] | null;
  /** whether it takes place: `active`, `canceled`, or a value that is new */
  status: 'active' | 'canceled' | (string & {}) | null;
  /** start of the meeting */
  start_time: Values['time'] | null;
  /** end of the meeting */
  end_time: Values['time'] | null;
  /** the event type that was booked */
  event_type: Values['text'] | null;
  /** where it takes place: `type`, and what belongs to that type */
  location: Values['json'] | null;
  /** link to a video conference, from `location` */
  join_url: Values['text'] | null;
  /** the hosts: `user`, `user_email`, `user_name`; one row each in the view `scheduled_event_hosts` */
  hosts: Values['json'] | null;
  /** people whom an invitee added: `email`; one row each in the view `scheduled_event_guests` */
  guests: Values['json'] | null;
  /** numbers of invitees as the service last sent them; they may be out of date, so count `invitees` instead */
  invitees_counter: Values['json'] | null;
  /** notes of the host, as text */
  meeting_notes_plain: Values['text'] | null;
  /** notes of the host, as HTML */
  meeting_notes_html: Values['text'] | null;
  /** who canceled the meeting, when and why: `canceled_by`, `reason`, `canceler_type`, `created_at` */
  cancellation: Values['json'] | null;
  /** who canceled the meeting: `host`, `invitee`, or a value that is new */
  canceler_type: 'host' | 'invitee' | (string & {}) | null;
  /** when the meeting was canceled */
  canceled_at: Values['time'] | null;
  /** when it was created at the service */
  created_at: Values['time'] | null;
  /** when it was last changed at the service */
  updated_at: Values['time'] | null;
  /** when the newest fact in the row was observed, by the clock of the service */
  as_of: Values['time'] | null;
  /** the greatest version among the fields of the row; it decides which of two facts is newer */
  version: Values['text'] | null;
  /** versions of the fields that are older than `version`; usually empty */
  lagging: Values['json'] | null;
  /** fields of the service that have no column; null when there are none */
  extra: Values['json'] | null;
}
/** One row per person on one meeting. A reschedule is a new row, linked by `old_invitee` and `new_invitee`. */
export interface InviteesRow<Values extends ColumnValues> {
  /** URI of the invitee */
  uri: Values['text'];
  /** e-mail address, by which the contact is found */
  email: Values['text'] | null;
  /** first name, where the form asks for it separately */
  first_name: Values['text'] | null;
  /** last name, where the form asks for it separately */
  last_name: Values['text'] | null;
  /** full name */
  name: Values['text'] | null;
  /** whether the booking stands: `active`, `canceled`, or a value that is new; final once canceled */
  status: 'active' | 'canceled' | (string & {}) | null;
  /** time zone of the invitee, such as `Europe/Berlin` */
  timezone: Values['text'] | null;
  /** the meeting */
  event_uri: Values['text'] | null;
  /** answers of the booking form; one row each in the view `invitee_answers` */
  questions_and_answers: Values['json'] | null;
  /** all tracking parameters, as sent */
  tracking: Values['json'] | null;
  /** UTM tag */
  utm_campaign: Values['text'] | null;
  /** UTM tag */
  utm_source: Values['text'] | null;
  /** UTM tag */
  utm_medium: Values['text'] | null;
  /** UTM tag */
  utm_content: Values['text'] | null;
  /** UTM tag */
  utm_term: Values['text'] | null;
  /** Salesforce record, from the tracking parameters */
  salesforce_uuid: Values['text'] | null;
  /** phone number for text reminders */
  text_reminder_number: Values['text'] | null;
  /** true when this booking was moved to another one */
  rescheduled: Values['flag'] | null;
  /** the booking that this one replaced */
  old_invitee: Values['text'] | null;
  /** the booking that replaced this one */
  new_invitee: Values['text'] | null;
  /** link with which the invitee cancels */
  cancel_url: Values['text'] | null;
  /** link with which the invitee reschedules */
  reschedule_url: Values['text'] | null;
  /** the form submission that led to the booking */
  routing_form_submission: Values['text'] | null;
  /** the payment, as sent */
  payment: Values['json'] | null;
  /** identifier of the payment at the provider */
  payment_external_id: Values['text'] | null;
  /** who takes the payment: `stripe`, `paypal`, or a value that is new */
  payment_provider: 'stripe' | 'paypal' | (string & {}) | null;
  /** amount in units of the currency, not cents */
  payment_amount: Values['number'] | null;
  /** currency, such as `EUR` */
  payment_currency: Values['text'] | null;
  /** terms of the payment */
  payment_terms: Values['text'] | null;
  /** true when the payment succeeded */
  payment_successful: Values['flag'] | null;
  /** the no-show mark that is open: its `uri` and `created_at` */
  no_show: Values['json'] | null;
  /** the mark that is open; null when the invitee is not marked */
  no_show_uri: Values['text'] | null;
  /** when the open mark was set */
  no_show_at: Values['time'] | null;
  /** what the columns about no-shows and attendance are derived from: marks, unmarks, the newest snapshot and answers */
  no_show_facts: Values['json'] | null;
  /** when it was answered that the invitee came; null without an answer, or when it was taken back */
  attendance_confirmed_at: Values['time'] | null;
  /** how that answer came: `host`, `dashboard` or `api`; `host` is a signed link */
  attendance_confirmed_by: 'host' | 'dashboard' | 'api' | null;
  /** the log entry of that answer */
  attendance_entry: Values['text'] | null;
  /** the request to confirm the booking again, as sent */
  reconfirmation: Values['json'] | null;
  /** when that request was sent */
  reconfirmation_sent_at: Values['time'] | null;
  /** when the invitee confirmed */
  reconfirmed_at: Values['time'] | null;
  /** how it was booked: `instant_book`, `api`, or a value that is new; null for a booking page */
  scheduling_method: 'instant_book' | 'api' | (string & {}) | null;
  /** the user who booked for the invitee */
  invitee_scheduled_by: Values['text'] | null;
  /** the cancellation, as sent; a reschedule is one too */
  cancellation: Values['json'] | null;
  /** name of the person who canceled */
  canceled_by: Values['text'] | null;
  /** reason given */
  cancel_reason: Values['text'] | null;
  /** who canceled: `host`, `invitee`, or a value that is new */
  canceler_type: 'host' | 'invitee' | (string & {}) | null;
  /** when it was canceled */
  canceled_at: Values['time'] | null;
  /** when it was created at the service */
  created_at: Values['time'] | null;
  /** when it was last changed at the service */
  updated_at: Values['time'] | null;
  /** when the newest fact in the row was observed, by the clock of the service */
  as_of: Values['time'] | null;
  /** the greatest version among the fields of the row; it decides which of two facts is newer */
  version: Values['text'] | null;
  /** versions of the fields that are older than `version`; usually empty */
  lagging: Values['json'] | null;
  /** fields of the service that have no column; null when there are none */
  extra: Values['json'] | null;
}
/** One row per no-show mark. A mark that was removed keeps its row, with `unmarked_at`. */
export interface NoShowsRow<Values extends ColumnValues> {
  /** the invitee */
  invitee_uri: Values['text'];
  /** when the mark was set */
  marked_at: Values['time'];
  /** URI of the mark */
  no_show_uri: Values['text'];
  /** when the mark was removed; null while it is open */
  unmarked_at: Values['time'] | null;
}
/** One row per event type that can be booked. */
export interface EventTypesRow<Values extends ColumnValues> {
  /** URI of the event type */
  uri: Values['text'];
  /** name */
  name: Values['text'] | null;
  /** false when it cannot be booked at present */
  active: Values['flag'] | null;
  /** last part of the address of its booking page */
  slug: Values['text'] | null;
  /** address of its booking page */
  scheduling_url: Values['text'] | null;
  /** length in minutes */
  duration: Values['number'] | null;
  /** for one invitee or for several: `solo`, `group`, or a value that is new */
  kind: 'solo' | 'group' | (string & {}) | null;
  /** how hosts share it: `round_robin`, `collective`, `multi_pool`, or a value that is new; null for one host */
  pooling_type: 'round_robin' | 'collective' | 'multi_pool' | (string & {}) | null;
  /** sort of event type: `StandardEventType`, `AdhocEventType`, or a value that is new; `AdhocEventType` is a one-off */
  type: 'StandardEventType' | 'AdhocEventType' | (string & {}) | null;
  /** color in the calendar */
  color: Values['text'] | null;
  /** note for the team */
  internal_note: Values['text'] | null;
  /** description, as text */
  description_plain: Values['text'] | null;
  /** description, as HTML */
  description_html: Values['text'] | null;
  /** whose booking page it is: `type`, `name`, `owner` */
  profile: Values['json'] | null;
  /** the owner, from `profile`; a team has another URI */
  owner_uri: Values['text'] | null;
  /** true when it is not listed publicly */
  secret: Values['flag'] | null;
  /** how it is booked: `instant`, `poll`, or a value that is new */
  booking_method: 'instant' | 'poll' | (string & {}) | null;
  /** questions of the booking form */
  custom_questions: Values['json'] | null;
  /** true when only administrators change it */
  admin_managed: Values['flag'] | null;
  /** where it can take place */
  locations: Values['json'] | null;
  /** order on the booking page */
  position: Values['number'] | null;
  /** language */
  locale: Values['text'] | null;
  /** when it was created at the service */
  created_at: Values['time'] | null;
  /** when it was last changed at the service */
  updated_at: Values['time'] | null;
  /** when it was deleted; null while it exists */
  deleted_at: Values['time'] | null;
  /** what reported the deletion: `webhook`, `reconcile` or `operator` */
  deleted_source: 'webhook' | 'reconcile' | 'operator' | null;
  /** when the newest fact in the row was observed, by the clock of the service */
  as_of: Values['time'] | null;
  /** the greatest version among the fields of the row; it decides which of two facts is newer */
  version: Values['text'] | null;
  /** versions of the fields that are older than `version`; usually empty */
  lagging: Values['json'] | null;
  /** fields of the service that have no column; null when there are none */
  extra: Values['json'] | null;
}
/** One row per recap of a meeting. */
export interface MeetingRecapsRow<Values extends ColumnValues> {
  /** URI of the recap */
  uri: Values['text'];
  /** the meeting; null for a meeting that was not booked here */
  event_uri: Values['text'] | null;
  /** name of the meeting */
  event_name: Values['text'] | null;
  /** start of the meeting */
  event_start_time: Values['time'] | null;
  /** end of the meeting */
  event_end_time: Values['time'] | null;
  /** where it took place */
  event_location: Values['json'] | null;
  /** who took part: `user_name`, `user_email`, `host` */
  attendees: Values['json'] | null;
  /** URI of the transcript, as sent */
  transcript: Values['text'] | null;
  /** who spoke, as the transcript names them: a list of names or addresses; null until the transcript is read */
  speakers: Values['json'] | null;
  /** summary, as Markdown */
  summary_md: Values['text'] | null;
  /** action items, as Markdown */
  action_items_md: Values['text'] | null;
  /** discussion, as Markdown */
  discussion_md: Values['text'] | null;
  /** public link to the recap */
  share_link: Values['text'] | null;
  /** when it was created at the service */
  created_at: Values['time'] | null;
  /** when it was last changed at the service */
  updated_at: Values['time'] | null;
  /** when it was deleted; null while it exists */
  deleted_at: Values['time'] | null;
  /** what reported the deletion: `webhook`, `reconcile` or `operator` */
  deleted_source: 'webhook' | 'reconcile' | 'operator' | null;
  /** when the newest fact in the row was observed, by the clock of the service */
  as_of: Values['time'] | null;
  /** the greatest version among the fields of the row; it decides which of two facts is newer */
  version: Values['text'] | null;
  /** versions of the fields that are older than `version`; usually empty */
  lagging: Values['json'] | null;
  /** fields of the service that have no column; null when there are none */
  extra: Values['json'] | null;
}
/** One row per routing form. */
export interface RoutingFormsRow<Values extends ColumnValues> {
  /** URI of the form */
  uri: Values['text'];
  /** name */
  name: Values['text'] | null;
  /** whether it can be filled in: `published`, `draft`, or a value that is new */
  status: 'published' | 'draft' | (string & {}) | null;
  /** URI of the organization */
  organization_uri: Values['text'] | null;
  /** questions of the form */
  questions: Values['json'] | null;
  /** when it was created at the service */
  created_at: Values['time'] | null;
  /** when it was last changed at the service */
  updated_at: Values['time'] | null;
  /** when it was deleted; null while it exists */
  deleted_at: Values['time'] | null;
  /** when the newest fact in the row was observed, by the clock of the service */
  as_of: Values['time'] | null;
  /** the greatest version among the fields of the row; it decides which of two facts is newer */
  version: Values['text'] | null;
  /** versions of the fields that are older than `version`; usually empty */
  lagging: Values['json'] | null;
  /** fields of the service that have no column; null when there are none */
  extra: Values['json'] | null;
}
/** One row per submission of a routing form. Bookings refer to it by `invitees.routing_form_submission`. */
export interface RoutingFormSubmissionsRow<Values extends ColumnValues> {
  /** URI of the submission */
  uri: Values['text'];
  /** the form */
  routing_form: Values['text'] | null;
  /** answers; one row each in the view `routing_form_answers` */
  questions_and_answers: Values['json'] | null;
  /** all tracking parameters, as sent */
  tracking: Values['json'] | null;
  /** UTM tag */
  utm_campaign: Values['text'] | null;
  /** UTM tag */
  utm_source: Values['text'] | null;
  /** UTM tag */
  utm_medium: Values['text'] | null;
  /** UTM tag */
  utm_content: Values['text'] | null;
  /** UTM tag */
  utm_term: Values['text'] | null;
  /** Salesforce record, from the tracking parameters */
  salesforce_uuid: Values['text'] | null;
  /** where the submission led, as sent */
  result: Values['json'] | null;
  /** type of `result`: `event_type`, `external_url`, `custom_message`, or a value that is new */
  result_type: 'event_type' | 'external_url' | 'custom_message' | (string & {}) | null;
  /** URI of the invitee who submitted it, if known */
  submitter: Values['text'] | null;
  /** type of `submitter` */
  submitter_type: Values['text'] | null;
  /** when it was created at the service */
  created_at: Values['time'] | null;
  /** when it was last changed at the service */
  updated_at: Values['time'] | null;
  /** when the newest fact in the row was observed, by the clock of the service */
  as_of: Values['time'] | null;
  /** the greatest version among the fields of the row; it decides which of two facts is newer */
  version: Values['text'] | null;
  /** versions of the fields that are older than `version`; usually empty */
  lagging: Values['json'] | null;
  /** fields of the service that have no column; null when there are none */
  extra: Values['json'] | null;
}
/** One row per delivery or API record, in the order of commit. All other mirrored tables follow from it. */
export interface EventLogRow<Values extends ColumnValues> {
  /** position in the log; rises in the order of commit */
  seq: Values['integer'];
  /** identity of the content: a second copy is counted in `duplicates` */
  delivery_id: Values['text'];
  /** where it came from: `webhook`, `backfill`, `reconcile` or `operator` */
  source: 'webhook' | 'backfill' | 'reconcile' | 'operator';
  /** kind of event, such as `invitee.created` */
  event: Values['text'] | null;
  /** URI of the record that the entry is about: `uri` of its table */
  subject_uri: Values['text'] | null;
  /** when it happened, by the clock of the service */
  occurred_at: Values['time'] | null;
  /** when it arrived here */
  received_at: Values['time'];
  /** effect on the tables: `applied`, `unchanged`, `superseded`, `tombstoned`, `quarantined` or `unhandled`; see [The log](#the-log) */
  outcome: 'applied' | 'unchanged' | 'superseded' | 'tombstoned' | 'quarantined' | 'unhandled';
  /** why it is in quarantine, or a note on a value that exceeds a limit */
  reason: Values['text'] | null;
  /** how many more copies arrived */
  duplicates: Values['integer'];
  /** the fields that it changed, before and after; see [The log](#the-log) */
  changes: Values['json'] | null;
  /** the delivery as it arrived; null once pruned */
  body: Values['text'] | null;
  /** set where the body is not valid text: `base64` */
  encoding: 'base64' | null;
  /** decides between two facts of the same moment */
  tie: Values['text'];
  /** true when personal data was removed from the entry */
  redacted: Values['flag'];
  /** when an operator dismissed an entry that could not be applied; null while it waits, or was applied */
  dismissed_at: Values['time'] | null;
}
/** One row per webhook subscription, as last seen at the service. */
export interface WebhookSubscriptionsRow<Values extends ColumnValues> {
  /** URI of the subscription */
  uri: Values['text'];
  /** address that the service calls */
  callback_url: Values['text'] | null;
  /** whether the service sends deliveries: `active`, `disabled`, or a value that is new */
  state: 'active' | 'disabled' | (string & {}) | null;
  /** whose events it sends: `organization`, `user`, `group`, or a value that is new */
  scope: 'organization' | 'user' | 'group' | (string & {}) | null;
  /** URI of the organization */
  organization: Values['text'] | null;
  /** the user, for the scope `user` */
  user: Values['text'] | null;
  /** URI of the group, for the scope `group` */
  group: Values['text'] | null;
  /** the user who made it */
  creator: Values['text'] | null;
  /** kinds of events */
  events: Values['json'] | null;
  /** since when the service retries failed deliveries; null when it does not */
  retry_started_at: Values['time'] | null;
  /** when it was made */
  created_at: Values['time'] | null;
  /** when it was last changed */
  updated_at: Values['time'] | null;
  /** when it was last seen */
  checked_at: Values['time'];
}
/** One row per alert and channel. It names no person: the text is made when it is sent. */
export interface AlertsRow<Values extends ColumnValues> {
  /** identity: a hash of rule, channel, subject and fact */
  id: Values['text'];
  /** name of the rule */
  rule: Values['text'];
  /** the booking; for a condition, what it is about */
  subject_uri: Values['text'];
  /** what became of it: `pending`, `sent`, `retracting`, `retracted` or `failed`; `retracting`: its retraction is to be sent */
  state: 'pending' | 'sent' | 'retracting' | 'retracted' | 'failed';
  /** where it is sent */
  channel: Values['text'];
  /** how many times sending was tried */
  attempts: Values['integer'];
  /** why the last attempt failed */
  last_error: Values['text'] | null;
  /** what makes it different from other alerts of the same rule about the same subject */
  fact: Values['text'];
  /** identifier of the digest that its message is sent with; null when it is sent alone */
  digest: Values['text'] | null;
  /** for a condition: what was found, in a few words and numbers */
  detail: Values['text'] | null;
  /** its direct messages in Slack: to whom, where, and about which invitees; ids only */
  posted: Values['json'] | null;
  /** counts how often the fact became true again after a retraction */
  episode: Values['integer'];
  /** when the fact happened */
  occurred_at: Values['time'];
  /** the earliest time to send its message */
  due_at: Values['time'];
  /** when it is looked at next */
  next_at: Values['time'];
  /** when a worker last started to send it; null when none is sending */
  claimed_at: Values['time'] | null;
  /** when the alert was last sent */
  sent_at: Values['time'] | null;
  /** when the row was made */
  created_at: Values['time'];
  /** when the row last changed */
  updated_at: Values['time'];
}
/** Which invitees are one booking: one row per invitee that a reschedule links with another, mirrored or not. An invitee without a row is a booking of its own. */
export interface BookingInviteesRow<Values extends ColumnValues> {
  /** the invitee */
  invitee_uri: Values['text'];
  /** the booking: URI of the first invitee of the chain, mirrored or not */
  booking_uri: Values['text'];
  /** its number among the mirrored invitees of the chain, from 1; null if it is not mirrored */
  position: Values['integer'] | null;
  /** the first mirrored invitee of the chain */
  first_invitee: Values['text'];
  /** whether it is the first mirrored invitee of the chain */
  is_first: Values['flag'];
  /** whether it is the last mirrored invitee of the chain */
  is_last: Values['flag'];
  /** how many invitees of the chain are mirrored */
  count: Values['integer'];
  /** how many times the booking was rescheduled */
  moves: Values['integer'];
  /** whether the invitee has a row in `invitees` */
  mirrored: Values['flag'];
}
/** One row per custom field: its column in the view `contacts_wide`, which keeps its name when the label changes. */
export interface ContactsWideColumnsRow<Values extends ColumnValues> {
  /** the definition of the field */
  field_uri: Values['text'];
  /** name of the column */
  column_name: Values['text'];
  /** order of the columns */
  position: Values['integer'];
  /** label of the field at present */
  label: Values['text'] | null;
  /** type of the field by which the column is typed; `currency_major` for a `currency` field whose amounts are in units of the currency (`CURRENCY_FIELDS=major`) */
  field_type: Values['text'] | null;
}
/** One row per period with the same offset, for each time zone of a user or an invitee. The views compute local time by it. */
export interface TimeZonesRow<Values extends ColumnValues> {
  /** name of the zone in lower case: `europe/berlin` */
  name: Values['text'];
  /** when the period begins; the first one of a zone begins in the year 1, the last one has no end */
  starts_at: Values['time'];
  /** how far the clocks are ahead of UTC */
  offset_seconds: Values['integer'];
}
/** One row: what the mirror is. All its processes follow these settings, whatever their environment says; `slotstream settings --apply` changes them. */
export interface MirrorSettingsRow<Values extends ColumnValues> {
  /** random identifier of the mirror, also the source of its CloudEvents; a copy of the database has the same */
  id: Values['text'];
  /** address of the API of the service; null before the first `bootstrap` or `backfill` */
  origin: Values['text'] | null;
  /** URI of the organization; null before the first `bootstrap` or `backfill` */
  organization: Values['text'] | null;
  /** URI of the organization, or of the group (`GROUP_URI`), for which webhooks are registered */
  owner: Values['text'] | null;
  /** `ERASE_ON_DELETE`: whether deleted contacts lose their values */
  erase_on_delete: Values['flag'] | null;
  /** `RETENTION_DAYS`: the age in days at which bodies of the log are pruned; 0 when they are kept */
  retention_days: Values['integer'] | null;
  /** `EVENTS`: `all`, or the kinds that are mirrored, comma-separated */
  events: Values['text'] | null;
  /** `REPORT_TIMEZONE`: the time zone of days and months */
  report_timezone: Values['text'] | null;
  /** `CURRENCY_FIELDS`: `minor` or `major` */
  currency_fields: 'minor' | 'major' | null;
  /** when the first worker wrote the settings; null before */
  settled_at: Values['time'] | null;
  /** rises with each change of the settings */
  revision: Values['integer'];
}
/** Internal. State of the program: leases, alert state, results of jobs, the erasure key. */
export interface KeyValuesRow<Values extends ColumnValues> {
  /** name of the value */
  key: Values['text'];
  /** the value */
  value: Values['json'] | null;
}
/** Internal. Where backfills and sweeps resume. */
export interface SyncCheckpointsRow<Values extends ColumnValues> {
  /** name of the job */
  key: Values['text'];
  /** its position */
  value: Values['json'] | null;
}
/** One row per running process. A process that was killed is listed for an hour. */
export interface ProcessesRow<Values extends ColumnValues> {
  /** random, new at every start */
  id: Values['text'];
  /** the command that it runs: `start`, `receive` or `work` */
  role: 'start' | 'receive' | 'work';
  /** name of its machine */
  host: Values['text'];
  /** process ID on that machine */
  pid: Values['integer'];
  /** version of Slotstream */
  version: Values['text'];
  /** address of its admin listener, from its own machine */
  admin_url: Values['text'];
  /** when it started */
  started_at: Values['time'];
  /** when it last reported; it reports every 15 seconds */
  seen_at: Values['time'];
  /** whether the queue answers it: `answering` or `not answering` */
  queue: 'answering' | 'not answering' | null;
  /** batches that wait in the queue, also for a retry */
  queue_waiting: Values['integer'] | null;
  /** batches that workers are processing */
  queue_active: Values['integer'] | null;
  /** batches that failed and wait for their recovery */
  queue_failed: Values['integer'] | null;
  /** when the oldest waiting batch was enqueued */
  queue_oldest_at: Values['time'] | null;
  /** when the oldest batch in progress was enqueued */
  active_oldest_at: Values['time'] | null;
  /** how often it found within the last 10 minutes that the queue had lost jobs */
  queue_losses: Values['integer'] | null;
  /** deliveries in its disk log that wait for the queue; null in a `work` process */
  spool_deliveries: Values['integer'] | null;
  /** since when deliveries wait in its disk log */
  spool_since: Values['time'] | null;
  /** batches in its disk log: those that wait, and those whose jobs are not finished */
  journal_batches: Values['integer'] | null;
  /** its disk log is full and takes no deliveries */
  journal_full: Values['flag'] | null;
  /** written by version 0.1.0 only; later versions write `machine` */
  low_disks: Values['text'] | null;
  /** what it knows of its machine, as JSON: the free space of its disks and which are low, whether it refuses deliveries, its engines that are down, and by how much its clock is ahead of that of the database */
  machine: Values['text'] | null;
  /** deliveries that it accepted within the last 10 minutes; null in a `work` process */
  accepted: Values['integer'] | null;
  /** requests that it refused within the last 10 minutes because of their signature */
  refused: Values['integer'] | null;
  /** those of them with a correct signature that was too old */
  refused_stale: Values['integer'] | null;
  /** median time from an event to its row within the last 10 minutes, in milliseconds */
  lag_p50_ms: Values['integer'] | null;
  /** 99th percentile of the same */
  lag_p99_ms: Values['integer'] | null;
  /** when it last received or projected a batch */
  last_batch_at: Values['time'] | null;
}
/** One row per action of an operator through the API or the dashboard, per answer of a host, and per call of an AI model, for 400 days; at most 100,000 of each kind: by links, by buttons in Slack, of models, and all others. */
export interface AdminActionsRow<Values extends ColumnValues> {
  /** random */
  id: Values['text'];
  /** when it began */
  at: Values['time'];
  /** who did it: `admin token`, `admin session`, `read-only token`, `read-only session`, `metrics token`, `mcp token`, `mcp command`, `answer link`, `slack button` or `unknown`; `unknown` is a program that calls the operations in its own process */
  caller: 'admin token' | 'admin session' | 'read-only token' | 'read-only session' | 'metrics token' | 'mcp token' | 'mcp command' | 'answer link' | 'slack button' | 'unknown';
  /** network address of the request, or the Slack id of who pressed the button; empty inside a program */
  address: Values['text'];
  /** operation of the API, such as `replayDelivery`, or tool */
  operation: Values['text'];
  /** what it was about: the ids in its path */
  target: Values['text'] | null;
  /** its filters and options; text that may be about a person is `[hidden]` */
  input: Values['json'] | null;
  /** what it did: counts and outcomes */
  result: Values['json'] | null;
  /** HTTP status of the answer; null while it runs, or if the process ended meanwhile */
  status: Values['integer'] | null;
}
/** One row per named reader of the feed. */
export interface FeedConsumersRow<Values extends ColumnValues> {
  /** name of the reader */
  name: Values['text'];
  /** the last entry that it has read */
  position: Values['integer'];
  /** when it last moved */
  updated_at: Values['time'];
}
/** What happened to bookings, one row each: it was booked, moved, canceled or confirmed again, a no-show mark was set or removed, it is known that the invitee came, the meeting ended. What a later fact takes back has no row. Ask for some by `invitee`, which has an index. */
export interface BookingMomentsRow<Values extends ColumnValues> {
  /** `bookings.uri`; another one once an older link of its chain arrives */
  booking: Values['text'] | null;
  /** URI of the invitee to whom it happened: of a move, the one that was left */
  invitee: Values['text'];
  /** `booked` (the first invitee of the chain was created), `moved` (to another invitee), `canceled`, `no_show` (marked), `no_show_removed` (the mark was removed), `came` (an answer or a recap shows it; while it is the outcome of the booking), `reconfirmed` (the invitee confirmed again) or `ended` (the meeting is over, or the invitee is marked as a no-show) */
  moment: 'booked' | 'moved' | 'canceled' | 'no_show' | 'no_show_removed' | 'came' | 'reconfirmed' | 'ended';
  /** when it happened: of a move, its cancellation, else the creation of the next invitee; of `came`, the answer, else when the recap was written; of `ended`, the end of the meeting */
  at: Values['time'] | null;
  /** who: `host` or `invitee`, as the service says; of an answer, as in `invitees.attendance_confirmed_by`; null if it is not known */
  by: Values['text'] | null;
  /** the log entry of an answer */
  entry: Values['text'] | null;
  /** URI of the no-show mark; empty for any other moment */
  mark: Values['text'];
  /** URI of the invitee that a move led to; null if it is not mirrored */
  next_invitee: Values['text'] | null;
}
/** One row per booking with all its reschedules: an invitee of a meeting, or the last of several that reschedules link. An invitee without a meeting is no booking. */
export interface BookingsRow<Values extends ColumnValues> {
  /** URI of the first invitee of the chain, mirrored or not */
  uri: Values['text'];
  /** URI of the first mirrored invitee of the chain */
  first_invitee: Values['text'] | null;
  /** URI of the last mirrored invitee of the chain */
  last_invitee: Values['text'] | null;
  /** how many of the chain are mirrored */
  invitees: Values['integer'] | null;
  /** how many times it was rescheduled */
  moves: Values['integer'] | null;
  /** URI of the event type of the last booking */
  event_type: Values['text'] | null;
  /** name of the event type, or of the meeting if the event type is not mirrored */
  event_type_name: Values['text'] | null;
  /** URI of the first host of the last booking */
  host: Values['text'] | null;
  /** e-mail address on the last booking */
  invitee_email: Values['text'] | null;
  /** name on the last booking */
  invitee_name: Values['text'] | null;
  /** from the first booking */
  utm_source: Values['text'] | null;
  /** from the first booking */
  utm_medium: Values['text'] | null;
  /** from the first booking */
  utm_campaign: Values['text'] | null;
  /** from the first booking */
  utm_content: Values['text'] | null;
  /** from the first booking */
  utm_term: Values['text'] | null;
  /** when the first mirrored invitee was created */
  booked_at: Values['time'] | null;
  /** start time of the first booking */
  first_start_time: Values['time'] | null;
  /** start time of the last booking */
  start_time: Values['time'] | null;
  /** end time of the last booking */
  end_time: Values['time'] | null;
  /** from `booked_at` to `start_time` */
  lead_time_seconds: Values['integer'] | null;
  /** `upcoming`, `came` (an answer, a recap or a transcript shows it), `no_show` (marked), `unknown` (it ended, and nothing shows that they came), `canceled_by_invitee` (24 hours before the start or earlier), `late_cancellation` (by the invitee, less than 24 hours before the start or after it), `canceled_by_host`, `canceled` (it is not known by whom), `moved` (to a booking that is not mirrored); null while the time of the meeting is unknown */
  outcome: 'upcoming' | 'came' | 'no_show' | 'unknown' | 'canceled_by_invitee' | 'late_cancellation' | 'canceled_by_host' | 'canceled' | 'moved' | null;
  /** when it was canceled: from the last invitee, else from the meeting; a reschedule included */
  canceled_at: Values['time'] | null;
  /** `host` or `invitee`, as the service says: from the last invitee, else from the meeting */
  canceler_type: Values['text'] | null;
  /** from `canceled_at` to `start_time`; negative after the start */
  cancel_notice_seconds: Values['integer'] | null;
  /** when the last invitee was marked as a no-show, while the mark is open */
  no_show_at: Values['time'] | null;
  /** URI of the scheduled event of the last booking */
  event_uri: Values['text'] | null;
  /** URI of the contact with the address of `invitee_email` in any letter case; of several, one whose primary address it is, then the smallest URI; null if no contact has it */
  contact_uri: Values['text'] | null;
  /** name of `host`: from `users`, else as the meeting has it */
  host_name: Values['text'] | null;
  /** from `start_time` to `end_time` */
  duration_seconds: Values['integer'] | null;
  /** time zone of the invitee on the last booking, such as `Europe/Berlin` */
  invitee_timezone: Values['text'] | null;
  /** reason of the cancellation of the last booking, a reschedule included */
  cancel_reason: Values['text'] | null;
  /** how the last booking was made: `instant_book`, `api`; null for a booking page */
  scheduling_method: Values['text'] | null;
  /** URI of the submission that led to the first booking, else to the last */
  routing_form_submission: Values['text'] | null;
  /** type of the location of the last booking, such as `physical` or `zoom` */
  location_kind: Values['text'] | null;
  /** of the payment of the last booking, else of the first */
  payment_provider: Values['text'] | null;
  /** identifier of that payment at the provider */
  payment_external_id: Values['text'] | null;
  /** amount of that payment, in units of the currency (not cents) */
  payment_amount: Values['number'] | null;
  /** currency of that payment */
  payment_currency: Values['text'] | null;
  /** whether that payment succeeded */
  payment_successful: Values['flag'] | null;
  /** why `outcome` is `no_show`, `came` or `unknown`: `no_show` (marked), `confirmed` (it was answered that they came, or a transcript names them as a speaker), `likely` (a recap lists them as an attendee), `suspected_no_show` (a recap lists hosts only) or `unconfirmed` (it ended, and nothing shows it); null for a booking that was canceled or moved, and for an upcoming one of which nothing is known yet */
  attendance: 'no_show' | 'confirmed' | 'likely' | 'suspected_no_show' | 'unconfirmed' | null;
  /** what `attendance` follows from: the URI of the no-show mark or of the recap, or `delivery_id` of the log entry of an answer; null if there is none */
  attendance_basis: Values['text'] | null;
  /** time zone of `host`, from `users` */
  host_timezone: Values['text'] | null;
  /** day of `start_time` in `host_timezone`; null if the zone is not known */
  start_day_host: Values['date'] | null;
  /** weekday of `start_time` in `host_timezone`, from 1 (Monday) to 7 */
  start_weekday_host: Values['integer'] | null;
  /** hour of `start_time` in `host_timezone`, from 0 to 23 */
  start_hour_host: Values['integer'] | null;
  /** day of `start_time` in `invitee_timezone`; null if the zone is not known */
  start_day_invitee: Values['date'] | null;
  /** weekday of `start_time` in `invitee_timezone`, from 1 (Monday) to 7 */
  start_weekday_invitee: Values['integer'] | null;
  /** hour of `start_time` in `invitee_timezone`, from 0 to 23 */
  start_hour_invitee: Values['integer'] | null;
  /** when the last invitee was created: the newest booking or move comes first by it */
  made_at: Values['time'] | null;
  /** end of the meeting once it is over, or once the invitee is marked as a no-show; null if it was canceled or moved */
  ended_at: Values['time'] | null;
  /** URI of the event type of the first booking */
  first_event_type: Values['text'] | null;
  /** hosts of the last booking, as sent */
  hosts: Values['json'] | null;
  /** day of `start_time` in `REPORT_TIMEZONE`, which is UTC unless it is set */
  start_day: Values['date'] | null;
  /** weekday of `start_time` in `REPORT_TIMEZONE`, from 1 (Monday) to 7 */
  start_weekday: Values['integer'] | null;
  /** hour of `start_time` in `REPORT_TIMEZONE`, from 0 to 23 */
  start_hour: Values['integer'] | null;
}
/** Bookings by day (in `REPORT_TIMEZONE`) and event type. Each count belongs to the day on which it happened. */
export interface BookingsDailyRow<Values extends ColumnValues> {
  /** the day in `REPORT_TIMEZONE`, which is UTC unless it is set */
  day: Values['date'];
  /** URI of the event type; empty if unknown */
  event_type: Values['text'];
  /** its name */
  event_type_name: Values['text'] | null;
  /** bookings that were made on this day, by the event type of the first meeting */
  booked: Values['integer'] | null;
  /** moves on this day, by the event type of the new meeting; of one to a booking that is not mirrored, of the old one */
  moved: Values['integer'] | null;
  /** bookings that were canceled on this day */
  canceled: Values['integer'] | null;
  /** bookings whose meeting started on this day and ended, or which the invitee missed */
  ended: Values['integer'] | null;
  /** bookings of `ended` that the invitee missed */
  no_shows: Values['integer'] | null;
}
/** One row per value of a custom field of a contact. */
export interface ContactCustomFieldsRow<Values extends ColumnValues> {
  /** URI of the contact */
  contact_uri: Values['text'];
  /** URI of the definition of the field */
  field_uri: Values['text'];
  /** label of the field when the value was sent */
  label: Values['text'] | null;
  /** the value; for `single_select` the UUID of the option */
  value: Values['json'] | null;
}
/** Contacts that are not deleted, with one typed column for each custom field. */
export interface ContactsWideRow<Values extends ColumnValues> {
  /** URI of the contact */
  uri: Values['text'];
  /** as the service says */
  name: Values['text'] | null;
  /** the address marked primary, else the first */
  primary_email: Values['text'] | null;
  /** all addresses: `email`, `is_primary` */
  emails: Values['json'] | null;
  /** all numbers: `phone_number` */
  phone_numbers: Values['json'] | null;
  /** as the service says */
  timezone: Values['text'] | null;
  /** as the service says */
  job_title: Values['text'] | null;
  /** as the service says */
  company: Values['text'] | null;
  /** as the service says */
  country: Values['text'] | null;
  /** as the service says */
  state: Values['text'] | null;
  /** as the service says */
  city: Values['text'] | null;
  /** as the service says */
  linkedin: Values['text'] | null;
  /** as the service says */
  creation_source: Values['text'] | null;
  /** UUID of the user whose contact it is, where a delivery said so */
  owner_uuid: Values['text'] | null;
  /** as the service says */
  first_email_date: Values['time'] | null;
  /** as the service says */
  last_email_date: Values['time'] | null;
  /** as the service computed it, up to a day ago */
  next_meeting_date: Values['time'] | null;
  /** as the service computed it, up to a day ago */
  last_meeting_date: Values['time'] | null;
  /** as the service computed it, up to a day ago */
  last_interaction_date: Values['time'] | null;
  /** when the contact was made */
  created_at: Values['time'] | null;
  /** when it last changed */
  updated_at: Values['time'] | null;
  [customField: string]: unknown;
}
/** One row per answer of a booking form. */
export interface InviteeAnswersRow<Values extends ColumnValues> {
  /** URI of the invitee */
  invitee_uri: Values['text'];
  /** index in the list, from 0 */
  item: Values['integer'];
  /** position of the question in the form, as sent */
  position: Values['integer'] | null;
  /** the question */
  question: Values['text'] | null;
  /** the answer */
  answer: Values['text'] | null;
}
/** The share of meetings that the invitee missed: one row per value of each dimension. */
export interface NoShowRateRow<Values extends ColumnValues> {
  /** `event_type`, `host` (every host of a meeting counts), `weekday`, `hour`, `weekday_hour` (of the start, in `REPORT_TIMEZONE`), `weekday_host`, `hour_host` (in the time zone of the first host), `hour_invitee` (in that of the invitee), `utm_source`, `utm_medium`, `utm_campaign`, `utm_content`, `utm_term`; by month of the start (in `REPORT_TIMEZONE`): `month`, `event_type_month`, `host_month` */
  dimension: 'event_type' | 'host' | 'weekday' | 'hour' | 'weekday_hour' | 'weekday_host' | 'hour_host' | 'hour_invitee' | 'utm_source' | 'utm_medium' | 'utm_campaign' | 'utm_content' | 'utm_term' | 'month' | 'event_type_month' | 'host_month';
  /** the URI, the weekday from `1` (Monday) to `7`, the hour from `00` to `23`, both as `1-09`, the month as `2025-04`, or the tag; empty where nothing is said, or the time zone is not known */
  value: Values['text'];
  /** the value in readable form: a name, `Monday`, `09:00`, `Monday 09:00`, `April 2025` */
  label: Values['text'] | null;
  /** bookings whose meeting ended: `came`, `no_shows` and `unknown` together */
  ended: Values['integer'] | null;
  /** those of them whose outcome is `came` */
  came: Values['integer'] | null;
  /** those whose outcome is `no_show` */
  no_shows: Values['integer'] | null;
  /** those whose outcome is `unknown` */
  unknown: Values['integer'] | null;
  /** `no_shows / ended` */
  rate: Values['number'] | null;
  /** the month of the start as `2025-04`, in the dimensions `month`, `event_type_month` and `host_month`; empty in the others, which count all months */
  month: Values['text'];
  /** the same as `rate`: if every invitee came of whom it is not known */
  rate_low: Values['number'] | null;
  /** `(no_shows + unknown) / ended`: if none of them came */
  rate_high: Values['number'] | null;
}
/** One row per successful payment: a payment counts once, by its provider and its identifier, with the last invitee that carries it. Without an identifier it counts once per booking. */
export interface PaymentsRow<Values extends ColumnValues> {
  /** URI of the last invitee that carries it */
  invitee: Values['text'];
  /** URI of its booking: `uri` in the view `bookings` */
  booking: Values['text'] | null;
  /** when that invitee was created */
  created_at: Values['time'] | null;
  /** day of `created_at` in `REPORT_TIMEZONE`, which is UTC unless it is set */
  day: Values['date'] | null;
  /** who takes the payment; empty if missing */
  provider: Values['text'] | null;
  /** identifier of the payment at the provider */
  external_id: Values['text'] | null;
  /** from the payment; empty if missing */
  currency: Values['text'] | null;
  /** in units of the currency (not cents); 0 if missing, or if it is 10^15 or more, which is no amount of money */
  amount: Values['number'] | null;
  /** URI of the event type of that invitee's meeting */
  event_type: Values['text'] | null;
  /** name of the event type, or of the meeting if the event type is not mirrored */
  event_type_name: Values['text'] | null;
  /** hosts of that meeting, as sent */
  hosts: Values['json'] | null;
}
/** One row per person, over all e-mail addresses of contacts and invitees. */
export interface PeopleRow<Values extends ColumnValues> {
  /** URI of the oldest contact of the person; without a contact, of the first booking */
  person: Values['text'];
  /** URI of the oldest contact; null if no contact has the address */
  contact_uri: Values['text'] | null;
  /** name of that contact, else of the last booking that has one */
  name: Values['text'] | null;
  /** primary address of that contact, else the first of `emails` */
  primary_email: Values['text'] | null;
  /** the addresses in lower case, sorted */
  emails: Values['json'] | null;
  /** how many contacts the person has */
  contacts: Values['integer'] | null;
  /** their URIs, sorted */
  contact_uris: Values['json'] | null;
  /** the first of: contact created, first e-mail, form submitted before a booking, booking made */
  first_touch: Values['time'] | null;
  /** the last of: contact created, last e-mail, booking made, start of a meeting that ended and was not missed */
  last_touch: Values['time'] | null;
  /** bookings; a rescheduled one counts once */
  bookings: Values['integer'] | null;
  /** bookings to which the person came */
  came: Values['integer'] | null;
  /** bookings that ended and of which nothing shows whether the person came */
  unknown: Values['integer'] | null;
  /** bookings that the person missed */
  no_shows: Values['integer'] | null;
  /** `utm_campaign` of the last booking that has one */
  last_campaign: Values['text'] | null;
  /** start of the next meeting that is upcoming */
  next_meeting: Values['time'] | null;
  /** start of the last meeting that ended and was not missed */
  last_meeting: Values['time'] | null;
}
/** Successful payments (the view `payments`) by day, currency, provider and event type. */
export interface RevenueRow<Values extends ColumnValues> {
  /** the day (in `REPORT_TIMEZONE`) on which the last invitee that carries the payment was created */
  day: Values['date'];
  /** from the payment; empty if missing */
  currency: Values['text'];
  /** from the payment; empty if missing */
  provider: Values['text'];
  /** URI of the event type of that invitee's meeting; empty if unknown */
  event_type: Values['text'];
  /** its name */
  event_type_name: Values['text'] | null;
  /** how many */
  payments: Values['integer'] | null;
  /** sum of the amounts, in the currency of the row */
  amount: Values['number'] | null;
}
/** One row per answer of a routing form. */
export interface RoutingFormAnswersRow<Values extends ColumnValues> {
  /** URI of the submission */
  submission_uri: Values['text'];
  /** index in the list, from 0 */
  item: Values['integer'];
  /** UUID of the question in `routing_forms.questions` */
  question_uuid: Values['text'] | null;
  /** the question */
  question: Values['text'] | null;
  /** the answer */
  answer: Values['text'] | null;
}
/** One row per submission of a routing form: where it led, and what became of it. A booking that was moved counts by its last time. */
export interface RoutingFormResultsRow<Values extends ColumnValues> {
  /** URI of the submission */
  submission_uri: Values['text'];
  /** when the form was submitted */
  created_at: Values['time'] | null;
  /** URI of the form */
  routing_form: Values['text'] | null;
  /** where it led: `event_type`, `external_url` or `custom_message` */
  result_type: Values['text'] | null;
  /** from the submission */
  utm_source: Values['text'] | null;
  /** from the submission */
  utm_medium: Values['text'] | null;
  /** from the submission */
  utm_campaign: Values['text'] | null;
  /** from the submission */
  utm_content: Values['text'] | null;
  /** from the submission */
  utm_term: Values['text'] | null;
  /** whether an invitee refers to it */
  is_booked: Values['flag'] | null;
  /** whether it led to a booking page and no invitee refers to it */
  is_unbooked: Values['flag'] | null;
  /** the best outcome of its bookings, in the order `came`, `unknown`, `no_show`, `upcoming`; `canceled` if all were canceled, by whomever; `booked` where more is not known; null if it is not booked */
  outcome: 'came' | 'unknown' | 'no_show' | 'upcoming' | 'canceled' | 'booked' | null;
  /** URI of the last invitee of the newest of its bookings, rather of one that was not moved to a booking that is not mirrored; null if it has none */
  invitee: Values['text'] | null;
}
/** One row per routing form: where its submissions led, how many were booked, and how the meetings ended. A submission counts once, by the best outcome of its bookings (the view `routing_form_results`). */
export interface RoutingFunnelRow<Values extends ColumnValues> {
  /** URI of the form; empty if the submission has none */
  routing_form: Values['text'];
  /** name of the form, if the form is mirrored */
  routing_form_name: Values['text'] | null;
  /** number of submissions */
  submissions: Values['integer'] | null;
  /** submissions that led to a booking page */
  to_event_type: Values['integer'] | null;
  /** submissions that led to another site */
  to_external_url: Values['integer'] | null;
  /** submissions that ended with a message */
  to_custom_message: Values['integer'] | null;
  /** submissions that led to a booking page and have no booking */
  unbooked: Values['integer'] | null;
  /** submissions with at least one booking */
  booked: Values['integer'] | null;
  /** booked submissions with an upcoming meeting and none that ended */
  upcoming: Values['integer'] | null;
  /** booked submissions with a meeting that ended: `came`, `no_shows` and `unknown` together */
  ended: Values['integer'] | null;
  /** those of them with a meeting that the invitee came to */
  came: Values['integer'] | null;
  /** those with a missed meeting and no other that ended */
  no_shows: Values['integer'] | null;
  /** those with a meeting of which it is not known whether the invitee came, and none that they came to */
  unknown: Values['integer'] | null;
  /** booked submissions whose bookings were all canceled */
  canceled: Values['integer'] | null;
  /** `booked` of `submissions`, from 0 to 1 */
  booking_rate: Values['number'] | null;
  /** `ended` of `booked`, from 0 to 1; null where nothing was booked */
  ended_rate: Values['number'] | null;
}
/** One row per guest whom an invitee added to a scheduled event. Guests are not invitees. */
export interface ScheduledEventGuestsRow<Values extends ColumnValues> {
  /** URI of the scheduled event */
  event_uri: Values['text'];
  /** position in the list of guests, from 1 */
  position: Values['integer'];
  /** e-mail address of the guest */
  email: Values['text'] | null;
}
/** One row per host of a scheduled event. */
export interface ScheduledEventHostsRow<Values extends ColumnValues> {
  /** URI of the scheduled event */
  event_uri: Values['text'];
  /** position in the list of hosts, from 1; the first is `bookings.host` */
  position: Values['integer'];
  /** URI of the user; null if the list does not name one */
  user_uri: Values['text'] | null;
  /** name of the user: from `users`, else as the event has it */
  name: Values['text'] | null;
  /** e-mail address of the user: from `users`, else as the event has it */
  email: Values['text'] | null;
}
/** One row per submission of a routing form that led to a booking page and that no booking refers to (`is_unbooked` in the view `routing_form_results`). */
export interface UnbookedSubmissionsRow<Values extends ColumnValues> {
  /** URI of the submission */
  submission_uri: Values['text'];
  /** URI of the form */
  routing_form: Values['text'] | null;
  /** name of the form, if the form is mirrored */
  routing_form_name: Values['text'] | null;
  /** when the form was submitted */
  created_at: Values['time'] | null;
  /** URI of the event type whose booking page it led to */
  event_type: Values['text'] | null;
  /** its name, if the event type is mirrored */
  event_type_name: Values['text'] | null;
  /** as the service sends it */
  submitter: Values['text'] | null;
  /** as the service sends it */
  submitter_type: Values['text'] | null;
  /** first answer to a question of the type `name`; if the form is not mirrored, to a question called `Name`, `Your name`, `Full name` or `Your full name` */
  name: Values['text'] | null;
  /** first answer that is an e-mail address */
  email: Values['text'] | null;
  /** URI of the first invitee with this address, in any letter case, who was created later: a booking that does not refer to the form */
  booked_otherwise: Values['text'] | null;
  /** questions and answers, as sent */
  answers: Values['json'] | null;
  /** from the submission */
  utm_source: Values['text'] | null;
  /** from the submission */
  utm_medium: Values['text'] | null;
  /** from the submission */
  utm_campaign: Values['text'] | null;
  /** from the submission */
  utm_content: Values['text'] | null;
  /** from the submission */
  utm_term: Values['text'] | null;
}
