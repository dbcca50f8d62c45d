// The tables of Slotstream itself: subscriptions, the outbox of alerts, settings, and the state of its processes.
import { subscriptionScopes } from '#schemas/event.ts';
import { subscriptionStates } from '#schemas/subscription.ts';
import { flag, integer, json, table, text, time, uri } from './declaration.ts';

export const webhookSubscriptions = table({
  name: 'webhook_subscriptions',
  key: ['uri'],
  readable: 'all',
  about: 'One row per webhook subscription, as last seen at the service.',
  columns: {
    uri: uri('URI of the subscription'),
    callback_url: text('address that the service calls', { holds: 'plain' }),
    state: text('whether the service sends deliveries', { oneOf: subscriptionStates, orOther: true }),
    scope: text('whose events it sends', { oneOf: subscriptionScopes, orOther: true }),
    organization: uri('URI of the organization'),
    user: uri('the user, for the scope `user`', { joins: 'users.uri' }),
    group: uri('URI of the group, for the scope `group`'),
    creator: uri('the user who made it', { joins: 'users.uri' }),
    events: json('kinds of events', { holds: 'plain' }),
    retry_started_at: time('since when the service retries failed deliveries; null when it does not'),
    created_at: time('when it was made'),
    updated_at: time('when it was last changed'),
    checked_at: time('when it was last seen', { required: true }),
  },
});

/** `pending` has its alert to send, `retracting` its retraction. */
export const alertStates = ['pending', 'sent', 'retracting', 'retracted', 'failed'] as const;

/** `alerts/alert-rows.ts` explains the columns. */
export const alerts = table({
  name: 'alerts',
  key: ['id'],
  readable: 'all',
  about: 'One row per alert and channel. It names no person: the text is made when it is sent.',
  columns: {
    id: text('identity: a hash of rule, channel, subject and fact', { holds: 'plain' }),
    rule: text('name of the rule', { holds: 'plain', required: true }),
    subject_uri: uri('the booking; for a condition, what it is about', { joins: 'invitees.uri', required: true }),
    state: text('what became of it; `retracting`: its retraction is to be sent', {
      oneOf: alertStates,
      required: true,
    }),
    channel: text('where it is sent', { holds: 'plain', required: true }),
    attempts: integer('how many times sending was tried', { required: true }),
    last_error: text('why the last attempt failed', { holds: 'plain' }),
    fact: text('what makes it different from other alerts of the same rule about the same subject', {
      holds: 'plain',
      required: true,
    }),
    digest: text('identifier of the digest that its message is sent with; null when it is sent alone', {
      holds: 'plain',
    }),
    detail: text('for a condition: what was found, in a few words and numbers', { holds: 'plain' }),
    posted: json('its direct messages in Slack: to whom, where, and about which invitees; ids only', {
      holds: 'person',
    }),
    episode: integer('counts how often the fact became true again after a retraction', { required: true }),
    occurred_at: time('when the fact happened', { required: true }),
    due_at: time('the earliest time to send its message', { required: true }),
    next_at: time('when it is looked at next', { required: true }),
    claimed_at: time('when a worker last started to send it; null when none is sending'),
    sent_at: time('when the alert was last sent'),
    created_at: time('when the row was made', { required: true }),
    updated_at: time('when the row last changed', { required: true }),
  },
});

/** When each time zone was how far ahead of UTC (`time-zones.ts`). */
export const timeZones = table({
  name: 'time_zones',
  key: ['name', 'starts_at'],
  readable: 'all',
  about:
    'One row per period with the same offset, for each time zone of a user or an invitee. The views compute local time by it.',
  columns: {
    name: text('name of the zone in lower case: `europe/berlin`', { holds: 'plain' }),
    starts_at: time('when the period begins; the first one of a zone begins in the year 1, the last one has no end'),
    offset_seconds: integer('how far the clocks are ahead of UTC', { required: true }),
  },
});

/** The id of the mirror, its account, and the settings that its processes share (`shared-settings.ts`). */
export const mirrorSettings = table({
  name: 'mirror_settings',
  key: ['id'],
  readable: 'all',
  about:
    'One row: what the mirror is. All its processes follow these settings, whatever their environment says; `slotstream settings --apply` changes them.',
  columns: {
    id: text(
      'random identifier of the mirror, also the source of its CloudEvents; a copy of the database has the same',
      {
        holds: 'plain',
      },
    ),
    origin: text('address of the API of the service; null before the first `bootstrap` or `backfill`', {
      holds: 'plain',
    }),
    organization: uri('URI of the organization; null before the first `bootstrap` or `backfill`'),
    owner: uri('URI of the organization, or of the group (`GROUP_URI`), for which webhooks are registered'),
    erase_on_delete: flag('`ERASE_ON_DELETE`: whether deleted contacts lose their values'),
    retention_days: integer(
      '`RETENTION_DAYS`: the age in days at which bodies of the log are pruned; 0 when they are kept',
    ),
    events: text('`EVENTS`: `all`, or the kinds that are mirrored, comma-separated', { holds: 'plain' }),
    report_timezone: text('`REPORT_TIMEZONE`: the time zone of days and months', { holds: 'plain' }),
    currency_fields: text('`CURRENCY_FIELDS`', { oneOf: ['minor', 'major'] }),
    settled_at: time('when the first worker wrote the settings; null before'),
    revision: integer('rises with each change of the settings', { required: true }),
  },
});

/** The keys of erased addresses and of answer links are among them: who reads them can make such links. */
export const keyValues = table({
  name: 'key_values',
  key: ['key'],
  readable: 'never',
  about: 'Internal. State of the program: leases, alert state, results of jobs, the erasure key.',
  columns: {
    key: text('name of the value', { holds: 'plain' }),
    value: json('the value', { holds: 'secret' }),
  },
});

/** Page tokens of the service are among them, and no other program can use a position. */
export const syncCheckpoints = table({
  name: 'sync_checkpoints',
  key: ['key'],
  readable: 'never',
  about: 'Internal. Where backfills and sweeps resume.',
  columns: {
    key: text('name of the job', { holds: 'plain' }),
    value: json('its position', { holds: 'plain' }),
  },
});

/** The running processes, and those that ended lately without removing their row (`processes.ts`). */
export const processes = table({
  name: 'processes',
  key: ['id'],
  readable: 'all',
  about: 'One row per running process. A process that was killed is listed for an hour.',
  columns: {
    id: text('random, new at every start', { holds: 'plain' }),
    role: text('the command that it runs', { oneOf: ['start', 'receive', 'work'], required: true }),
    host: text('name of its machine', { holds: 'plain', required: true }),
    pid: integer('process ID on that machine', { required: true }),
    version: text('version of Slotstream', { holds: 'plain', required: true }),
    admin_url: text('address of its admin listener, from its own machine', { holds: 'plain', required: true }),
    started_at: time('when it started', { required: true }),
    seen_at: time('when it last reported; it reports every 15 seconds', { required: true }),
    queue: text('whether the queue answers it', { oneOf: ['answering', 'not answering'] }),
    queue_waiting: integer('batches that wait in the queue, also for a retry'),
    queue_active: integer('batches that workers are processing'),
    queue_failed: integer('batches that failed and wait for their recovery'),
    queue_oldest_at: time('when the oldest waiting batch was enqueued'),
    active_oldest_at: time('when the oldest batch in progress was enqueued'),
    queue_losses: integer('how often it found within the last 10 minutes that the queue had lost jobs'),
    spool_deliveries: integer('deliveries in its disk log that wait for the queue; null in a `work` process'),
    spool_since: time('since when deliveries wait in its disk log'),
    journal_batches: integer('batches in its disk log: those that wait, and those whose jobs are not finished'),
    journal_full: flag('its disk log is full and takes no deliveries'),
    low_disks: text('written by version 0.1.0 only; later versions write `machine`', { holds: 'plain' }),
    machine: text(
      'what it knows of its machine, as JSON: the free space of its disks and which are low, whether it refuses deliveries, its engines that are down, and by how much its clock is ahead of that of the database',
      { holds: 'plain' },
    ),
    accepted: integer('deliveries that it accepted within the last 10 minutes; null in a `work` process'),
    refused: integer('requests that it refused within the last 10 minutes because of their signature'),
    refused_stale: integer('those of them with a correct signature that was too old'),
    lag_p50_ms: integer('median time from an event to its row within the last 10 minutes, in milliseconds'),
    lag_p99_ms: integer('99th percentile of the same'),
    last_batch_at: time('when it last received or projected a batch'),
  },
});

/** What operators did through the admin listener (`admin-actions.ts`). */
export const adminActions = table({
  name: 'admin_actions',
  key: ['id'],
  readable: 'admin',
  fast: ['at'],
  about:
    'One row per action of an operator through the API or the dashboard, per answer of a host, and per call of an AI model, for 400 days; at most 100,000 of each kind: by links, by buttons in Slack, of models, and all others.',
  columns: {
    id: text('random', { holds: 'plain' }),
    at: time('when it began', { required: true }),
    caller: text('who did it; `unknown` is a program that calls the operations in its own process', {
      oneOf: [
        'admin token',
        'admin session',
        'read-only token',
        'read-only session',
        'metrics token',
        'mcp token',
        'mcp command',
        'answer link',
        'slack button',
        'unknown',
      ],
      required: true,
    }),
    address: text('network address of the request, or the Slack id of who pressed the button; empty inside a program', {
      holds: 'person',
      required: true,
    }),
    operation: text('operation of the API, such as `replayDelivery`, or tool', { holds: 'plain', required: true }),
    target: text('what it was about: the ids in its path', { holds: 'plain' }),
    input: json('its filters and options; text that may be about a person is `[hidden]`', { holds: 'plain' }),
    result: json('what it did: counts and outcomes', { holds: 'plain' }),
    status: integer('HTTP status of the answer; null while it runs, or if the process ended meanwhile'),
  },
});
